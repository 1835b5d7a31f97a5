/*
title    = "A monitor saw an NVSwitch report a fatal error"
kind     = "hw.nvlink"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hw.xid", "crash.*", "hang.*", "desync.*", "launcher.*", "perf.*"]
needs    = ["dcgm"]
explanation = """
DCGM's field for the last fatal SXid of a switch changed while it was watched: the NVSwitch stopped a link, and the GPUs behind it with it. The kernel's own line, which tells the link, is not in the input.
"""
advice = """
`dmesg -T | grep -i sxid` on the host for the line with the link, `/var/log/fabricmanager.log` for the GPU at it. Drain the host, reset all GPUs together and restart nvidia-fabricmanager; a link that repeats belongs to the vendor.
"""
false_positives = "The code sticks until DCGM restarts: a file that begins with it does not tell when it happened, and is left out. So are switches that followed an Xid of the host."
references = ["DCGM field identifiers 856 and 857", "NVIDIA NVSwitch SXid catalogue"]
[[test]]
fires = 1
expect = { hosts = ["n4"], devices = ["n4/nvswitch2"] }
logs."n4/dcgm.prom" = '''
# TYPE DCGM_FI_DEV_NVSWITCH_FATAL_ERRORS gauge
DCGM_FI_DEV_NVSWITCH_FATAL_ERRORS{nvswitch="nvswitch2",Hostname="n4"} 0
DCGM_FI_DEV_NVSWITCH_FATAL_ERRORS{nvswitch="nvswitch2",Hostname="n4"} 19084
'''
[[test]]
fires = 1                        # another code than before
expect = { hosts = ["n4"], devices = ["n4/nvswitch0"] }
logs."n4/dcgm.prom" = '''
DCGM_FI_DEV_NVSWITCH_FATAL_ERRORS{nvswitch="nvswitch0",Hostname="n4"} 20034
DCGM_FI_DEV_NVSWITCH_FATAL_ERRORS{nvswitch="nvswitch0",Hostname="n4"} 22013
'''
[[test]]
fires = 0                        # since when is not told
logs."n4/dcgm.prom" = '''
DCGM_FI_DEV_NVSWITCH_FATAL_ERRORS{nvswitch="nvswitch2",Hostname="n4"} 19084
DCGM_FI_DEV_NVSWITCH_FATAL_ERRORS{nvswitch="nvswitch2",Hostname="n4"} 19084
'''
[[test]]
fires = 0                        # not fatal
logs."n4/dcgm.prom" = '''
DCGM_FI_DEV_NVSWITCH_NON_FATAL_ERRORS{nvswitch="nvswitch2",Hostname="n4"} 0
DCGM_FI_DEV_NVSWITCH_NON_FATAL_ERRORS{nvswitch="nvswitch2",Hostname="n4"} 12028
'''
*/
SELECT d.attempt, [d.host] AS hosts, [coalesce(d.host || '/', '') || d.device] AS devices, min(d.ts) AS began,
       printf('%s: a monitor saw fatal SXid %s of %s', coalesce(d.host, 'A host'), string_agg(DISTINCT CAST(d.code AS VARCHAR), ', ' ORDER BY CAST(d.code AS VARCHAR)), d.device)
       || coalesce(strftime(min(d.ts), ' at %H:%M:%S'), '') AS summary,
       list({'file_id': d.file_id, 'line': d.line, 'part': d.part} ORDER BY d.file_id, d.line, d.part) AS evidence
FROM   dcgm_sxid d
LEFT JOIN job_ends e ON e.attempt = d.attempt
WHERE  d.grade = 'fatal' AND d.before IS NOT NULL AND d.device IS NOT NULL AND NOT coalesce(e.completed, false)
-- what the kernel says of the switch, or of a GPU that fell first, says more
AND    NOT EXISTS (SELECT 1 FROM gpu_sxid s WHERE s.host IS NOT DISTINCT FROM d.host)
AND    NOT EXISTS (SELECT 1 FROM xids x WHERE x.class = 'hardware' AND x.host IS NOT DISTINCT FROM d.host)
GROUP  BY d.attempt, d.host, d.device
