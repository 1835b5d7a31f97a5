/*
title    = "Hosts run different NCCL versions"
kind     = "config.version_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.*", "desync.*"]
needs    = ["nccl"]
explanation = """
The processes of one job load different NCCL libraries. Handshakes of different releases do not understand each other: truncated messages, hangs at set-up,
or an error that says so. The host out of line with the majority is the odd one.
"""
advice = """
Use one image, or one environment, on all hosts; on the odd host look which library is loaded (`python -c "import torch; print(torch.cuda.nccl.version())"`, LD_LIBRARY_PATH, LD_PRELOAD).
"""
false_positives = "Versions that differ without a symptom: then this is only a risk."
references = ["NCCL source: init.cc, NCCL version"]
[[test]]
fires = 1
expect = { hosts = ["pine3"] }
logs."nccl.log" = '''
pine1:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
pine2:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
pine3:11:21 [0] NCCL INFO NCCL version 2.20.5+cuda12.4
'''
[[test]]
fires = 1                       # two against each other
expect = { either = true }
logs."nccl.log" = '''
pine1:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
pine2:11:21 [0] NCCL INFO NCCL version 2.20.5+cuda12.4
'''
[[test]]
fires = 0
logs."nccl.log" = '''
pine1:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
pine2:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
'''
[[test]]
fires = 0                       # one host, two libraries in different programs: not between hosts
logs."nccl.log" = "pine1:11:21 [0] NCCL INFO NCCL version 2.21.5+cuda12.4"
*/
SELECT attempt, list_sort(flatten(list(hosts ORDER BY value))) AS hosts, bool_or(open) AS either, CASE WHEN bool_or(open) THEN 'possible' ELSE 'likely' END AS confidence,
       string_agg(list_aggregate(hosts, 'string_agg', ', ') || ' loads NCCL ' || value, '; ' ORDER BY value)
         || CASE WHEN bool_or(open) THEN '' ELSE printf(', %d other hosts another', CAST(min(largest) AS INTEGER)) END AS summary,
       flatten(list(evidence ORDER BY value)) AS evidence
FROM   odd_hosts
WHERE  kind = 'nccl'
GROUP  BY attempt
