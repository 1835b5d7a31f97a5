/*
title    = "A status dump shows the power brake"
kind     = "perf.straggler_power"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["nvidia_smi", "nvidia_smi_lines", "nvidia_smi_text", "dcgm"]
explanation = """
One look at the GPU (`nvidia-smi -q`, a single query) shows the hardware power brake, a signal from power supply, rack or board management that
is no part of normal operation. How long it lasted a single look cannot say.
"""
advice = """
Run `nvidia-smi -q -d PERFORMANCE,CLOCK,POWER` on this host again under load: is the power brake still active?
If it is, read the BMC event log (`ipmitool sel elist`) for power supplies, cables and power caps, and check that the BMC knows this board.
"""
false_positives = "A GPU that idles at that moment is left out."
references = ["nvidia-smi manual: Clocks Event Reasons"]
[[test]]
fires = 1
expect = { hosts = [], gpus = [], confidence = "likely" }
logs."status.txt" = '''
Clocks Throttle Reasons
    Idle                              : Not Active
    SW Power Cap                      : Not Active
    HW Slowdown                       : Active
        HW Thermal Slowdown           : Not Active
        HW Power Brake Slowdown       : Active

Clocks
    SM                                : 375 MHz
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 345 MHz, 100 %, 0x0000000000000088
'''
[[test]]
# Idle at that moment.
fires = 0
logs."status.txt" = '''
Clocks Event Reasons
    Idle                              : Active
    SW Power Cap                      : Not Active
    HW Slowdown                       : Active
        HW Thermal Slowdown           : Not Active
        HW Power Brake Slowdown       : Active
'''
[[test]]
# The software cap, and a slowdown for heat.
fires = 0
logs."status.txt" = '''
Clocks Event Reasons
    Idle                              : Not Active
    SW Power Cap                      : Active
    HW Slowdown                       : Active
        HW Thermal Slowdown           : Active
        HW Power Brake Slowdown       : Not Active
'''
*/
SELECT attempt, [host] AS hosts, gpus, ranks, began, evidence,
       said || ' was slowed by the hardware power brake' || coalesce(printf(', to %d MHz', CAST(sm_mhz AS INTEGER)), '') || ', when its status was taken' AS summary
FROM   throttled_gpus
WHERE  reason = 'braked'
