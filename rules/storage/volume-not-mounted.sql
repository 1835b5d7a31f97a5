/*
title    = "A volume could not be mounted, so a pod does not start"
kind     = "storage.stall.mount"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hang.init", "launcher.*", "sched.gang"]
needs    = ["kubernetes"]
explanation = '''
Kubernetes tries again and again to mount or attach a volume of this pod. Until it succeeds its containers do not start, and the rest of the job waits for it.
'''
advice = '''
`kubectl describe pod POD` for the reason, then on the node named: mount it by hand (`mount -v -t nfs SERVER:/PATH /mnt`), `showmount -e SERVER`, `rpcinfo -p SERVER`; for attached disks which node still holds it (`kubectl get volumeattachment`).
'''
false_positives = "A few tries in the first minutes while a volume is still made: only what repeats counts."
references = ["Kubernetes: kubelet volume manager events"]
[[test]]
fires = 1
logs."describe.txt" = '''
  Warning  FailedMount  3m (x9 over 20m)     kubelet            MountVolume.SetUp failed for volume "data" : mount failed: exit status 32
'''
[[test]]
fires = 1
logs."events.txt" = '''
12m         Warning   FailedAttachVolume   pod/train-3   Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can't be attached to another
8m          Warning   FailedMount          pod/train-3   Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data]: timed out waiting for the condition
3m          Warning   FailedMount          pod/train-3   Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data]: timed out waiting for the condition
'''
[[test]]
fires = 1                        # a round of two minutes that ended in nothing
logs."events.txt" = '''
12m         Warning   FailedMount   pod/train-3   MountVolume.SetUp failed for volume "data" : mount failed: exit status 32 Output: mount.nfs: Connection timed out
3m          Warning   FailedMount   pod/train-3   Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data shm]: timed out waiting for the condition
'''
[[test]]
fires = 0                        # once
logs."events.txt" = '''
12m         Warning   FailedMount   pod/train-3   MountVolume.SetUp failed for volume "cfg" : configmap "cfg" not found
'''
[[test]]
fires = 0                        # it started after all
logs."describe.txt" = '''
  Warning  FailedMount  9m (x3 over 10m)     kubelet            MountVolume.SetUp failed for volume "data" : mount failed: exit status 32
  Normal   Started      8m                   kubelet            Started container main
'''
*/
WITH tried AS (
  SELECT attempt, file_id, line, part, ts, object, text, coalesce(TRY_CAST(regexp_extract(age, '\(x(\d+) over', 1) AS INTEGER), 1) AS times FROM k8s_event
  WHERE  reason IN ('FailedMount', 'FailedAttachVolume'))
SELECT attempt, min(ts) AS began, printf('A volume%s cannot be mounted%s', coalesce(' of pod ' || min(object), ''), coalesce(': ' || nullif(min({'o': length(regexp_extract(text, '(?i)(No route to host|access denied|permission denied|Connection timed out|Connection refused|Multi-Attach error|not found)', 1)) = 0,
                'w': coalesce(nullif(regexp_extract(text, '(?i)(No route to host|access denied|permission denied|Connection timed out|Connection refused|Multi-Attach error|not found)', 1), ''), regexp_extract(text, '(mount failed|timed out waiting)', 1))}).w, ''), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   tried t
WHERE  NOT EXISTS (SELECT 1 FROM k8s_event s WHERE s.file_id = t.file_id AND s.reason = 'Started' AND s.line > t.line AND s.object IS NOT DISTINCT FROM t.object)
GROUP  BY attempt
-- the kubelet gives up on one round after two minutes, so a round that timed out counts like several tries
HAVING sum(times) >= 3 OR (sum(times) >= 2 AND bool_or(text LIKE '%timed out waiting for the condition%'))
