/*
title    = "One host fell silent while the others lost their peers"
kind     = "hw.host_lost"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "net.*", "desync.rank_behind", "crash.signal"]
needs    = ["torch", "torch_gloo"]
explanation = """
Every rank elsewhere complains of lost or late peers, and no rank of this host says anything from before the first complaint on: no exception, no exit.
The host is gone, frozen or cut off; nothing here says which.
"""
advice = """
Is the host up? `ping`, its console and BMC log, the scheduler's node state; then `last -x reboot` and `dmesg -T` on it.
"""
false_positives = "A host whose log was copied before the end of the job."
references = ["failure analysis: a host silent while others go on"]
[[test]]
fires = 1
expect = { hosts = ["n7"] }
logs."n7.log" = '''
[rank0]: world size 4
n7:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
n7:11:21 [1] NCCL INFO comm 0x5502 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
'''
logs."n8.log" = '''
n8:10:20 [0] NCCL INFO comm 0x5501 rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
n8:11:21 [1] NCCL INFO comm 0x5502 rank 3 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
[rank2]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Read error [10.0.0.7]:19335: Connection reset by peer. This is typically
[rank3]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Read error [10.0.0.7]:19335: Connection reset by peer. This is typically
'''
[[test]]
fires = 1
expect = { hosts = ["n1"] }
logs."n1.log" = '''
[2026-11-30 03:13:52] n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 3 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
'''
logs."n2.log" = '''
[2026-11-30 03:13:52] n2:10:20 [0] NCCL INFO comm 0x5501 rank 1 nranks 3 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
[rank1]:[E1130 03:33:52.817001520 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
logs."n3.log" = '''
[2026-11-30 03:13:52] n3:10:20 [0] NCCL INFO comm 0x5501 rank 2 nranks 3 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
[rank2]:[E1130 03:33:52.817001520 ProcessGroupNCCL.cpp:607] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
[[test]]
fires = 0                       # it has its say
logs."n7.log" = '''
n7:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
[rank0]: KeyError: 'x'
'''
logs."n8.log" = '''
n8:10:20 [0] NCCL INFO comm 0x5501 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Read error [10.0.0.7]:19335: Connection reset by peer. This is typically
'''
[[test]]
fires = 0                       # its log is not here: missing evidence
logs."n8.log" = '''
n8:10:20 [0] NCCL INFO comm 0x5501 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Read error [10.0.0.7]:19335: Connection reset by peer. This is typically
'''
[[test]]
# Two hosts without logs of ranks that speak: the kernel log of one goes on, that of the other ends with the wait.
fires = 1
expect = { hosts = ["n1"] }
logs."n1.log" = '''
[2026-11-30 03:13:52] n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 3 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
'''
logs."messages-n1" = '''
2026-11-30T03:23:40+00:00 n1 kernel: perf: interrupt took too long (4911 > 4901), lowering kernel.perf_event_max_sample_rate to 40750
'''
logs."n2.log" = '''
[2026-11-30 03:13:52] n2:10:20 [0] NCCL INFO comm 0x5501 rank 1 nranks 3 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
'''
logs."messages-n2" = '''
2026-11-30T03:36:40+00:00 n2 kernel: perf: interrupt took too long (4911 > 4901), lowering kernel.perf_event_max_sample_rate to 40750
'''
logs."n3.log" = '''
[2026-11-30 03:13:52] n3:10:20 [0] NCCL INFO comm 0x5501 rank 2 nranks 3 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
[rank2]:[E1130 03:33:52.817001520 ProcessGroupNCCL.cpp:607] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2647, OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
'''
*/
WITH complaint AS (
  SELECT attempt, host, rank, began, ts, file_id, line, part FROM peer_faults WHERE host IS NOT NULL OR rank IS NOT NULL),
place AS (
  SELECT DISTINCT attempt, rank, host FROM ranks WHERE host IS NOT NULL),
loud AS (
  SELECT DISTINCT c.attempt, coalesce(p.host, c.host) AS host
  FROM   complaint c LEFT JOIN place p ON p.attempt IS NOT DISTINCT FROM c.attempt AND p.rank = c.rank),
spoke AS (                       -- any own word of failure, or a launcher that reports exits there
  SELECT attempt, host FROM own_faults WHERE host IS NOT NULL
  UNION SELECT attempt, host FROM elastic_child_failed WHERE host IS NOT NULL
  UNION SELECT attempt, host FROM elastic_worker_failed WHERE host IS NOT NULL
  -- or of its own adapter, which says why
  UNION SELECT attempt, host FROM nccl_net_ib_async_event WHERE host IS NOT NULL AND event = 'port error'
  UNION SELECT attempt, host FROM nccl_net_ib_async_fatal WHERE host IS NOT NULL),
first_complaint AS (
  SELECT attempt, min(coalesce(began, ts)) AS began,
         -- lines without times were written before the job's last word
         coalesce(min(ts), (SELECT max(s.ended) FROM job_spans s WHERE s.attempt IS NOT DISTINCT FROM complaint.attempt)) AS said, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   complaint
  GROUP  BY attempt),
quiet AS (
  SELECT p.attempt, p.host, count(*) AS ranks_there, list(p.rank ORDER BY p.rank) AS ranks
  FROM   place p
  WHERE  NOT EXISTS (SELECT 1 FROM loud l WHERE l.attempt IS NOT DISTINCT FROM p.attempt AND l.host = p.host)
  AND    NOT EXISTS (SELECT 1 FROM spoke s WHERE s.host = p.host)
  AND    EXISTS (SELECT 1 FROM pieces f WHERE f.host = p.host)
  GROUP  BY p.attempt, p.host),
heard AS (                       -- until when anything at all came from a host
  SELECT host, max(ended) AS last FROM files WHERE host IS NOT NULL GROUP BY host),
counted AS (
  SELECT q.*, count(*) OVER (PARTITION BY q.attempt) AS quiet_hosts,
         -- several are quiet where logs of ranks were not given: one whose kernel log and telemetry end as well, long before, stands out
         h.last < f.said - INTERVAL 5 MINUTE
         AND (SELECT count(*) FROM heard o WHERE o.host <> q.host AND NOT coalesce(o.last >= f.said, false)) = 0
         AND EXISTS (SELECT 1 FROM heard o WHERE o.host <> q.host) AS ended,
         (SELECT count(DISTINCT l.host) FROM loud l WHERE l.attempt IS NOT DISTINCT FROM q.attempt) AS loud_hosts
  FROM   quiet q
  LEFT   JOIN heard h ON h.host = q.host
  LEFT   JOIN first_complaint f ON f.attempt IS NOT DISTINCT FROM q.attempt)
SELECT c.attempt, [c.host] AS hosts, f.began, f.evidence,
       printf('%s fell silent while the ranks of %d other host%s lost their peers or waited; nothing says why', c.host, c.loud_hosts,
              CASE WHEN c.loud_hosts > 1 THEN 's' ELSE '' END) AS summary
FROM   counted c
JOIN   first_complaint f ON f.attempt IS NOT DISTINCT FROM c.attempt
WHERE  (c.quiet_hosts = 1 OR c.ended) AND c.loud_hosts >= 1
