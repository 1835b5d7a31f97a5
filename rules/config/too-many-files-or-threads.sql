/*
title    = "A limit of open files or threads was reached"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.python", "crash.signal", "desync.rank_behind", "data.stall"]
needs    = ["nccl_system", "traceback"]
explanation = """
A process could not open another file or socket, or start another thread: the limits of its user, service or container are too low for this number of ranks
and data workers. Which process meets the limit first is chance.
"""
advice = """
In the launch path of the host named: `ulimit -n` and `ulimit -u`, `cat /sys/fs/cgroup/pids.max`; raise them (LimitNOFILE, TasksMax, `--ulimit nofile=1048576`, `--pids-limit`), or use fewer data workers.
"""
false_positives = "A leak of file handles in the program, which a higher limit only delays."
references = ["errno 24 EMFILE, errno 11 EAGAIN"]
[[test]]
fires = 1                       # a native library
logs."tf.log" = "2023-02-14 17:31:55.601121: F tensorflow/core/platform/default/env.cc:73] Check failed: ret == 0 (11 vs. 0)Thread creation via pthread_create() failed."
[[test]]
fires = 1
expect = { hosts = ["n1"] }
logs."nccl.log" = "n1:10:20 [0] misc/socket.cc:340 NCCL WARN Net : Call to socket failed: Too many open files"
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
[rank3]: OSError: [Errno 24] Too many open files: '/data/shard-00017.tar'
'''
[[test]]
fires = 1
logs."train.log" = '''
[rank1]: RuntimeError: can't start new thread
'''
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] misc/socket.cc:28 NCCL WARN Net : Call to bind failed: Cannot assign requested address"
[[test]]
fires = 0
logs."train.log" = '''
[rank3]: OSError: [Errno 28] No space left on device: '/data/shard-00017.tar'
'''
*/
WITH reached AS (
  SELECT attempt, host, rank, 'processes and threads' AS what, ts, file_id, line, part FROM process_limit WHERE coalesce(reason, '') NOT LIKE 'Cannot allocate%'
  UNION ALL
  SELECT attempt, host, rank, 'open files' AS what, ts, file_id, line, part FROM nccl_syscall_failed WHERE error LIKE 'Too many open files%'
  UNION ALL
  SELECT attempt, host, rank, 'open files', ts, file_id, line, part FROM nccl_proxy_failed WHERE error LIKE 'Too many open files%'
  UNION ALL
  SELECT attempt, host, rank, CASE WHEN text LIKE '%Too many open files%' THEN 'open files' ELSE 'processes and threads' END, ts, file_id, line, part
  FROM   python_exception
  WHERE  text LIKE '%Too many open files%' OR regexp_matches(text, 'can''t start new thread|\[Errno 11\] Resource temporarily unavailable'))
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts) AS began,
       printf('%s reached the limit of %s',
              CASE WHEN count(DISTINCT host) BETWEEN 1 AND 3 THEN string_agg(DISTINCT host, ', ' ORDER BY host) WHEN count(DISTINCT host) > 3 THEN printf('%d hosts', count(DISTINCT host))
                   WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d', min(rank)) WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks', count(DISTINCT rank)) ELSE 'A process' END, min(what)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   reached
GROUP  BY attempt
