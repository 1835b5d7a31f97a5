/*
title    = "Threads of a JAX or XLA process waited for others that did not come"
kind     = "hang.watchdog_timeout"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["xla_rendezvous"]
explanation = """
XLA drives each GPU of a process by a thread of its own, and they meet before a collective. One of them did not come: it is still in an earlier operation or in NCCL's set-up, where it may itself wait for another process. After a time XLA ends the process.
The rank in the line is the one that did arrive.
"""
advice = """
Run with NCCL_DEBUG=INFO and look for the first WARN of any process; take `py-spy dump --native` of every process at the next stall; look at `dmesg -T` of each host for Xid lines since then.
If a first compilation merely takes long: XLA_FLAGS=--xla_gpu_executable_warn_stuck_timeout_seconds and --xla_gpu_executable_terminate_timeout_seconds.
"""
false_positives = "A log that ends while a first compilation is still running on another thread."
references = ["xla: xla/service/rendezvous.cc"]
[[test]]
fires = 1
expect = { ranks = [] }
logs."jax.err" = '''
E0000 00:00:1718112233.400211   12214 rendezvous.cc:31] This thread has been waiting for `acquire clique for rank 2; run_id=91` for 10 seconds and may be stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on time.
F0000 00:00:1718112273.400984   12214 rendezvous.cc:54] Termination timeout for `acquire clique for rank 2; run_id=91` of 40 seconds exceeded. Exiting to ensure a consistent program state. Expected 8 threads to join the rendezvous, but only 7 of them arrived on time.
Fatal Python error: Aborted
'''
[[test]]
fires = 1                       # it was still waiting when the log ended
logs."jax.err" = '''
E0000 00:00:1718112233.400211   12214 rendezvous.cc:31] This thread has been waiting for `first call to collective operation 1; run_id=91` for 10 seconds and may be stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on time.
'''
[[test]]
fires = 0                       # a slow first step
logs."jax.err" = '''
E0000 00:00:1718112233.400211   12214 rendezvous.cc:31] This thread has been waiting for `first call to collective operation 1; run_id=91` for 10 seconds and may be stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on time.
E0000 00:00:1718112236.102114   12214 rendezvous.cc:42] Thread is unstuck! Warning above was a false-positive. Perhaps the timeout is too short.
'''
[[test]]
fires = 0                       # work goes on
logs."jax.err" = '''
E0000 00:00:1718112233.400211   12214 rendezvous.cc:31] This thread has been waiting for `first call to collective operation 1; run_id=91` for 10 seconds and may be stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on time.
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
'''
*/
WITH later AS (
  SELECT file_id, max(line) AS line FROM (
    SELECT file_id, line FROM xla_rendezvous_unstuck UNION ALL SELECT file_id, line FROM steps UNION ALL SELECT file_id, line FROM train_done)
  GROUP BY file_id),
waited AS (
  SELECT attempt, true AS ended, what, seconds, expected, arrived, joined, ts, file_id, line, part FROM xla_rendezvous_ended
  UNION ALL
  SELECT s.attempt, false, what, coalesce(seconds, ms // 1000), expected, arrived, joined, s.ts, s.file_id, s.line, s.part
  FROM   xla_rendezvous_stuck s LEFT JOIN later l ON l.file_id = s.file_id
  WHERE  l.line IS NULL OR l.line < s.line)
SELECT attempt, min(ts) - to_seconds(max(seconds)) AS began,
       printf('Threads of a process waited %d s for the others of their collective%s%s; these lines do not show which was late', max(seconds),
              CASE WHEN bool_or(joined IS NOT NULL) THEN ', all were there and the leader did not go on' WHEN count(arrived) > 0 THEN printf(' (%d of %d came)', max(arrived), max(expected)) ELSE '' END,
              CASE WHEN bool_or(ended) THEN ' until XLA ended it' ELSE '' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   waited
GROUP  BY attempt
