/*
title    = "The clock or time zone of a host differs from the others'"
kind     = "clock.skew"
severity = "info"
role     = "context"
confidence = "likely"
needs    = ["steps", "nccl_comm"]
explanation = """
A step of synchronous training, and the end of a communicator's set-up, are reached by all ranks together, within the time of a step. The times that this host
prints for them differ by more than that from those of the other hosts: its clock is off, or its times are in another zone and do not say so. Its times are
shown corrected, and the order of events between hosts is sure only outside of the error.
"""
advice = """
Check `chronyc tracking` and `timedatectl` on that host; let all hosts log in UTC.
`SELECT * FROM clocks` shows by how much the times of each host were corrected, and with which error.
"""
false_positives = "A pipeline stage that logs its steps a whole step before the others."
references = ["chrony: chronyc tracking", "systemd: timedatectl"]
[[test]]
fires = 1                       # 47 s ahead
expect = { hosts = ["n3"], role = "context" }
logs."n1/train.log" = '''
2026-11-30 10:00:00 step 1 loss 2.1
2026-11-30 10:00:05 step 2 loss 2.1
2026-11-30 10:00:10 step 3 loss 2.1
2026-11-30 10:00:15 step 4 loss 2.1
'''
logs."n2/train.log" = '''
2026-11-30 10:00:00 step 1 loss 2.2
2026-11-30 10:00:05 step 2 loss 2.2
2026-11-30 10:00:10 step 3 loss 2.2
2026-11-30 10:00:15 step 4 loss 2.2
'''
logs."n3/train.log" = '''
2026-11-30 10:00:47 step 1 loss 2.3
2026-11-30 10:00:52 step 2 loss 2.3
2026-11-30 10:00:57 step 3 loss 2.3
2026-11-30 10:01:02 step 4 loss 2.3
'''
[[test]]
fires = 1                       # in local time, eight hours ahead: with two hosts nobody knows which of them
expect = { hosts = ["n1", "n2"] }
logs."n1/train.log" = '''
2026-11-30 10:00:00 step 1 loss 2.1
2026-11-30 10:00:05 step 2 loss 2.1
2026-11-30 10:00:10 step 3 loss 2.1
'''
logs."n2/train.log" = '''
2026-11-30 18:00:00 step 1 loss 2.2
2026-11-30 18:00:05 step 2 loss 2.2
2026-11-30 18:00:10 step 3 loss 2.2
'''
[[test]]
fires = 0                       # within a step
logs."n1/train.log" = '''
2026-11-30 10:00:00 step 1 loss 2.1
2026-11-30 10:00:05 step 2 loss 2.1
2026-11-30 10:00:10 step 3 loss 2.1
'''
logs."n2/train.log" = '''
2026-11-30 10:00:03 step 1 loss 2.2
2026-11-30 10:00:08 step 2 loss 2.2
2026-11-30 10:00:13 step 3 loss 2.2
'''
[[test]]
fires = 0                       # two runs of the same job, of which each host gave another
logs."n1/train.log" = '''
2026-11-30 10:00:00 step 1 loss 2.1
2026-11-30 10:00:05 step 2 loss 2.1
'''
logs."n2/train.log" = '''
2026-11-30 10:20:47 step 1 loss 2.2
2026-11-30 10:20:52 step 2 loss 2.2
'''
*/
WITH off AS (
  SELECT host, zone_us, skew_us, error_us FROM clocks WHERE zone_us <> 0 OR skew_us <> 0),
met AS (
  SELECT host, attempt, file_id, line, part, row_number() OVER (PARTITION BY host ORDER BY file_id, line, part) AS nth FROM meetings),
others AS (
  SELECT count(*) AS hosts, min(host) AS one FROM clocks WHERE zone_us = 0 AND skew_us = 0)
SELECT min(m.attempt) AS attempt, CASE WHEN o.hosts > 1 THEN [f.host] ELSE list_sort([f.host, o.one]) END AS hosts, o.hosts = 1 AS either,
       printf('The times of %s are %s those of %s, as the steps show (within %.1f s); they are shown corrected', f.host,
              concat_ws(' and ', CASE WHEN f.zone_us <> 0 THEN printf('%.4g h %s', abs(f.zone_us) / 3.6e9, CASE WHEN f.zone_us > 0 THEN 'ahead of' ELSE 'behind' END) END,
                                 CASE WHEN f.skew_us <> 0 THEN printf('%.1f s %s', abs(f.skew_us) / 1e6, CASE WHEN f.skew_us > 0 THEN 'ahead of' ELSE 'behind' END) END),
              CASE WHEN o.hosts = 1 THEN o.one ELSE 'the other hosts' END, f.error_us / 1e6) AS summary,
       list({'file_id': m.file_id, 'line': m.line, 'part': m.part} ORDER BY m.file_id, m.line, m.part) AS evidence
FROM   off f
JOIN   met m ON m.host = f.host AND m.nth <= 3
CROSS  JOIN others o
WHERE  o.hosts > 0
GROUP  BY f.host, f.zone_us, f.skew_us, f.error_us, o.hosts, o.one
