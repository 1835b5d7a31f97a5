/*
title    = "The watchdog thread itself was stuck"
kind     = "hang.heartbeat"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.signal", "net.socket_error"]
needs    = ["torch"]
explanation = """
Not a slow collective: the host side of this process is blocked inside a CUDA or NCCL call, or by the interpreter lock, so that
not even timeouts are noticed. On a rank without a collective timeout of its own before it, that is a fact about this rank.
"""
advice = """
Take native and Python stacks of this rank (`py-spy dump --native --pid PID`, `gdb -p PID -batch -ex 'thread apply all bt'`) and read `dmesg -T` of its host for Xid and blocked tasks.
A longer TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC only helps where the call is known to be slow.
"""
false_positives = "Ranks that wait for a dead peer inside a CUDA call get stuck alike; then several ranks print it and none is named."
references = ["pytorch: ProcessGroupNCCL::heartbeatMonitor"]
[[test]]
fires = 1
expect = { ranks = [136], confidence = "possible" }
logs."node17.log" = '''
[rank136]:[E ProcessGroupNCCL.cpp:1316] [PG 0 Rank 136] Heartbeat monitor timed out! Process will be terminated after dumping debug info. workMetaList_.size()=1
[rank136]:[F ProcessGroupNCCL.cpp:1169] [PG 0 Rank 136] [PG 0 Rank 136] ProcessGroupNCCL's watchdog got stuck for 600 seconds without making progress in monitoring enqueued collectives. This typically indicates a NCCL/CUDA API hang
'''
[[test]]
fires = 1                       # several at once: who is stuck on whom is open
expect = { ranks = [], role = "symptom" }
logs."train.log" = '''
[rank1]:[F618 14:05:50.384372190 ProcessGroupNCCL.cpp:1169] [PG ID 0 PG GUID 0 Rank 1] [PG ID 0 PG GUID 0 Rank 1] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives.
[rank2]:[F618 14:05:50.384372190 ProcessGroupNCCL.cpp:1169] [PG ID 0 PG GUID 0 Rank 2] [PG ID 0 PG GUID 0 Rank 2] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives.
'''
[[test]]
fires = 0                       # aftermath: the abort after its own timeout hangs
logs."train.log" = '''
[rank1]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
[rank1]:[F618 14:05:50.384372190 ProcessGroupNCCL.cpp:1169] [PG ID 0 PG GUID 0 Rank 1] [PG ID 0 PG GUID 0 Rank 1] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives.
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank5]:[E618 14:05:50.384372190 ProcessGroupNCCL.cpp:1375] [PG ID 0 PG GUID 0 Rank 5] Could not acquire GIL within 300 ms on exit, possible GIL induced hang
'''
*/
WITH alone AS (                  -- after a collective timeout of the same rank it is only the abort that hangs
  SELECT s.*
  FROM   stuck_watchdogs s
  WHERE  NOT EXISTS (SELECT 1 FROM waits w WHERE w.attempt IS NOT DISTINCT FROM s.attempt AND w.rank IS NOT DISTINCT FROM s.rank)),
counted AS (
  SELECT attempt, count(DISTINCT rank) AS several, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
         list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, min(began) AS began, max(seconds) AS seconds,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   alone
  GROUP  BY attempt)
SELECT attempt, CASE WHEN several = 1 THEN ranks ELSE [] END AS ranks, CASE WHEN several = 1 THEN coalesce(hosts, []) ELSE [] END AS hosts,
       began, evidence, CASE WHEN several = 1 THEN 'cause' ELSE 'symptom' END AS role,
       CASE WHEN several = 1 THEN printf('The watchdog thread of rank %d made no progress%s: its process was blocked in a CUDA or NCCL call or by the interpreter lock',
                                         ranks[1], coalesce(printf(' for %d s', seconds), ''))
            ELSE printf('The watchdog threads of %d ranks made no progress%s; which of them waited for another is not shown',
                        several, coalesce(printf(' for %d s', seconds), '')) END AS summary
FROM   counted
