/*
title    = "A Ray worker process died"
kind     = "crash.signal"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["hang.*", "launcher.*", "crash.python", "net.socket_error", "desync.rank_behind"]
needs    = ["ray"]
explanation = """
Ray noticed that the process of a worker or actor was gone. The address and pid are the dead worker's; tasks that report it only called it. The possible reasons
that Ray lists (memory killer, `ray stop --force`, a segmentation fault) are the same text every time and no diagnosis.
"""
advice = """
Fetch that worker's own files: `ls /tmp/ray/session_latest/logs/*PID*` on the node named, and `raylet.out` there.
Read `dmesg -T` of that node for memory kills, segfaults and Xids of that pid.
"""
false_positives = "Actors that the program or the scheduler took down on purpose; intended exits are left out."
references = ["Ray: worker exit types, RayActorError"]
[[test]]
fires = 1
expect = { hosts = ["10.30.2.17"] }
logs."driver.log" = '''
ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.
	class_name: RayTrainWorker
	pid: 40113
	ip: 10.30.2.17
The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file.
'''
[[test]]
fires = 1
expect = { hosts = ["10.0.0.3"] }
logs."driver.log" = "(raylet) A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker. RayTask ID: ff01 Worker ID: ab12 Node ID: 9f0c Worker IP address: 10.0.0.3 Worker port: 10002 Worker PID: 22920 Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2."
[[test]]
fires = 0                       # on purpose
logs."driver.log" = "The actor is dead because its worker process has died. Worker exit type: INTENDED_USER_EXIT Worker exit detail: Worker exits by an user request."
[[test]]
fires = 0                       # the task failed, its process did not
logs."driver.log" = "ray.exceptions.RayTaskError(ValueError): ray::TrainWorker.run() (pid=22920, ip=10.0.0.3, actor_id=f00d)"
*/
WITH place AS (  -- the lines of details that follow the exception, and nothing between
  SELECT a.file_id, a.line, min(d.ip) AS ip, min(d.dead_pid) AS pid
  FROM   ray_actor_died a
  JOIN   ray_actor_detail d ON d.file_id = a.file_id AND d.line BETWEEN a.line + 1 AND a.line + 8
  GROUP  BY a.file_id, a.line
  HAVING count(DISTINCT d.ip) <= 1),
intended AS (SELECT DISTINCT file_id FROM ray_worker_exit WHERE exit_type LIKE 'INTENDED%'),
died AS (
  SELECT a.attempt, p.ip, p.pid, a.ts, a.file_id, a.line, a.part
  FROM   ray_actor_died a LEFT JOIN place p USING (file_id, line)
  WHERE  a.file_id NOT IN (FROM intended)
  UNION ALL
  SELECT attempt, ip, dead_pid, ts, file_id, line, part FROM ray_worker_died WHERE coalesce(exit_type, '') NOT LIKE 'INTENDED%'
  UNION ALL
  SELECT attempt, NULL, NULL, ts, file_id, line, part FROM ray_worker_exit WHERE exit_type NOT LIKE 'INTENDED%')
SELECT attempt, list(DISTINCT ip ORDER BY ip) FILTER (WHERE ip IS NOT NULL) AS hosts, min(ts) AS began,
       CASE WHEN count(DISTINCT ip) = 1 THEN printf('A Ray worker%s on %s died', CASE WHEN count(DISTINCT pid) = 1 THEN printf(' (pid %d)', min(pid)) ELSE '' END, min(ip))
            WHEN count(DISTINCT ip) > 1 THEN printf('Ray workers died on %d nodes', count(DISTINCT ip))
            ELSE 'A Ray worker died' END || '; its own files must tell of what' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   died
GROUP  BY attempt
