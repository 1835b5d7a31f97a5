/*
title    = "DCGM's health check finds a failed NVSwitch"
kind     = "hw.nvlink"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["crash.cuda_error", "hang.*", "launcher.*"]
needs    = ["dcgm_reports"]
explanation = """
The health watch of DCGM reports a failure of the switches between the GPUs, which belong to no GPU. Traffic between all GPUs of the host goes through them: it is not fit for jobs until
somebody looked at it.
"""
advice = """
On that host: `dcgmi health -g 0 -c -j`, `dcgmi diag -r 2`, `dmesg -T | grep -iE "xid|sxid"`. It needs a restart of the fabric manager or of the host, and the board exchanged if it comes back.
"""
false_positives = "A warning alone, such as replays of PCIe in small numbers, is not counted."
references = ["DCGM user guide: health monitoring"]
[[test]]
fires = 1
expect = { gpus = [] }
logs."node1/health.txt" = '''
Health Monitor Report
+------------------+---------------------------------------------------------+
| Overall Health   | Failure                                                 |
+==================+=========================================================+
| NvSwitch system  | Failure                                                 |
|  -> NVSwitch fatal error reported                                          |
+------------------+---------------------------------------------------------+
'''
[[test]]
fires = 0
logs."node1/health.txt" = '''
| Overall Health   | Warning                                                 |
| Memory system    | Warning                                                 |
|  -> 12 pending page retirements detected                                   |
'''
[[test]]
fires = 0                       # a GPU is named: others judge it
logs."node1/health.txt" = '''
| Overall Health            | Failure                                                  |
| -> 5                      | Failure                                                  |
|    -> Errors              |                                                          |
|       -> PCIe system      | Failure                                                  |
|                           | Detected more than 8 PCIe replays per minute for GPU 5   |
|                           |  : 41 Reconnect PCIe card.                               |
'''
[[test]]
fires = 0
logs."node1/health.txt" = '''
| Overall Health   | Healthy                                                 |
| NvSwitch system  | Healthy                                                 |
'''
*/
SELECT h.attempt, [h.host] AS hosts, min(h.ts) AS began,
       'DCGM finds the ' || min(CASE WHEN h.system ILIKE 'nvswitch' THEN 'NVSwitches' ELSE 'NVLinks' END) || coalesce(' of ' || h.host, ' of a host') || ' failed' || coalesce(': ' || min(h.text), '') AS summary,
       list({'file_id': h.file_id, 'line': h.line, 'part': h.part} ORDER BY h.file_id, h.line, h.part) AS evidence
FROM   dcgm_health_failed h
WHERE  h.state = 'Failure' AND h.system ILIKE 'nv%'
AND    NOT EXISTS (SELECT 1 FROM dcgm_complaint c WHERE c.file_id = h.file_id)
GROUP  BY h.attempt, h.host
