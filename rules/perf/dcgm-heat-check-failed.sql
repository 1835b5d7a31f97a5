/*
title    = "DCGM's check found a GPU too hot"
kind     = "perf.straggler_thermal"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["dcgm_reports"]
explanation = '''
A diagnostic or health check of DCGM saw this GPU above its temperature, or slowed down for heat. A hot GPU lowers its clocks, and a collective runs at the pace of the slowest.
'''
advice = '''
Watch the GPU under load beside its siblings (`nvidia-smi --query-gpu=index,temperature.gpu,temperature.memory,clocks.sm,clocks_event_reasons.active --format=csv -l 5`); look at fans, air path or coolant and the inlet temperature, reseat the heat sink, and run `dcgmi diag -r 3 -i GPU` again.
'''
false_positives = "A limit of temperature that somebody set too low for the test (`-p` parameters of dcgmi diag)."
references = ["DCGM user guide: DCGM diagnostics"]
[[test]]
fires = 1
expect = { gpus = ["GPU 3"] }
logs."dcgmi.txt" = '''
| Warning                   | GPU 3 There were thermal violations totaling   |
|                           | 12.0 seconds for GPU 3                         |
'''
[[test]]
fires = 1
expect = { hosts = ["n7"], gpus = ["n7:2"] }
logs."n7/dcgmi.txt" = '''
| Error                     | GPU 2 Temperature 91 of GPU 2 exceeded user-   |
|                           | specified maximum allowed temperature 85       |
'''
[[test]]
fires = 0
logs."dcgmi.txt" = '''
| Thermal                   | Pass - All                                     |
'''
[[test]]
fires = 0                        # what it complains of is another thing
logs."dcgmi.txt" = '''
| Warning                   | GPU 1 Detected more than 8 PCIe replays per    |
|                           | minute for GPU 1: 38                           |
'''
*/
SELECT attempt, hosts, gpus, summary, evidence
FROM   dcgm_failures
WHERE  subject = 'heat'
