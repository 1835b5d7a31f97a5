/*
title    = "The fabric refuses packets with a wrong key"
kind     = "net.ib_error"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*"]
needs    = ["fabric"]
explanation = """
A node or a switch told the subnet manager again and again that packets came with a key it does not accept: a P_Key of a partition that one end is not in, or an M_Key of
another subnet manager. Packets with a wrong P_Key are dropped without an answer, so connections between these ends run into their retries.
"""
advice = """
Find the node with that LID (`smpquery nodedesc LID`), compare its partition table with its peers' (`smpquery pkeys LID`, or pkeys below the port in /sys/class/infiniband) and with partitions.conf of the
subnet manager; NCCL_IB_PKEY must be the index of the same partition on all hosts. For M_Keys: only one subnet manager may manage the fabric.
"""
false_positives = "A node that joins or leaves a partition just then; a scan by a management tool."
references = ["InfiniBand architecture, traps 256 to 259", "opensm(8): partitions"]
[[test]]
fires = 1
expect = { devices = ["lid 17"], hosts = [] }
logs."opensm.log" = """
Nov 30 03:14:08 512345 [9A3C5700] 0x01 -> log_trap_info: Received Generic Notice type:2 num:257 (Bad P_Key) Producer:1 (Channel Adapter) from LID:17 TID:0x0000000000000a12
Nov 30 03:14:12 512345 [9A3C5700] 0x01 -> log_trap_info: Received Generic Notice type:2 num:257 (Bad P_Key) Producer:1 (Channel Adapter) from LID:17 TID:0x0000000000000a13
Nov 30 03:14:17 512345 [9A3C5700] 0x01 -> log_trap_info: Received Generic Notice type:2 num:257 (Bad P_Key) Producer:1 (Channel Adapter) from LID:17 TID:0x0000000000000a14
"""
[[test]]
fires = 1
expect = { devices = ["lid 17 port 4"], hosts = [] }
logs."ib-leaf2.log" = """
Nov 30 03:14:07 ib-leaf2 smd[881]: Bad P_Key trap received from LID 17 port 4
Nov 30 03:14:09 ib-leaf2 smd[881]: Bad P_Key trap received from LID 17 port 4
Nov 30 03:14:27 ib-leaf2 smd[881]: Bad P_Key trap received from LID 17 port 4
"""
[[test]]
fires = 0                       # one is a node that joins
logs."opensm.log" = """
Nov 30 03:14:08 512345 [9A3C5700] 0x01 -> log_trap_info: Received Generic Notice type:2 num:257 (Bad P_Key) Producer:1 (Channel Adapter) from LID:17 TID:0x0000000000000a12
Nov 30 03:14:08 512345 [9A3C5700] 0x02 -> log_notice: Reporting Generic Notice type:2 num:257 (Bad P_Key) from LID:17 GID:fe80::946d:ae03:e1:a2b4
"""
[[test]]
fires = 0                       # other traps
logs."opensm.log" = """
Nov 30 03:14:08 512345 [9A3C5700] 0x01 -> log_trap_info: Received Generic Notice type:4 num:144 (Capability Mask, NodeDescription, Link [Width|Speed] Enabled, SM priority changed) Producer:1 (Channel Adapter) from LID:17 TID:0x0000000000000a12
Nov 30 03:14:09 512345 [9A3C5700] 0x01 -> log_trap_info: Received Generic Notice type:4 num:144 (Capability Mask, NodeDescription, Link [Width|Speed] Enabled, SM priority changed) Producer:1 (Channel Adapter) from LID:17 TID:0x0000000000000a13
Nov 30 03:14:10 512345 [9A3C5700] 0x01 -> log_trap_info: Received Generic Notice type:4 num:144 (Capability Mask, NodeDescription, Link [Width|Speed] Enabled, SM priority changed) Producer:1 (Channel Adapter) from LID:17 TID:0x0000000000000a14
"""
*/
WITH word AS (
  SELECT attempt, regexp_extract(text, '([PMQ]_?Key)', 1) AS key, lid, port, ts, file_id, line, part FROM fabric_trap WHERE num BETWEEN 256 AND 259 AND message LIKE '%Received Generic%'
  UNION ALL SELECT attempt, replace(replace(key, '-', '_'), 'pkey', 'P_Key'), lid, port, ts, file_id, line, part FROM fabric_bad_key)
SELECT attempt, CASE WHEN lid IS NOT NULL THEN [printf('lid %d%s', lid, coalesce(printf(' port %d', port), ''))] ELSE [] END AS devices, min(ts) AS began,
       printf('%d packets with a wrong %s were refused%s', count(*), min(key), coalesce(printf(', as lid %d tells', lid), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   word
GROUP  BY attempt, lid, port, key
HAVING count(*) >= 3
