/*
title    = "The launcher could not start its processes on a host"
kind     = "launcher.child_failed.not_started"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["launcher.*", "hang.init", "hang.watchdog_timeout", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["remote_start", "launchers", "launchers_mpi"]
explanation = """
ssh, or the daemon that MPI starts through it, failed on the way to this host: its key is not known, the login is refused, the name does not resolve, nobody listens on the
port, or the daemon's program is not there. The processes of that host never began; those that did begin wait for them.
"""
advice = """
From the host that launches, as the same user: `ssh -o BatchMode=yes HOST true` must succeed without a question (ssh-keyscan HOST >> ~/.ssh/known_hosts; the public key in its authorized_keys); for `orted: command not found`, `mpirun --prefix` or the same path on every host.
"""
false_positives = "A launcher that tries again and then gets through: work seen later keeps it silent."
references = ["OpenSSH client messages", "pdsh: exit code 255 is ssh's own", "Open MPI: plm/rsh"]
[[test]]
fires = 1
expect = { hosts = ["gnode2"] }
logs."ds.log" = '''
gnode2: Host key verification failed.
pdsh@gnode1: gnode2: ssh exited with exit code 255
'''
[[test]]
fires = 1
expect = { hosts = ["gn-44"] }
logs."mpirun.err" = '''
ssh: connect to host gn-44 port 22: No route to host
--------------------------------------------------------------------------
ORTE was unable to reliably start one or more daemons.
'''
[[test]]
fires = 0                       # the exit code of the program, not of ssh
logs."ds.log" = "pdsh@gnode1: gnode2: ssh exited with exit code 1"
[[test]]
fires = 0                       # work went on before it: a session that ended
logs."ds.log" = '''
gnode1: iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
pdsh@gnode1: gnode2: ssh exited with exit code 255
'''
*/
WITH said AS (
  SELECT attempt, regexp_replace(nodes, '\..*$', '') AS name, nodes, reason, ts, file_id, line, part FROM launcher_ssh_failed
  UNION ALL SELECT attempt, regexp_replace(nodes, '\..*$', ''), nodes, 'ssh failed', ts, file_id, line, part FROM launcher_pdsh_exit WHERE exit_code = 255
  UNION ALL SELECT attempt, NULL, NULL, 'MPI could not start its daemon', ts, file_id, line, part FROM launcher_mpi_daemon_lost
  WHERE  nodes IS NULL AND regexp_matches(what, 'failed after launch|unable to reliably start')),
placed AS (      -- an address is not cut at its dots
  SELECT s.* REPLACE (CASE WHEN regexp_matches(nodes, '^[0-9.]+$') THEN nodes ELSE name END AS name) FROM said s
  WHERE  NOT EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM s.attempt))
SELECT attempt, list(DISTINCT name ORDER BY name) FILTER (WHERE name IS NOT NULL) AS hosts, min(ts) AS began,
       printf('The launcher could not start its processes on %s: %s', coalesce(string_agg(DISTINCT name, ', ' ORDER BY name), 'a host'),
              coalesce(min(lower(left(reason, 1)) || substr(reason, 2)) FILTER (WHERE reason NOT IN ('ssh failed', 'MPI could not start its daemon')), min(reason))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   placed
GROUP  BY attempt
