/*
title    = "DCGM's check found a GPU short of power"
kind     = "perf.straggler_power"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["dcgm_reports"]
explanation = '''
A diagnostic or health check of DCGM saw this GPU held down by its power: it did not reach the power of the test, or its supply braked it. It computes slower than its siblings.
'''
advice = '''
Compare with a sibling: `nvidia-smi -q -d POWER,PERFORMANCE` (limits, brake and cap reasons); look at the host's supplies (`ipmitool sdr type "Power Supply"`) and power cables of the board, and run `dcgmi diag -r 3 -i GPU` again.
'''
false_positives = "A power limit set on purpose: the targeted power test then fails on every GPU alike, which this rule leaves out."
references = ["DCGM user guide: DCGM diagnostics"]
[[test]]
fires = 1
expect = { gpus = ["GPU 5"] }
logs."dcgmi.txt" = '''
| Targeted Power            | Fail - GPU: 5                                  |
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 1"] }
logs."dcgmi.txt" = '''
| Warning                   | GPU 1 Max power of 420.0 did not reach desired |
|                           | power minimum targeted power 550.0             |
'''
[[test]]
fires = 0
logs."dcgmi.txt" = '''
| Targeted Power            | Pass - All                                     |
'''
[[test]]
fires = 0                        # all alike: a limit
logs."dcgmi.txt" = '''
| Targeted Power            | Fail - GPUs: 0, 1, 2, 3                        |
'''
*/
SELECT attempt, hosts, gpus, summary, evidence
FROM   dcgm_failures
WHERE  subject = 'power'
-- three or more of one host are a limit or the host's supply, which no single GPU is to blame for
QUALIFY count(*) OVER (PARTITION BY attempt, host) <= 2
