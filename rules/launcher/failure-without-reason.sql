/*
title    = "Something failed, and no line says of what"
kind     = "launcher.child_failed"
severity = "medium"
role     = "symptom"
confidence = "possible"
unless   = ["*"]
needs    = ["torch", "nccl", "python", "ray", "launchers", "kubernetes"]
explanation = """
A line of the job's own software reports an error, nothing after it shows that work went on, and no other check knows what it means. It keeps a failed job from being called a quiet one.
"""
advice = """
Read the line below in its place, with what stands before it; fetch the logs of the other ranks and the kernel log of that host.
"""
false_positives = "An error that the program caught and went on from, where its progress is not printed."
references = ["NCCL, PyTorch, Ray and launchers: lines of severity error"]
[[test]]
fires = 1
logs."nccl.log" = '''
h1:7:80 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.
h1:7:91 [0] misc/ibvwrap.cc:160 NCCL WARN Call to ibv_query_gid failed with error Invalid argument
'''
[[test]]
fires = 1
logs."train.log" = "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details."
[[test]]
fires = 1                       # a complaint that no event knows by its text, and the call that failed with it
logs."nccl.log" = '''
h1:7:91 [0] transport/future.cc:310 NCCL WARN Failed to open the remote descriptor of peer 3
h1:7:91 [0] NCCL INFO transport/future.cc:322 -> 2
h1:7:91 [0] NCCL INFO init.cc:1548 -> 2 [Async thread]
'''
[[test]]
fires = 0                       # it tried, and goes on
logs."nccl.log" = '''
h1:7:91 [0] transport/future.cc:310 NCCL WARN Failed to open the remote descriptor of peer 3
h1:7:91 [0] NCCL INFO transport/future.cc:322 -> 2
h1:7:91 [0] NCCL INFO Connected all rings
'''
[[test]]
fires = 0                       # nothing failed with it
logs."nccl.log" = '''
h1:7:91 [0] transport/future.cc:310 NCCL WARN The descriptor of peer 3 is old
h1:7:91 [0] NCCL INFO Using network IB
'''
[[test]]
fires = 0                       # work goes on after it
logs."train.log" = '''
h1:7:91 [0] misc/ibvwrap.cc:160 NCCL WARN Call to ibv_query_gid failed with error Invalid argument
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 0                       # a warning of the start
logs."train.log" = "[rank8]:[W1014 10:44:10.108898878 ProcessGroupNCCL.cpp:4115] [PG ID 0 PG GUID 0 Rank 8]  using GPU 0 to perform barrier as devices used by this process are currently unknown."
*/
WITH progress AS (
  SELECT file_id, max(line) AS line FROM (
    SELECT file_id, line FROM steps UNION ALL SELECT file_id, line FROM train_done UNION ALL SELECT file_id, line FROM elastic_finished UNION ALL SELECT file_id, line FROM bench_nccl_tests_row)
  GROUP BY file_id),
failed AS (
  SELECT e.attempt, e.kind, e.host, e.rank, e.ts, e.file_id, e.line, e.part
  FROM   events e
  WHERE  e.severity >= 3 AND NOT e.duplicate AND regexp_matches(e.kind, '^(torch|elastic|launcher|nccl|cuda|python|process|ray|dataloader|host\.shm|train|nvidia_smi\.no)')
  AND    NOT regexp_matches(coalesce(e.fields['exception'], ''), 'KeyboardInterrupt|SystemExit|SignalException')
  AND    NOT EXISTS (SELECT 1 FROM progress p WHERE p.file_id = e.file_id AND p.line > e.line)
  AND    NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM e.attempt)
  UNION ALL      -- a warning of NCCL whose text no event knows, with which a call of that process then failed (7: merely in progress)
  SELECT o.attempt, o.kind, o.host, o.rank, o.ts, o.file_id, o.line, o.part
  FROM   nccl_other o
  WHERE  o.severity >= 2
  AND    EXISTS (SELECT 1 FROM nccl_trail t WHERE t.file_id = o.file_id AND t.line > o.line AND t.line <= o.line + 12
                 AND t.host IS NOT DISTINCT FROM o.host AND t.pid IS NOT DISTINCT FROM o.pid AND t.code NOT IN (0, 7))
  AND    NOT EXISTS (SELECT 1 FROM progress p WHERE p.file_id = o.file_id AND p.line > o.line)
  AND    NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM o.attempt)
  AND    NOT EXISTS (SELECT 1 FROM nccl_connected c WHERE c.file_id = o.file_id AND c.line > o.line)
  AND    NOT EXISTS (SELECT 1 FROM nccl_comm_init i WHERE i.file_id = o.file_id AND i.line > o.line AND i.phase = 'COMPLETE'))
SELECT attempt, min(ts) AS began,
       'Something failed' || CASE WHEN count(DISTINCT rank) = 1 THEN printf(' on rank %d', min(rank)) WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) ELSE '' END
         || ', and these lines do not say of what' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   failed
GROUP  BY attempt
