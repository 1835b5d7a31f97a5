/*
title    = "A GPU's own counters say that heat held it back"
kind     = "perf.straggler_thermal"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "hang.*", "desync.rank_behind", "launcher.*"]
needs    = ["nvidia_smi", "dcgm", "nvidia_smi_text"]
explanation = """
The driver counts for how long it held the clock of each GPU down, by reason. Between two readings this GPU was held back for heat for at least a tenth of
the time, most others were not. It works slower in that time, and in a synchronous job everybody waits for it.
"""
advice = """
Drain the host and look at the cooling of this GPU: fan or pump, air path, heat sink, inlet temperature (`nvidia-smi -q -d TEMPERATURE,PERFORMANCE`, BMC sensors).
Watch it for a minute: `nvidia-smi --query-gpu=timestamp,index,temperature.gpu,clocks.sm,clocks_event_reasons.active --format=csv -l 5`.
"""
false_positives = """
Exporters that state us and print ns: the unit is taken from how fast the counters grow, and counters whose unit stays open are not judged. The time of the
software power cap is left out: at full load that is normal.
"""
references = ["nvidia-smi manual: clocks_event_reasons_counters", "DCGM: DCGM_FI_DEV_THERMAL_VIOLATION", "NVML: nvmlViolationTime_t, in ns"]
[[test]]
fires = 1                       # ns, though the exporter says us
expect = { gpus = ["node1:1"], hosts = ["node1"] }
logs."node1/dcgm.prom" = '''
# 2026-11-30T10:00:00Z
# HELP DCGM_FI_DEV_THERMAL_VIOLATION Throttling duration due to thermal constraints (in us).
# TYPE DCGM_FI_DEV_THERMAL_VIOLATION counter
DCGM_FI_DEV_THERMAL_VIOLATION{gpu="0",UUID="GPU-00000000-0000-4000-8000-000000000000",Hostname="node1"} 0
DCGM_FI_DEV_THERMAL_VIOLATION{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000001",Hostname="node1"} 5123000000
# 2026-11-30T10:10:00Z
DCGM_FI_DEV_THERMAL_VIOLATION{gpu="0",UUID="GPU-00000000-0000-4000-8000-000000000000",Hostname="node1"} 0
DCGM_FI_DEV_THERMAL_VIOLATION{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000001",Hostname="node1"} 245123000000
'''
[[test]]
fires = 1                       # us, as stated
expect = { gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks_event_reasons_counters.sw_thermal_slowdown [us], clocks_event_reasons_counters.sw_power_cap [us]
2026/11/30 10:00:00.101, 0, 0 us, 9120000 us
2026/11/30 10:00:00.108, 1, 5123000 us, 9120000 us
2026/11/30 10:10:00.101, 0, 0 us, 609120000 us
2026/11/30 10:10:00.108, 1, 245123000 us, 309120000 us
'''
[[test]]
fires = 0                       # the same counters in ns are a quarter of a second
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks_event_reasons_counters.sw_thermal_slowdown [us], clocks_event_reasons_counters.sw_power_cap [us]
2026/11/30 10:00:00.101, 0, 0 us, 9120000 us
2026/11/30 10:00:00.108, 1, 5123000 us, 9120000 us
2026/11/30 10:10:00.101, 0, 0 us, 600009120000 us
2026/11/30 10:10:00.108, 1, 245123000 us, 300009120000 us
'''
[[test]]
fires = 0                       # the unit stays open; and large numbers of one reading are since the driver was loaded
logs."node1/dcgm.prom" = '''
# 2026-11-30T10:00:00Z
DCGM_FI_DEV_THERMAL_VIOLATION{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000001",Hostname="node1"} 5123000
# 2026-11-30T10:10:00Z
DCGM_FI_DEV_THERMAL_VIOLATION{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000001",Hostname="node1"} 245123000
'''
logs."node2/dcgm.prom" = '''
# 2026-11-30T10:00:00Z
DCGM_FI_DEV_THERMAL_VIOLATION{gpu="1",UUID="GPU-00000000-0000-4000-8000-000000000002",Hostname="node2"} 245123000000
'''
[[test]]
fires = 0                       # only its power cap
logs."gpu_metrics-node1.csv" = '''
timestamp, index, clocks_event_reasons_counters.sw_thermal_slowdown [us], clocks_event_reasons_counters.sw_power_cap [us]
2026/11/30 10:00:00.101, 0, 0 us, 9120000 us
2026/11/30 10:10:00.101, 0, 1200 us, 509120000 us
'''
*/
SELECT h.attempt, [h.host] AS hosts, [h.name] AS gpus, h.began, h.ended, h.evidence, s.severity, s.role,
       -- without slower steps, less than a third of the time may not have been felt
       CASE WHEN s.slow_steps > 0 OR h.share >= 0.3 THEN 'likely' ELSE 'possible' END AS confidence,
       printf('GPU %s was held back for heat in %s of the time', regexp_replace(h.name, '^GPU ', ''), h.percent) || coalesce(s.effect, '') AS summary
FROM   gpus_held_back h
LEFT JOIN step_pace s ON s.attempt IS NOT DISTINCT FROM h.attempt
WHERE  h.reason = 'heat'
