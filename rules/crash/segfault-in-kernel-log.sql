/*
title    = "The kernel saw a process crash"
kind     = "crash.signal"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.signal", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kernel_host"]
explanation = """
A segmentation fault, an illegal instruction or the like in a process of the job, before anything else failed. The library named is where it
happened, not always whose fault it is. Aborts (signal 6) are how watchdogs end waiting ranks and are not counted.
"""
advice = """
Get the native stack: `coredumpctl gdb PID`, or run once under `PYTHONFAULTHANDLER=1`.
Invalid opcode: the binary was built for another CPU. A random place each time: test the host's memory.
"""
false_positives = "Crashes in destructors after an abort, and of other processes; both are told apart by time and pid."
references = ["Linux: arch/x86/mm/fault.c"]
[[test]]
fires = 1
expect = { hosts = ["node2"], ranks = [1] }
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
'''
logs."node2.messages" = '''
Sep 10 04:21:11 node2 kernel: python3[200]: segfault at 0 ip 00007f1a2b3c4d5e sp 00007ffd12345678 error 4 in libnccl.so.2.21.5[7f1a2b000000+9000000]
'''
[[test]]
fires = 1
expect = { hosts = ["node3"], confidence = "likely" }
logs."messages" = '''
May  1 12:00:00 node3 kernel: traps: python3[1234] trap invalid opcode ip:7f0012345678 sp:7ffd12345678 error:0 in libtorch_cpu.so[7f0012300000+195000]
'''
[[test]]
fires = 0                       # minutes after the job broke: an echo
logs."train.log" = '''
[rank0]:[E1127 22:39:58.946529115 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7412, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.
'''
logs."node2.syslog" = '''
2025-11-27T22:40:01.000000+00:00 node2 kernel: python3[300]: segfault at 0 ip 00007f1a2b3c4d5e sp 00007ffd12345678 error 4 in libnccl.so.2.21.5[7f1a2b000000+9000000]
'''
[[test]]
fires = 0                       # aborts
logs."messages" = '''
May  1 12:00:00 node3 kernel: audit: type=1701 audit(1714564800.123:4567): auid=1000 uid=1000 gid=1000 ses=1 pid=1234 comm="python3" exe="/usr/bin/python3.10" sig=6 res=1
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, fields['process'] AS process, TRY_CAST(fields['process_pid'] AS BIGINT) AS pid, fields['lib'] AS lib,
         CASE kind WHEN 'kernel.segfault' THEN 'segmentation fault' WHEN 'kernel.trap' THEN fields['trap'] ELSE 'signal ' || fields['signal'] END AS what
  FROM   events
  WHERE  NOT duplicate AND (kind IN ('kernel.segfault', 'kernel.trap') OR (kind = 'kernel.abnormal_end' AND fields['signal'] IN ('4', '7', '8', '11'))
                            OR (kind = 'host.coredump' AND regexp_matches(fields['signal'], '^(4|7|8|11)\b|SEGV|BUS|ILL|FPE')))),
crash AS (
  SELECT l.*, h.attempt, h.rank, h.began, h.ts, h.place
  FROM   line l
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit AND coalesce(h.after_s, 0) <= 5
  AND    (h.place IN ('alone', 'rank') OR (h.after_s BETWEEN -120 AND 5 AND regexp_matches(lower(l.process), 'python|^pt_|train|torch')))),
several AS (
  SELECT attempt, count(DISTINCT coalesce(host, '') || pid) AS n FROM crash GROUP BY attempt)
SELECT c.attempt, CASE WHEN min(n) <= 2 THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) END AS hosts,
       CASE WHEN min(n) <= 2 THEN list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) END AS ranks,
       CASE WHEN min(n) <= 2 THEN 'likely' ELSE 'possible' END AS confidence, min(began) AS began,
       CASE WHEN min(n) <= 2 THEN printf('%s%s died of a %s%s%s', coalesce(min(host) || ': ', ''), CASE WHEN min(rank) IS NOT NULL THEN printf('rank %d (process %d)', min(rank), min(pid))
                                                                                                      ELSE printf('process %d (%s)', min(pid), min(process)) END,
                                         min(what), coalesce(' in ' || min(lib), ''), coalesce(strftime(min(began), ' at %H:%M:%S'), ''))
            ELSE printf('%d processes crashed%s%s', min(n), coalesce(' in ' || min(lib), ''), coalesce(strftime(min(began), ' from %H:%M:%S'), '')) END AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   crash c
JOIN   several s ON s.attempt = c.attempt
GROUP  BY c.attempt, CASE WHEN n <= 2 THEN coalesce(host, '') || pid END
