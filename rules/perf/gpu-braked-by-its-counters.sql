/*
title    = "A GPU's own counters say that the power brake held it back"
kind     = "perf.straggler_power"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.straggler_thermal", "perf.low_busbw", "hang.*", "desync.rank_behind", "launcher.*"]
needs    = ["nvidia_smi", "nvidia_smi_text"]
explanation = """
The driver counts for how long a signal from outside the GPU (power supply, rack power cap, board management) braked it. Between two readings that was
at least a tenth of the time. A braked GPU runs at a fraction of its clock, and in a synchronous job everybody waits for it.
"""
advice = """
Drain the host and read its BMC event log (`ipmitool sel elist`): power supplies, power cables, power capping of the rack or PDU.
`nvidia-smi -q -d PERFORMANCE` must show HW Power Brake Slowdown as Not Active, and the counter must stand still, before the host goes back.
"""
false_positives = "Counters of one reading say what happened since the driver was loaded, perhaps months ago: they are not judged."
references = ["nvidia-smi manual: clocks_event_reasons_counters.hw_power_brake_slowdown"]
[[test]]
fires = 1
expect = { gpus = ["node1:0"], hosts = ["node1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks_event_reasons_counters.hw_power_brake_slowdown [us]
2026/11/30 10:00:00.101, 0, 1200 us
2026/11/30 10:00:00.108, 1, 1200 us
2026/11/30 10:10:00.101, 0, 540001200 us
2026/11/30 10:10:00.108, 1, 1200 us
'''
[[test]]
fires = 0                       # seconds at a start
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks_event_reasons_counters.hw_power_brake_slowdown [us]
2026/11/30 10:00:00.101, 0, 1200 us
2026/11/30 10:10:00.101, 0, 5401200 us
'''
[[test]]
fires = 0                       # one reading
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks_event_reasons_counters.hw_power_brake_slowdown [us]
2026/11/30 10:00:00.101, 0, 54000120000 us
'''
*/
SELECT h.attempt, [h.host] AS hosts, [h.name] AS gpus, h.began, h.ended, h.evidence, s.severity, s.role,
       printf('GPU %s was held back by the power brake in %s of the time', regexp_replace(h.name, '^GPU ', ''), h.percent) || coalesce(s.effect, '') AS summary
FROM   gpus_held_back h
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM h.attempt
WHERE  h.reason = 'brake'
