/*
title    = "The session of a host's processes ended in mid-run"
kind     = "launcher.child_failed"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.watchdog_timeout", "net.socket_error", "crash.signal", "desync.rank_behind"]
needs    = ["remote_start", "launchers"]
explanation = """
The ssh session through which a host's processes had been started was closed while they worked: the host went down, lost its network, or somebody ended the session or its daemon. The processes of that host are gone or without a launcher.
"""
advice = """
On that host: `last -x reboot shutdown`, `journalctl -u sshd`, `dmesg -T` at that time; then its processes' own logs.
"""
false_positives = "A person who closed a terminal from which the job had been started."
references = ["OpenSSH client messages", "pdsh: exit code 255 is ssh's own"]
[[test]]
fires = 1
expect = { hosts = ["gn-44"] }
logs."ds.log" = '''
gn-43: iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
gn-44: Connection to gn-44 closed by remote host.
pdsh@gn-43: gn-44: ssh exited with exit code 255
'''
[[test]]
fires = 1
expect = { hosts = [] }
logs."run.log" = '''
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
client_loop: send disconnect: Broken pipe
'''
[[test]]
fires = 0                       # nothing had begun
logs."ds.log" = "pdsh@gn-43: gn-44: ssh exited with exit code 255"
[[test]]
fires = 0                       # the job had ended well
logs."ds.log" = '''
gn-43: iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
gn-43: training done
pdsh@gn-43: gn-44: ssh exited with exit code 0
'''
*/
WITH said AS (
  SELECT attempt, nodes, ts, file_id, line, part FROM launcher_ssh_dropped
  UNION ALL SELECT attempt, nodes, ts, file_id, line, part FROM launcher_pdsh_exit WHERE exit_code = 255),
placed AS (
  SELECT s.*, CASE WHEN regexp_matches(nodes, '^[0-9.]+$') THEN nodes ELSE regexp_replace(nodes, '\..*$', '') END AS name FROM said s
  WHERE  EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM s.attempt)
  AND    NOT EXISTS (SELECT 1 FROM train_done d WHERE d.attempt IS NOT DISTINCT FROM s.attempt))
SELECT attempt, CASE WHEN count(DISTINCT name) = 1 THEN list(DISTINCT name ORDER BY name) FILTER (WHERE name IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       printf('The session of %s ended while the job worked; these lines do not say why', CASE WHEN count(DISTINCT name) = 1 THEN 'the processes on ' || min(name) ELSE 'some processes' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   placed
GROUP  BY attempt
