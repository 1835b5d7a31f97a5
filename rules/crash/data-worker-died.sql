/*
title    = "A DataLoader worker died"
kind     = "crash.signal"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.signal", "crash.python", "net.socket_error", "desync.rank_behind", "config.shm"]
needs    = ["python", "torch"]
explanation = """
The main process of this rank found that one of its data workers is gone. The signal tells the mechanism: Killed, mostly the memory killer;
Bus error, shared memory full; Segmentation fault, a native decoder; Aborted, CUDA or threads in a forked worker.
"""
advice = """
Read `dmesg -T` of the rank's host for that worker's pid (out of memory, segfault); check the size of /dev/shm; reproduce with num_workers=0 or fewer workers.
"""
false_positives = "The frame in the traceback is wherever the signal handler hit and means nothing."
references = ["PyTorch: torch/utils/data/_utils/signal_handling.py"]
[[test]]
fires = 1
expect = { ranks = [2] }
logs."train.log" = '''
[rank2]: RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed.
'''
[[test]]
fires = 1
logs."train.log" = '''
RuntimeError: DataLoader worker (pid(s) 11, 12) exited unexpectedly
'''
[[test]]
fires = 0
logs."train.log" = "UserWarning: This DataLoader will create 16 worker processes in total."
[[test]]
fires = 0
logs."train.log" = '''
[rank2]: RuntimeError: Caught KeyError in DataLoader worker process 0.
'''
*/
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
       CASE WHEN rank IS NOT NULL THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       'A data worker of ' || coalesce(printf('rank %d', rank), 'one process') || coalesce(' was ended by a signal: ' || min(signal), ' exited unexpectedly') AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   dataloader_worker_died
-- a bus error means that shared memory is full, which is another finding
WHERE  coalesce(signal, '') NOT LIKE 'Bus error%'
GROUP  BY attempt, rank
