/*
title    = "nvidia-smi cannot read a GPU"
kind     = "hw.gpu_lost"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "desync.*", "crash.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["nvidia_smi", "nvidia_smi_lines", "nvidia_smi_text"]
explanation = """
A GPU that answers polls with errors in most columns, or whose handle cannot be got, has left the bus or hangs. One unreadable column
(a fan, a sensor) is no fault, and when all GPUs of a host fail at once the driver or the tool is the problem.
"""
advice = """
Read `dmesg -T | grep NVRM` of the host for Xid 79 or 119 at the time of the first unreadable poll.
Drain and power-cycle the host.
"""
false_positives = "A GPU in reset, or one taken from a container by a daemon reload (then NVML fails as a whole)."
references = ["nvidia-smi: GPU is lost, Unknown Error"]
[[test]]
fires = 1
expect = { gpus = ["0000:c4:00"], confidence = "likely" }
logs."nvidia-smi.txt" = '''
Unable to determine the device handle for GPU0000:C4:00.0: Unknown Error
'''
[[test]]
fires = 1
expect = { gpus = ["0000:c4:00"], confidence = "certain" }
logs."nvidia-smi.txt" = '''
Unable to determine the device handle for GPU 0000:C4:00.0: GPU is lost.  Reboot the system to recover this GPU
'''
[[test]]
fires = 0                       # a fan that does not say its speed
logs."smi.csv" = '''
timestamp, index, temperature.gpu, fan.speed [%], power.draw [W], utilization.gpu [%], memory.used [MiB]
2025/05/01 12:00:00.000, 0, 40, [Unknown Error], 70.10 W, 0 %, 10 MiB
2025/05/01 12:00:00.000, 1, 41, [Unknown Error], 70.20 W, 0 %, 10 MiB
'''
[[test]]
fires = 0
logs."nvidia-smi.txt" = '''
Failed to initialize NVML: Unknown Error
'''
*/
WITH line AS (                   -- half of the columns: a single sensor may be missing by design
  SELECT f.file_id, f.line, f.part, f.host, f.gpu, f.value,
         regexp_replace(regexp_replace(lower(f.bdf), '\.[0-9a-f]$', ''), '^[0-9a-f]{4}([0-9a-f]{4}:)', '\1') AS bdf,
         h.attempt, h.sure, h.began, h.ts
  FROM   gpu_fault f
  JOIN   host_events h USING (file_id, line, part)
  JOIN   events e USING (file_id, line, part)
  WHERE  h.hit AND (f.field = 'device handle' OR (TRY_CAST(e.fields['cells'] AS INTEGER) >= 3 AND 2 * TRY_CAST(e.fields['cells'] AS INTEGER) >= coalesce(TRY_CAST(e.fields['columns'] AS INTEGER), 0)))),
named AS (
  SELECT l.* EXCLUDE (gpu), coalesce(l.gpu, g.gpu) AS gpu, coalesce(l.bdf, i.bdf) AS address, coalesce(g.ranks, i.ranks) AS ranks,
         coalesce(l.bdf, CAST(l.gpu AS VARCHAR), '?') AS who
  FROM   line l
  LEFT   JOIN gpu_places g ON g.bdf = l.bdf AND g.host IS NOT DISTINCT FROM l.host
  LEFT   JOIN gpu_places i ON l.bdf IS NULL AND i.gpu = l.gpu AND i.host IS NOT DISTINCT FROM l.host),
host_of AS (
  SELECT n.host, count(DISTINCT n.who) AS bad, max(p.n) AS n
  FROM   named n
  LEFT   JOIN (SELECT host, count(*) AS n FROM gpu_places GROUP BY host) p ON p.host IS NOT DISTINCT FROM n.host
  GROUP  BY n.host)
SELECT attempt, list(DISTINCT n.host ORDER BY n.host) FILTER (WHERE n.host IS NOT NULL) AS hosts,
       list_distinct(flatten(list(ranks ORDER BY file_id, line) FILTER (WHERE ranks IS NOT NULL AND (h.bad = 1 OR h.bad < h.n)))) AS ranks,
       CASE WHEN min(h.bad) = 1 OR min(h.bad) < min(h.n)
            THEN list_distinct(list_filter(flatten(list([n.host || ':' || gpu, address, CASE WHEN n.host IS NULL AND address IS NULL THEN 'GPU ' || gpu END] ORDER BY file_id, line)),
                                           lambda x: x IS NOT NULL)) END AS gpus,
       CASE WHEN bool_or(value LIKE '%is lost%') AND bool_or(sure) THEN 'certain' WHEN min(h.bad) = 1 OR min(h.bad) < min(h.n) THEN 'likely' ELSE 'possible' END AS confidence,
       min(began) AS began,
       CASE WHEN min(h.bad) = 1 OR min(h.bad) < min(h.n)
            THEN printf('GPU %s%s cannot be read%s: nvidia-smi says %s', coalesce(min(address), CAST(min(gpu) AS VARCHAR), '?'), coalesce(' of ' || min(n.host), ''),
                        coalesce(strftime(min(began), ' since %H:%M:%S'), ''), min(regexp_replace(value, '[\[\]]', '', 'g')))
            ELSE printf('%s: no GPU can be read: the driver or the tool rather than one GPU', coalesce(min(n.host), 'One host')) END AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named n
JOIN   host_of h ON h.host IS NOT DISTINCT FROM n.host
GROUP  BY attempt, n.host, CASE WHEN h.bad = 1 OR h.bad < h.n THEN who END
