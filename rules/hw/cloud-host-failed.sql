/*
title    = "The cloud reports that the machine under a host failed"
kind     = "hw.host_lost.cloud"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hw.reboot", "sched.node_fail", "hang.*", "desync.*", "launcher.*", "net.*", "crash.signal"]
needs    = ["cloud_hosts"]
explanation = '''
The provider's own log says that the physical machine under this instance failed, or that its status check did. The instance was stopped or restarted, and every process of it ended.
'''
advice = '''
Restart the job from the last checkpoint without this instance; report it to the provider if the same machine comes back, and ask for a replacement from another pool.
'''
false_positives = "An instance that is not of the job."
references = ["Google Cloud: host errors; AWS EC2: status checks"]
[[test]]
fires = 1
expect = { hosts = ["a3-mega-7"] }
logs."operations.txt" = '''
2026-05-05T10:00:01.002Z compute.instances.hostError Instance "a3-mega-7" was terminated due to a host error. gce_instance
'''
[[test]]
fires = 1
expect = { hosts = ["i-0ab12cd34ef56"] }
logs."alarms.txt" = '''
ALARM: StatusCheckFailed_System for instance i-0ab12cd34ef56 in us-east-1
'''
[[test]]
fires = 0                        # planned
logs."events.txt" = '''
aws.health: scheduled event instance-retirement for i-0ab12cd34ef56 not before 2026-06-01
'''
[[test]]
fires = 0                        # not of this job
logs."operations.txt" = '''
2026-05-05T10:00:01.002Z compute.instances.hostError Instance "a3-mega-7" was terminated due to a host error. gce_instance
'''
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
'''
*/
SELECT e.attempt, CASE WHEN e.instance IS NOT NULL THEN [e.instance] ELSE [] END AS hosts, min(e.ts) AS began,
       printf('The machine under %s failed%s, says the cloud', coalesce(e.instance, 'an instance'), coalesce(strftime(min(e.ts), ' at %H:%M:%S'), '')) AS summary,
       list({'file_id': e.file_id, 'line': e.line, 'part': e.part} ORDER BY e.file_id, e.line, e.part) AS evidence
FROM   cloud_host_error e
WHERE  NOT EXISTS (SELECT 1 FROM ranks WHERE host IS NOT NULL) OR e.instance IN (SELECT host FROM ranks)
GROUP  BY e.attempt, e.instance
