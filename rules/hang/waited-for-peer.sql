/*
title    = "Ranks waited for a peer until their timeout"
kind     = "hang.watchdog_timeout"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["torch_gloo"]
explanation = """
gloo has no watchdog: an operation that waits for a peer ends with this exception after the group's timeout. These ranks did arrive; whom they
waited for is not in the line.
"""
advice = """
Fetch the logs of every rank and find the one whose last line is oldest; take `py-spy dump --pid PID` of all ranks before killing the job.
"""
false_positives = "A deliberate long phase of one rank with a short timeout."
references = ["gloo transport/tcp/unbound_buffer.cc"]
[[test]]
fires = 1                       # the barrier's victims alone
logs."rank5.log" = "[E ProcessGroupGloo.cpp:138] Rank 5 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank."
[[test]]
fires = 1
expect = { ranks = [0, 3] }
logs."train.log" = '''
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
[rank3]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
'''
[[test]]
fires = 1
logs."train.log" = '''
RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for send operation to complete
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335. This is typically caused by a remote worker crashing.
'''
[[test]]
fires = 0
logs."train.log" = "waiting for data"
*/
WITH word AS (
  SELECT attempt, rank, ts, timeout_ms, file_id, line, part FROM torch_gloo_timeout
  UNION ALL      -- ranks that were at a monitored barrier; who was not, the first rank says
  SELECT attempt, rank, ts, NULL, file_id, line, part FROM torch_monitored_barrier_reached)
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts - to_milliseconds(timeout_ms)) AS began, max(ts) AS ended,
       CASE WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks', count(DISTINCT rank)) WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d', min(rank)) ELSE 'A process' END
         || coalesce(printf(' waited %.0f s for a peer', max(timeout_ms) / 1000.0), ' came to a barrier that others did not pass') || ' and gave up; these lines do not show who was late' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   word
GROUP  BY attempt
