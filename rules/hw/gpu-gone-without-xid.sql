/*
title    = "The driver cannot reach a GPU"
kind     = "hw.gpu_lost"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hw.gpu_lost", "hw.xid", "hw.pcie", "hw.nvlink", "host.*", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kernel_gpu"]
explanation = """
The kernel says that a GPU has fallen off the bus, or that the driver could not start it, without an Xid line of its own: at boot, or
because the Xid was rotated away.
"""
advice = """
Power-cycle the host; check `lspci | grep -i nvidia` against the expected count, then seat, power and riser of the missing slot.
Drain the host until all GPUs are back.
"""
false_positives = "A GPU that was unbound or handed to a virtual machine on purpose."
references = ["NVIDIA driver: NVRM messages"]
[[test]]
fires = 1
expect = { hosts = ["node3"], gpus = ["0000:18:00"], confidence = "certain" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: [   16.123456] NVRM: The NVIDIA GPU 0000:18:00.0
May  1 12:00:00 node3 kernel: [   16.123457] NVRM: (PCI ID: 10de:2901) installed in this system has
May  1 12:00:00 node3 kernel: [   16.123458] NVRM: fallen off the bus and is not responding to commands.
'''
[[test]]
fires = 1                       # said every few seconds by whoever asks
expect = { gpus = ["0000:91:00"] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: GPU 0000:91:00.0: RmInitAdapter failed! (0x22:0x56:751)
May  1 12:00:00 node3 kernel: NVRM: GPU 0000:91:00.0: rm_init_adapter failed, device minor number 3
May  1 12:00:05 node3 kernel: NVRM: GPU 0000:91:00.0: RmInitAdapter failed! (0x22:0x56:751)
'''
[[test]]
fires = 0                       # an Xid says it
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: Xid (PCI:0000:91:00): 79, pid=1234, name=python3, GPU has fallen off the bus.
May  1 12:00:00 node3 kernel: NVRM: GPU 0000:91:00.0: GPU has fallen off the bus.
May  1 12:00:05 node3 kernel: NVRM: GPU 0000:91:00.0: RmInitAdapter failed! (0x22:0x56:751)
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 node3 kernel: NVRM: nvAssertFailedNoLog: Assertion failed: Failed to get address for register 0x9eec @ gpu_timeout.c:511
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, bdf, 'fell off the bus' AS what FROM gpu_fell_off_bus
  UNION ALL
  SELECT file_id, line, part, host, bdf, 'could not be started by its driver' FROM gpu_init_failed WHERE bdf IS NOT NULL),
placed AS (
  SELECT l.* REPLACE (regexp_replace(regexp_replace(lower(l.bdf), '\.[0-9a-f]$', ''), '^[0-9a-f]{4}([0-9a-f]{4}:)', '\1') AS bdf),
         h.attempt, h.certainty, h.began
  FROM   line l
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit),
named AS (
  SELECT p.*, g.gpu, g.ranks
  FROM   placed p
  LEFT   JOIN gpu_addresses g ON g.bdf = p.bdf AND g.host IS NOT DISTINCT FROM p.host)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL))) AS ranks,
       list_filter([min(host || ':' || gpu), bdf], lambda n: n IS NOT NULL) AS gpus,
       min(certainty) AS confidence, min(began) AS began,
       printf('GPU %s%s%s %s%s', coalesce(min(gpu) || ' (', ''), bdf || CASE WHEN min(gpu) IS NULL THEN '' ELSE ')' END, coalesce(' of ' || min(host), ''),
              max(what), coalesce(strftime(min(began), ' at %H:%M:%S'), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named n
WHERE  NOT EXISTS (SELECT 1 FROM xids x WHERE x.bdf = n.bdf AND x.host IS NOT DISTINCT FROM n.host AND x.class = 'hardware' AND x.grade IN ('error', 'fatal'))
GROUP  BY attempt, host, bdf
