/*
title    = "A DataLoader waited in vain for its workers"
kind     = "data.stall"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["python"]
explanation = """
The DataLoader of a rank has a timeout of its own, and no worker delivered a batch within it: storage, a decoder or a deadlocked worker held the input back. The other ranks wait for this one.
"""
advice = """
Look at storage and CPU of that rank's host at the time, and at the workers with `py-spy dump --pid PID`; rerun with num_workers=0 to see a worker's own error.
"""
false_positives = "A timeout shorter than the slowest ordinary batch."
references = ["torch.utils.data: DataLoader timeout"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = "[rank3]: RuntimeError: DataLoader timed out after 300 seconds"
[[test]]
fires = 1
logs."train.log" = '''
RuntimeError: DataLoader timed out after 120 seconds
[rank2]:[E ProcessGroupNCCL.cpp:563] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=331, OpType=ALLREDUCE, NumelIn=25557032, NumelOut=25557032, Timeout(ms)=600000) ran for 600099 milliseconds before timing out.
'''
[[test]]
fires = 0                       # a worker that was killed
logs."train.log" = "RuntimeError: DataLoader worker (pid 4451) is killed by signal: Killed."
[[test]]
fires = 0
logs."train.log" = "[rank3]: data loader timeout is 300 seconds"
*/
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN rank IS NOT NULL THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts,
       min(ts) - to_milliseconds(CAST(max(seconds) * 1000 AS BIGINT)) AS began,
       coalesce(printf('Rank %d', rank), 'A process') || printf(' got no batch from its data workers for %.0f s', max(seconds)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   dataloader_timeout
GROUP  BY attempt, rank
