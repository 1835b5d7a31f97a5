/*
title    = "One GPU idles while the others of its host wait"
kind     = "desync.rank_behind.idle"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["nvidia_smi", "nvidia_smi_text", "dcgm"]
explanation = '''
All other GPUs of this host are fully busy with little power, as kernels are that wait in a collective; this one does nothing. Its process is late, blocked on the host side, or gone.
'''
advice = '''
Find the process of that GPU (`nvidia-smi`, or the rank by its number) and take its stack: `py-spy dump --native --pid PID`; if there is none, read that rank's log and the kernel log for its end.
'''
false_positives = "A GPU that the job does not use."
references = ["nvidia-smi manual: utilization.gpu, power.draw"]
[[test]]
fires = 1
expect = { gpus = ["n1:2"] }
logs."n1/smi.csv" = '''
timestamp, index, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%]
2025/03/04 10:00:00.100, 0, 140.12 W, 1980 MHz, 100 %
2025/03/04 10:00:00.101, 1, 141.12 W, 1980 MHz, 100 %
2025/03/04 10:00:00.102, 2, 88.12 W, 1980 MHz, 0 %
2025/03/04 10:00:00.103, 3, 143.12 W, 1980 MHz, 100 %
2025/03/04 10:01:00.100, 0, 140.12 W, 1980 MHz, 100 %
2025/03/04 10:01:00.101, 1, 141.12 W, 1980 MHz, 100 %
2025/03/04 10:01:00.102, 2, 88.12 W, 1980 MHz, 0 %
2025/03/04 10:01:00.103, 3, 143.12 W, 1980 MHz, 100 %
2025/03/04 10:02:00.100, 0, 140.12 W, 1980 MHz, 100 %
2025/03/04 10:02:00.101, 1, 141.12 W, 1980 MHz, 100 %
2025/03/04 10:02:00.102, 2, 88.12 W, 1980 MHz, 0 %
2025/03/04 10:02:00.103, 3, 143.12 W, 1980 MHz, 100 %
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 0"] }
logs."smi.csv" = '''
index, power.draw [W], power.limit [W], utilization.gpu [%]
0, 88.12 W, 700.00 W, 0 %
1, 141.12 W, 700.00 W, 100 %
2, 138.12 W, 700.00 W, 100 %
0, 88.12 W, 700.00 W, 0 %
1, 141.12 W, 700.00 W, 100 %
2, 138.12 W, 700.00 W, 100 %
0, 88.12 W, 700.00 W, 0 %
1, 141.12 W, 700.00 W, 100 %
2, 138.12 W, 700.00 W, 100 %
'''
[[test]]
fires = 0                        # the others work
logs."smi.csv" = '''
index, power.draw [W], power.limit [W], utilization.gpu [%]
0, 68.12 W, 700.00 W, 0 %
1, 641.12 W, 700.00 W, 100 %
2, 638.12 W, 700.00 W, 100 %
0, 68.12 W, 700.00 W, 0 %
1, 641.12 W, 700.00 W, 100 %
2, 638.12 W, 700.00 W, 100 %
0, 68.12 W, 700.00 W, 0 %
1, 641.12 W, 700.00 W, 100 %
2, 638.12 W, 700.00 W, 100 %
'''
[[test]]
fires = 0                        # one reading
logs."smi.csv" = '''
index, power.draw [W], power.limit [W], utilization.gpu [%]
0, 88.12 W, 700.00 W, 0 %
1, 141.12 W, 700.00 W, 100 %
2, 138.12 W, 700.00 W, 100 %
'''
*/
-- The test: three readings or more, all others at 95 % and more with under 260 W (and under 0.45 of their limit), this one at 5 % and less, in every reading.
WITH gpu AS (
  SELECT p.attempt, s.file_id, p.host, p.name, p.who, p.ranks, count(*) AS n, min(s.busy_percent) AS least, max(s.busy_percent) AS most, max(s.power_w) AS power, max(s.limit_w) AS limit_w,
         min(s.ts) AS began, min(s.line) AS line, min({'l': s.line, 'p': s.part}).p AS part
  FROM   gpu_samples s
  JOIN   gpu_places p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host AND p.gpu IS NOT DISTINCT FROM s.gpu
                     AND p.device IS NOT DISTINCT FROM s.device
  WHERE  s.busy_percent IS NOT NULL AND s.power_w > 0
  GROUP  BY ALL),
board AS (
  SELECT file_id, host, count(*) AS gpus, count(*) FILTER (WHERE most <= 5) AS idle,
         count(*) FILTER (WHERE least >= 95 AND power < 260 AND power < 0.45 * coalesce(limit_w, 700)) AS waiting, min(n) AS readings
  FROM   gpu
  GROUP  BY file_id, host)
SELECT g.attempt, [g.host] AS hosts, [g.name] AS gpus, g.ranks, g.began,
       printf('GPU %s does nothing while the %d others of its host wait at full load and little power', g.who, b.waiting) AS summary,
       [{'file_id': g.file_id, 'line': g.line, 'part': g.part}] AS evidence
FROM   gpu g
JOIN   board b ON b.file_id = g.file_id AND b.host IS NOT DISTINCT FROM g.host
WHERE  g.most <= 5 AND b.idle = 1 AND b.waiting = b.gpus - 1 AND b.gpus >= 3 AND b.readings >= 3
-- ranks' own words tell more
AND    NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)
