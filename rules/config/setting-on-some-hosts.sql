/*
title    = "An NCCL variable is set on some hosts only"
kind     = "config.env"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "desync.collective_mismatch", "desync.rank_behind", "crash.python", "crash.signal"]
needs    = ["nccl_setup", "nccl_comm"]
explanation = """
Algorithm, protocol, number of channels and sizes of buffers are read by every rank when a communicator is made, and echoed where they are set. These hosts echo one; others, whose
debug output shows the same set-up to its end, do not, so there it is not set. Ranks that choose differently hang in the first collective.
"""
advice = """
Set the variable alike on all hosts through the launcher (`mpirun -x`, `srun --export`, the pod's environment) or nowhere; see what sets it on these: /etc/nccl.conf, ~/.nccl.conf, a shell profile, the image.
"""
false_positives = "A value that happens to be what NCCL would have chosen there anyhow; then the hang has another reason."
references = ["NCCL documentation: environment variables", "NCCL source: graph/tuning.cc, init.cc"]
[[test]]
fires = 1
expect = { hosts = ["n3"], confidence = "likely" }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO comm 0x50 rank 0 nranks 3 cudaDev 0 busId 1b000 - Init COMPLETE
n2:10:20 [0] NCCL INFO comm 0x51 rank 1 nranks 3 cudaDev 0 busId 1b000 - Init COMPLETE
n3:10:20 [0] NCCL INFO NCCL_PROTO set by environment to Simple
n3:10:20 [0] NCCL INFO comm 0x52 rank 2 nranks 3 cudaDev 0 busId 1b000 - Init COMPLETE
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 1                       # one of two: neither is the odd one
expect = { hosts = ["n1", "n2"] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO comm 0x50 rank 0 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE
n2:10:20 [0] NCCL INFO NCCL_ALGO set by environment to Tree
n2:10:20 [0] NCCL INFO comm 0x51 rank 1 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 0                       # the other host's log does not reach its set-up
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_DEBUG set by environment to INFO.
n2:10:20 [0] NCCL INFO NCCL_ALGO set by environment to Tree
n2:10:20 [0] NCCL INFO comm 0x51 rank 1 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 0                       # it worked for a while
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO comm 0x50 rank 0 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE
n2:10:20 [0] NCCL INFO NCCL_ALGO set by environment to Tree
n2:10:20 [0] NCCL INFO comm 0x51 rank 1 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE
[rank0]:[E1130 03:23:05.817001520 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=811, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
*/
WITH finished AS (   -- hosts whose debug output shows a set-up to its end
  SELECT DISTINCT attempt, host FROM nccl_comm_init WHERE phase = 'COMPLETE' AND host IS NOT NULL AND nranks > 1),
echo AS (
  SELECT attempt, host, name, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_env
  WHERE  name IN ('NCCL_ALGO', 'NCCL_PROTO', 'NCCL_MIN_NCHANNELS', 'NCCL_MAX_NCHANNELS', 'NCCL_NTHREADS', 'NCCL_BUFFSIZE', 'NCCL_LL_BUFFSIZE', 'NCCL_LL128_BUFFSIZE',
                  'NCCL_MIN_CTAS', 'NCCL_MAX_CTAS', 'NCCL_CROSS_NIC', 'NCCL_NVLS_ENABLE', 'NCCL_COLLNET_ENABLE')
  GROUP  BY attempt, host, name),
early AS (           -- the first collectives of a group did not end, and nothing had worked before
  SELECT attempt FROM waits GROUP BY attempt HAVING max(seq) <= 3
  UNION SELECT attempt FROM nccl_op_size_mismatch),
split AS (
  SELECT f.attempt, e.name, list(DISTINCT f.host ORDER BY f.host) FILTER (WHERE x.host IS NOT NULL) AS with_it,
         list(DISTINCT f.host ORDER BY f.host) FILTER (WHERE x.host IS NULL) AS without
  FROM   finished f
  JOIN   (SELECT DISTINCT attempt, name FROM echo) e ON e.attempt IS NOT DISTINCT FROM f.attempt
  LEFT JOIN echo x ON x.attempt IS NOT DISTINCT FROM f.attempt AND x.host = f.host AND x.name = e.name
  GROUP  BY f.attempt, e.name),
judged AS (
  SELECT *, CASE WHEN len(with_it) < len(without) THEN with_it WHEN len(without) < len(with_it) THEN without ELSE list_sort(list_concat(with_it, without)) END AS odd
  FROM   split
  WHERE  len(with_it) > 0 AND len(without) > 0)
SELECT j.attempt, CASE WHEN len(odd) <= 4 THEN odd ELSE [] END AS hosts, len(with_it) = len(without) AS either, CASE WHEN len(with_it) = len(without) THEN 'possible' ELSE 'likely' END AS confidence,
       printf('%s %s set on %s and not on %s', string_agg(name, ' and ' ORDER BY name), CASE WHEN count(*) > 1 THEN 'are' ELSE 'is' END,
              CASE WHEN len(with_it) <= 2 THEN array_to_string(with_it, ', ') ELSE printf('%d hosts', len(with_it)) END,
              CASE WHEN len(without) <= 2 THEN array_to_string(without, ', ') ELSE printf('%d hosts', len(without)) END) AS summary,
       (SELECT flatten(list(e.evidence ORDER BY e.host, e.name)) FROM echo e WHERE e.attempt IS NOT DISTINCT FROM j.attempt) AS evidence
FROM   judged j
WHERE  j.attempt IN (FROM early) AND j.attempt NOT IN (SELECT attempt FROM work_seen WHERE attempt IS NOT NULL)
GROUP  BY j.attempt, odd, with_it, without
