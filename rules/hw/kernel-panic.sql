/*
title    = "The kernel of a host crashed"
kind     = "hw.reboot.panic"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hw.host_lost", "hw.reboot", "host.*", "hang.*", "desync.*", "crash.signal", "net.*", "launcher.*", "sched.node_fail", "sched.cancelled", "storage.stall"]
needs    = ["kernel_host"]
explanation = """
A panic ends every process on the host at once; an oops ends the one that met it and often hangs the rest. Its peers see closed
connections or wait for their timeouts.
"""
advice = """
Keep the host drained; take the crash dump in /var/crash or pstore, and the serial console or BMC log.
Look at the module named in the trace (GPU, network or storage driver) and at memory errors before it.
"""
false_positives = "The last seconds before a panic are often missing from disk; a panic without trace is still a panic."
references = ["Linux: panic, oops"]
[[test]]
fires = 1
expect = { hosts = ["node3"], confidence = "certain" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: [99999.123456] Kernel panic - not syncing: Fatal exception in interrupt
'''
[[test]]
fires = 1
expect = { hosts = ["node3"], confidence = "likely" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: [99999.123456] BUG: unable to handle page fault for address: ffffa1b2c3d4e5f6
May  1 12:00:00 node3 kernel: [99999.223456] Oops: 0002 [#1] SMP NOPTI
'''
[[test]]
fires = 0                       # days before the job
logs."train.log" = '''
[rank0]:[E501 12:00:01.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node3.syslog" = '''
2025-04-28T09:20:00.000000+00:00 node3 kernel: Kernel panic - not syncing: Fatal exception in interrupt
'''
[[test]]
fires = 0                       # a process, not the kernel
logs."messages" = '''
May  1 12:00:00 node3 kernel: traps: python3[1234] general protection fault ip:7f0012345678 sp:7ffd12345678 error:0 in libc.so.6[7f0012300000+195000]
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, 'panicked: ' || reason AS what, 2 AS weight FROM kernel_panic
  UNION ALL
  SELECT file_id, line, part, host, 'met a kernel fault: ' || regexp_extract(what, '^[^:]*(:[^:0-9]*)?'), 1 FROM kernel_oops
  UNION ALL
  SELECT file_id, line, part, host, 'left a crash dump', 0 FROM host_kdump)
SELECT h.attempt, list(DISTINCT l.host ORDER BY l.host) FILTER (WHERE l.host IS NOT NULL) AS hosts,
       list(DISTINCT r.rank ORDER BY r.rank) FILTER (WHERE r.rank IS NOT NULL AND l.weight = 2) AS ranks,
       CASE WHEN max(weight) < 2 AND min(certainty) = 'certain' THEN 'likely' ELSE min(certainty) END AS confidence, min(began) AS began,
       printf('%s %s%s', coalesce(min(l.host), 'A host'), max({'w': weight, 't': rtrim(what, ' .:')}).t, coalesce(strftime(min(began), ' at %H:%M:%S'), '')) AS summary,
       list_distinct(list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part)) AS evidence
FROM   line l
JOIN   host_events h USING (file_id, line, part)
LEFT   JOIN ranks r ON r.attempt = h.attempt AND r.host = l.host
WHERE  h.hit AND (l.weight > 0 OR h.place = 'during')
GROUP  BY h.attempt, l.host
