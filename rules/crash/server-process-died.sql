/*
title    = "A worker process of an inference server died"
kind     = "crash.signal"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.*", "net.socket_error", "crash.python"]
needs    = ["inference_servers", "launchers"]
explanation = """
The server's front end found one of its worker processes gone, and no exception of that worker is in the input: a process that can still write would have printed one. A signal, often for lack of memory, is the usual end of that kind.
"""
advice = """
`dmesg -T | grep -iE 'oom|segfault|xid'` on that host at that time; the memory limit of the container; the worker's own lines above, if its output went elsewhere.
"""
false_positives = "Workers that the server itself ended after another failure."
references = ["vLLM: multiproc_executor", "text-generation-inference: launcher"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."vllm.log" = "ERROR 08-12 08:45:18 [multiproc_executor.py:140] Worker proc VllmWorker-3 died unexpectedly, shutting down executor."
[[test]]
fires = 1
expect = { ranks = [1] }
logs."tgi.log" = "Shard 1 crashed"
[[test]]
fires = 0                       # it said itself why
logs."vllm.log" = '''
(VllmWorker rank=3 pid=91817) ERROR 06-18 17:40:12 [multiproc_executor.py:522] KeyError: 'model.layers.3.weight'
ERROR 08-12 08:45:18 [multiproc_executor.py:140] Worker proc VllmWorker-3 died unexpectedly, shutting down executor.
'''
[[test]]
fires = 0                       # stopped by the front end
logs."vllm.log" = "ERROR 08-14 10:00:00 multiproc_worker_utils.py:120] Worker VllmWorkerProcess pid 2117 died, exit code: -15"
*/
WITH died AS (
  SELECT v.attempt, coalesce(v.rank, r.rank) AS rank, v.host, v.ts, v.file_id, v.line, v.part FROM launcher_vllm_worker_died v
  LEFT JOIN worker_ranks r ON r.file_id = v.file_id AND r.line = v.line
  UNION ALL
  SELECT s.attempt, coalesce(s.rank, r.rank), s.host, s.ts, s.file_id, s.line, s.part FROM launcher_server_shard_failed s
  LEFT JOIN worker_ranks r ON r.file_id = s.file_id AND r.line = s.line
  UNION ALL
  SELECT p.attempt, coalesce(p.rank, r.rank), p.host, p.ts, p.file_id, p.line, p.part FROM launcher_server_process_died p
  LEFT JOIN worker_ranks r ON r.file_id = p.file_id AND r.line = p.line
  WHERE  p.exit_code IS NULL AND p.signal IS NULL)
SELECT attempt, CASE WHEN count(DISTINCT rank) = 1 THEN list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) ELSE [] END AS ranks, min(ts) AS began,
       CASE WHEN count(DISTINCT rank) = 1 THEN printf('The server''s worker of rank %d', min(rank)) ELSE 'A worker process of the server' END || ' died, and no line of its own says of what' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   died d
WHERE  NOT EXISTS (SELECT 1 FROM own_faults f WHERE f.attempt IS NOT DISTINCT FROM d.attempt)
AND    NOT EXISTS (SELECT 1 FROM launcher_sglang_watchdog w WHERE w.attempt IS NOT DISTINCT FROM d.attempt)
GROUP  BY attempt
