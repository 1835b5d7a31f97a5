/*
title    = "Memory or CPU of a host met an uncorrectable error"
kind     = "hw.host_mce"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hw.reboot", "host.*", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.node_fail", "sched.cancelled"]
needs    = ["kernel_memory", "kernel_pcie"]
explanation = """
An uncorrected machine check, a UE of a DIMM, or a page that the kernel gave up: the process that used it gets SIGBUS, or the host panics.
"""
advice = """
Drain the host; read `mcelog --client` or `ras-mc-ctl --errors` and the BMC's event log for the slot.
Replace the DIMM or CPU that is named.
"""
false_positives = "Corrected errors (CE) and bare `Machine check events logged` lines are not counted."
references = ["Linux: EDAC, mce, memory-failure"]
[[test]]
fires = 1
expect = { hosts = ["node3"], devices = ["node3/CPU_SrcID#0_MC#0_Chan#1_DIMM#0"] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1 offset:0x0 grain:32)
'''
[[test]]
fires = 1                       # the process that died of it is a rank
expect = { ranks = [1], hosts = ["node2"] }
logs."train.log" = '''
node1:100:100 [0] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 9a000 commId 0xabc - Init COMPLETE
node2:200:200 [0] NCCL INFO ncclCommInitRankConfig comm 0x2 rank 1 nranks 2 cudaDev 0 nvmlDev 3 busId 18000 commId 0xabc - Init COMPLETE
'''
logs."node2.syslog" = '''
2025-11-27T22:29:54.000000+00:00 node2 kernel: Memory failure: 0x1234567: Killing python3:200 due to hardware memory corruption
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 node3 kernel: EDAC skx MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#1_DIMM#0 (channel:1 slot:0 page:0xbecd3f0 offset:0x3e2 grain:32 syndrome:0x0 -  err_code:0x0101:0x0091)
May  1 12:00:00 node3 kernel: mce: [Hardware Error]: Machine check events logged
'''
[[test]]
fires = 0                       # the page was saved
logs."messages" = '''
May  1 12:00:00 node3 kernel: Memory failure: 0x1234567: recovery action for dirty LRU page: Recovered
'''
[[test]]
fires = 1                        # what the firmware kept over the reboot
expect = { devices = ["Card02, ChnB, DIMM0"], hosts = [] }
logs."dmesg.txt" = '''
[    5.211281] BERT: Error records from previous boot:
[    5.211291] [Hardware Error]: event severity: fatal
[    5.211294] [Hardware Error]:  Error 0, type: fatal
[    5.211296] [Hardware Error]:  fru_text: Card02, ChnB, DIMM0
[    5.211299] [Hardware Error]:   section_type: memory error
[    5.211309] [Hardware Error]:   error_type: 3, multi-bit ECC
'''
[[test]]
fires = 0                        # corrected
logs."dmesg.txt" = '''
[ 9105.211281] {3}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4
[ 9105.211291] {3}[Hardware Error]: event severity: corrected
[ 9105.211294] {3}[Hardware Error]:  Error 0, type: corrected
[ 9105.211299] {3}[Hardware Error]:   section_type: memory error
'''
[[test]]
fires = 1                        # a firmware that does not know the slot says so; the card is all it names
expect = { devices = ["P1-DIMMC1"], hosts = [] }
logs."dmesg.txt" = '''
[ 9105.211281] {5}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 0
[ 9105.211291] {5}[Hardware Error]: event severity: recoverable
[ 9105.211294] {5}[Hardware Error]:  Error 0, type: recoverable
[ 9105.211296] {5}[Hardware Error]:  fru_text: P1-DIMMC1
[ 9105.211299] {5}[Hardware Error]:   section_type: memory error
[ 9105.211309] {5}[Hardware Error]:   error_type: 5, multi-bit ECC
[ 9105.211312] {5}[Hardware Error]:   DIMM location: not present. DMI handle: 0x0000
'''
[[test]]
fires = 1
expect = { devices = [], confidence = "possible" }
logs."node.prom" = '''
node_edac_uncorrectable_errors_total{controller="0"} 0
node_edac_uncorrectable_errors_total{controller="1"} 3
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, dimm AS device, 'uncorrectable memory error' AS what FROM host_edac_ue
  UNION ALL
  SELECT file_id, line, part, host, NULL, 'uncorrected machine check' FROM host_mce WHERE uncorrected IS NOT NULL
  UNION ALL
  SELECT file_id, line, part, host, NULL, 'process killed for corrupted memory' FROM host_memory_failure_kill
  UNION ALL
  SELECT file_id, line, part, host, NULL, 'corrupted memory page' FROM host_memory_failure WHERE result = 'Failed'
  UNION ALL       -- since boot: when, is not told
  SELECT file_id, line, part, host, NULL, printf('%d uncorrectable memory errors of controller %d since boot', count, mc) FROM host_edac_counted
  UNION ALL
  SELECT file_id, line, part, host, coalesce(dimm, fru), coalesce(section || ', ', '') || coalesce(error || ', ', '') || class || ', says the firmware' FROM host_apei
  WHERE  device IS NULL AND (class = 'fatal' OR (class = 'recoverable' AND section LIKE '%memory%')))
SELECT h.attempt, list(DISTINCT l.host ORDER BY l.host) FILTER (WHERE l.host IS NOT NULL) AS hosts,
       list(DISTINCT h.rank ORDER BY h.rank) FILTER (WHERE h.rank IS NOT NULL) AS ranks,
       list(DISTINCT coalesce(l.host || '/', '') || device ORDER BY coalesce(l.host || '/', '') || device) FILTER (WHERE device IS NOT NULL) AS devices,
       CASE WHEN bool_and(l.what LIKE '%since boot') THEN 'possible' ELSE min(h.certainty) END AS confidence, min(h.began) AS began,
       printf('%s: %s%s', coalesce(min(l.host), 'A host'), string_agg(DISTINCT what, ', ' ORDER BY what), coalesce(strftime(min(h.began), ' at %H:%M:%S'), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   line l
JOIN   host_events h USING (file_id, line, part)
WHERE  h.hit
GROUP  BY h.attempt, l.host
