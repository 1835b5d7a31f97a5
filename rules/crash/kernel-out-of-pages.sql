/*
title    = "The kernel of a host had no contiguous memory to give"
kind     = "crash.oom_host"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["config.env", "crash.*", "hang.*", "launcher.*", "net.*", "desync.rank_behind"]
needs    = ["kernel_memory"]
explanation = """
An allocation of several neighbouring pages failed in the kernel, and on the same host a process could not register memory or create a queue in the same minutes. The host may have free
memory: it is in pieces, mostly of page cache, and drivers need it in one. Without such a process the line is only worth knowing: drivers retry with smaller pieces.
"""
advice = """
On the host named: `echo 3 > /proc/sys/vm/drop_caches; echo 1 > /proc/sys/vm/compact_memory` before the next start, and raise `vm.min_free_kbytes` (some GiB on a host of a TiB).
`cat /proc/buddyinfo` shows what is left in one piece; look for what fills the page cache (checkpoints, datasets) and limit it.
"""
false_positives = "Order 0 from an interrupt (GFP_ATOMIC) is a packet that was dropped for want of a page at a burst, and is left out."
references = ["Linux: mm/page_alloc.c, warn_alloc"]
[[test]]
fires = 1
expect = { hosts = ["node2"], role = "cause" }
logs."node2/kern.log" = '''
2026-11-30T03:13:50.000000+00:00 node2 kernel: python3: page allocation failure: order:5, mode:0x40cc0(GFP_KERNEL|__GFP_COMP), nodemask=(null),cpuset=/,mems_allowed=0-1
'''
logs."nccl.log" = '''
[2026-11-30 03:13:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:13:51] node2:10:20 [0] misc/ibvwrap.cc:115 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory
'''
[[test]]
fires = 1                        # nothing else failed
expect = { hosts = ["node2"], role = "context", severity = "info" }
logs."node2/kern.log" = '''
2026-11-30T03:13:50.000000+00:00 node2 kernel: kworker/12:1: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL|__GFP_COMP), nodemask=(null),cpuset=/,mems_allowed=0-1
'''
[[test]]
fires = 0                        # a packet of a burst
logs."node2/kern.log" = '''
2026-11-30T03:13:50.000000+00:00 node2 kernel: swapper/3: page allocation failure: order:0, mode:0x820(GFP_ATOMIC), nodemask=(null),cpuset=/,mems_allowed=0-1
'''
[[test]]
fires = 0                        # the day before
logs."node2/kern.log" = '''
2026-11-29T03:13:50.000000+00:00 node2 kernel: python3: page allocation failure: order:5, mode:0x40cc0(GFP_KERNEL|__GFP_COMP), nodemask=(null),cpuset=/,mems_allowed=0-1
'''
logs."nccl.log" = '''
[2026-11-30 03:13:00] node1:10:20 [0] init.cc:10 NCCL WARN something
[2026-11-30 03:13:51] node2:10:20 [0] misc/ibvwrap.cc:115 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory
'''
*/
WITH refused AS (
  SELECT attempt, host, ts, file_id, line, part FROM nccl_net_ib_verbs_failed
  WHERE  host IS NOT NULL AND (regexp_matches(error, '(?i)cannot allocate') OR errno = 12)
  UNION ALL
  SELECT attempt, host, ts, file_id, line, part FROM host_alloc_failed WHERE host IS NOT NULL),
short AS (
  SELECT h.attempt, p.host, h.began, p.page_order, p.process, p.file_id, p.line, p.part,
         -- a driver asks again for some minutes before its caller gives up
         (SELECT min({'file_id': r.file_id, 'line': r.line, 'part': r.part}) FROM refused r
          WHERE r.attempt = h.attempt AND r.host = p.host AND r.ts BETWEEN h.began - INTERVAL 120 SECOND AND h.began + INTERVAL 300 SECOND) AS refused
  FROM   kernel_page_allocation_failure p
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit AND h.sure AND p.host IS NOT NULL AND p.page_order > 0)
SELECT attempt, [host] AS hosts, min(began) AS began,
       CASE WHEN count(refused) > 0 THEN 'high' ELSE 'info' END AS severity, CASE WHEN count(refused) > 0 THEN 'cause' ELSE 'context' END AS role,
       printf('%s: the kernel found no %d KiB in one piece for %s', host, 4 * max(2 ** page_order)::BIGINT, min(process)) || coalesce(strftime(min(began), ' at %H:%M:%S'), '')
       || CASE WHEN count(refused) > 0 THEN ', and a process of the job was refused memory' ELSE '' END AS summary,
       list_concat(list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part),
                   list(DISTINCT refused ORDER BY refused) FILTER (WHERE refused IS NOT NULL)) AS evidence
FROM   short
GROUP  BY attempt, host
