/*
title    = "The driver asks for a reset of a GPU"
kind     = "hw.xid.recovery"
severity = "high"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["kernel_gpu"]
explanation = '''
Xid 154 says which recovery this GPU needs from now on: a reset, a drain, a reboot of the host. It follows another error, which this log does not show.
'''
advice = '''
Do what the line asks for before the next job; find the Xid before it in the full kernel log (`dmesg -T | grep -i xid`, `journalctl -k`).
'''
false_positives = "After the reset the line comes again with None."
references = ["NVIDIA Xid catalogue: 154"]
[[test]]
fires = 1
expect = { gpus = ["0000:3b:00"] }
logs."dmesg.txt" = '''
[712312.200000] NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)
'''
[[test]]
fires = 1
expect = { hosts = ["n1"] }
logs."n1.syslog" = '''
May  1 12:00:00 n1 kernel: NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)
'''
[[test]]
fires = 1                        # after a code that no other rule speaks of
expect = { gpus = ["n1:0000:3b:00"] }
logs."n1.syslog" = '''
May  1 12:00:00 n1 kernel: NVRM: Xid (PCI:0000:3b:00): 122, pid=2741, name=nvidia-smi, SPI RPC error: 0x0000001f 0x00000000
May  1 12:00:00 n1 kernel: NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)
'''
[[test]]
fires = 0                        # recovered
logs."dmesg.txt" = '''
[712312.200000] NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)
[712912.200000] NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x4 (Drain and Reset) to 0x0 (None)
'''
[[test]]
fires = 0                        # the error itself is there
logs."dmesg.txt" = '''
[712312.100000] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.
[712312.200000] NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)
'''
*/
WITH last_word AS (
  SELECT x.*, h.attempt AS place_attempt, h.hit, h.began FROM gpu_xid x JOIN host_events h USING (file_id, line, part)
  WHERE  x.xid = 154
  QUALIFY row_number() OVER (PARTITION BY x.host, x.bdf ORDER BY x.file_id, x.line DESC, x.part DESC) = 1)
SELECT place_attempt AS attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [coalesce(host || ':', '') || bdf] AS gpus, began,
       coalesce(host || ': ', '') || printf('GPU %s needs recovery (%s), says its driver', bdf, lower(action_to)) AS summary,
       [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   last_word w
WHERE  hit AND action_to <> 'None' AND NOT EXISTS (SELECT 1 FROM xids o WHERE o.host IS NOT DISTINCT FROM w.host AND NOT o.echo AND o.grade IN ('error', 'fatal'))
