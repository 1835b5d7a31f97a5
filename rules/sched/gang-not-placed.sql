/*
title    = "Not all members of the job could be placed"
kind     = "sched.gang"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["launcher.rendezvous", "launcher.store", "hang.init", "net.socket_error", "sched.cancelled"]
needs    = ["kubernetes", "ray", "launchers", "slurm"]
explanation = """
The cluster had no room for all pods or actors at once. Those that started wait for the others until their rendezvous gives up.
"""
advice = """
Look at `kubectl describe podgroup` or `kubectl get events`: which resource is short and who holds it.
Use gang scheduling (all or nothing), or wait for capacity, and give the rendezvous a timeout longer than the queue.
"""
false_positives = "A pod that waits a minute for a node and is then placed: a later start silences this."
references = ["Volcano: PodGroup", "Kubernetes: FailedScheduling", "Ray: resource demands"]
[[test]]
fires = 1
logs."podgroup.txt" = '''
8/8 tasks in gang unschedulable: pod group is not ready, 8 Pending, 8 minAvailable; Pending: 2 Unschedulable, 6 Schedulable. Origin reason is worker-3: 0/4 nodes are unavailable: 4 Insufficient nvidia.com/gpu.
'''
[[test]]
fires = 1
logs."events.txt" = '''
2024-04-21T12:54:41Z   Warning   FailedScheduling   pod/trainer-worker-3   0/4 nodes are available: 4 Insufficient nvidia.com/gpu.
2024-04-21T12:54:42Z   Warning   FailedScheduling   pod/trainer-worker-4   0/4 nodes are available: 4 Insufficient nvidia.com/gpu.
'''
[[test]]
fires = 0                       # placed after all
logs."events.txt" = '''
2024-04-21T12:54:41Z   Warning   FailedScheduling   pod/trainer-worker-3   0/4 nodes are available: 4 Insufficient nvidia.com/gpu.
2024-04-21T12:55:45Z   Normal    Scheduled   pod/trainer-worker-3   Successfully assigned ml/trainer-worker-3 to ip-10-0-186-76
'''
[[test]]
fires = 0
logs."events.txt" = '''
2024-04-21T12:54:46Z   Normal    Started   pod/trainer-worker-3   Started container pytorch
'''
[[test]]
fires = 1
logs."podgroup.txt" = '''
NAME      STATUS    MINMEMBER   RUNNINGS   AGE
trainer   Inqueue   4           3          22m
'''
[[test]]
fires = 0
logs."podgroup.txt" = '''
NAME      STATUS    MINMEMBER   RUNNINGS   AGE
trainer   Running   4           4          22m
'''
*/
WITH line AS (
  SELECT attempt, file_id, line, part, ts, coalesce(member, object) AS object, coalesce(reason, why) AS reason, unschedulable AS missing, total FROM k8s_gang_unschedulable
  UNION ALL
  SELECT attempt, file_id, line, part, ts, object, reason, NULL, NULL FROM k8s_failed_scheduling
  UNION ALL
  SELECT attempt, file_id, line, part, ts, object, printf('%d of %d members of %s run after %s', coalesce(running, 0), min_member, object, age), min_member - coalesce(running, 0), min_member
  FROM   k8s_podgroup
  WHERE  status IN ('Pending', 'Inqueue', 'Unknown') AND coalesce(running, 0) < min_member
  UNION ALL
  SELECT attempt, file_id, line, part, ts, NULL, 'no node fits ' || request, NULL, NULL FROM ray_unschedulable
  UNION ALL
  SELECT attempt, file_id, line, part, ts, NULL, 'there are not enough slots', NULL, NULL FROM launcher_mpi_no_slots),
open AS (
  SELECT l.*
  FROM   line l
  LEFT   JOIN job_ends j ON j.attempt = l.attempt
  WHERE  NOT coalesce(j.completed, false)
  AND    NOT EXISTS (SELECT 1 FROM k8s_event e WHERE e.reason IN ('Scheduled', 'Started') AND (e.object = l.object OR l.object IS NULL) AND (e.ts IS NULL OR l.ts IS NULL OR e.ts >= l.ts))
  AND    NOT EXISTS (SELECT 1 FROM steps s WHERE s.attempt = l.attempt))
SELECT attempt, min(ts) AS began,
       printf('Not all members of the job could be placed%s: %s', coalesce(strftime(min(ts), ' since %H:%M:%S'), ''), regexp_replace(min(reason), '\.$', '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   open
GROUP  BY attempt
