/*
title    = "The cloud took the machine under a host away as announced"
kind     = "sched.evicted.cloud"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["net.*", "hang.*", "launcher.*", "crash.signal", "hw.host_lost", "hw.reboot", "sched.node_fail", "sched.cancelled", "desync.*"]
needs    = ["cloud_hosts"]
explanation = '''
The provider announced that this host is stopped, rebooted or moved for work on the machine under it, and the host went down or its peers lost it within the time announced. Nothing in the job failed.
'''
advice = '''
Let the job save a checkpoint on the notice (scheduled events of the provider's metadata service) and drain hosts with an event before they are taken; start again on the rest.
'''
false_positives = "An announcement for later, or one that a move without interruption follows: the host must have gone down or been lost after it."
references = ["Google Cloud: maintenance-event metadata", "AWS EC2 scheduled events", "Azure scheduled events"]
[[test]]
fires = 1
expect = { hosts = ["a3-7"] }
logs."a3-7.syslog" = '''
Jan 15 02:10:00 a3-7 google_guest_agent[1201]: Maintenance event detected: TERMINATE_ON_HOST_MAINTENANCE
Jan 15 02:11:01 a3-7 systemd-logind[811]: Powering off...
'''
[[test]]
fires = 1                        # its peers lost it
expect = { hosts = ["a3-7"] }
logs."a3-7.syslog" = '''
2026-11-30T03:12:50.000000+00:00 a3-7 google_guest_agent[1201]: Maintenance event detected: TERMINATE_ON_HOST_MAINTENANCE
'''
logs."train.log" = '''
[2026-11-30 03:00:00] a3-8:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:14:00] a3-8:10:20 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer a3-7<40112>
'''
[[test]]
fires = 0                        # announced only
logs."a3-7.syslog" = '''
Jan 15 02:10:00 a3-7 google_guest_agent[1201]: Maintenance event detected: TERMINATE_ON_HOST_MAINTENANCE
'''
[[test]]
fires = 0                        # moved, and it went on
logs."a3-7.syslog" = '''
Jan 15 02:10:00 a3-7 google_guest_agent[1201]: Maintenance event detected: MIGRATE_ON_HOST_MAINTENANCE
Jan 15 02:15:00 a3-7 systemd[1]: Started Session 12 of User root.
'''
*/
WITH notice AS (
  SELECT e.attempt, e.file_id, e.line, e.part, e.ts, coalesce(e.instance, e.host) AS host, e.what FROM cloud_host_event e
  WHERE  coalesce(e.instance, e.host) IS NOT NULL AND NOT regexp_matches(lower(e.what), 'migrate|freeze')),
gone AS (
  SELECT n.*, s.ts AS went FROM notice n
  JOIN   host_shutdown s ON s.host = n.host AND coalesce(s.ts BETWEEN n.ts AND n.ts + INTERVAL 30 MINUTE, s.file_id = n.file_id AND s.line > n.line)
  UNION ALL
  SELECT n.*, c.ts FROM notice n
  JOIN   nccl_socket_closed c ON split_part(c.peer_host, '.', 1) = split_part(n.host, '.', 1) AND coalesce(c.ts >= n.ts - INTERVAL 60 SECOND, true))
SELECT coalesce((SELECT max(attempt) FROM attempts), attempt) AS attempt, [split_part(host, '.', 1)] AS hosts, min(ts) AS began,
       printf('The cloud took %s away as it had announced%s (%s)', split_part(host, '.', 1), coalesce(strftime(min(ts), ' at %H:%M:%S'), ''), min(what)) AS summary,
       list(DISTINCT {'file_id': file_id, 'line': line, 'part': part} ORDER BY {'file_id': file_id, 'line': line, 'part': part}) AS evidence
FROM   gone
GROUP  BY attempt, host
