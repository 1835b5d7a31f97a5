/*
title    = "One GPU of a host has no peer access to the others"
kind     = "perf.p2p_off"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.transport_fallback", "perf.straggler"]
needs    = ["nvidia_smi_text"]
explanation = '''
The matrix of `nvidia-smi topo -p2p` shows that all other GPUs of this host may read and write each other's memory, and this one with nobody: its traffic goes through the memory of the host. Its links did not train, or a bridge of
its PCIe path (ACS, an IOMMU group of its own) sends everything up to the root.
'''
advice = '''
On the host: `nvidia-smi nvlink -s -i GPU`, `nvidia-smi -q -i GPU | grep -A3 Fabric`, `lspci -vvv | grep ACSCtl`, `dmesg -T | grep NVRM`; compare with a sibling, reset the GPU while nothing runs.
'''
false_positives = "Boards of which whole halves cannot reach each other (two sockets without a link) are left out: no single GPU stands alone there."
references = ["nvidia-smi manual: topo -p2p"]
[[test]]
fires = 1
expect = { gpus = ["GPU 2"] }
logs."topo.txt" = """
 	GPU0	GPU1	GPU2	GPU3
 GPU0	X	OK	NS	OK
 GPU1	OK	X	NS	OK
 GPU2	NS	NS	X	NS
 GPU3	OK	OK	NS	X
"""
[[test]]
fires = 1
expect = { gpus = ["n3:0"], hosts = ["n3"] }
logs."n3/topo_p2p.txt" = """
 	GPU0	GPU1	GPU2
 GPU0	X	TNS	TNS
 GPU1	TNS	X	OK
 GPU2	TNS	OK	X
"""
[[test]]
fires = 0                        # two halves
logs."topo.txt" = """
 	GPU0	GPU1	GPU2	GPU3
 GPU0	X	OK	CNS	CNS
 GPU1	OK	X	CNS	CNS
 GPU2	CNS	CNS	X	OK
 GPU3	CNS	CNS	OK	X
"""
[[test]]
fires = 0
logs."topo.txt" = """
 	GPU0	GPU1	GPU2
 GPU0	X	OK	OK
 GPU1	OK	X	OK
 GPU2	OK	OK	X
"""
[[test]]
fires = 0                        # nobody has any: cards without the feature
logs."topo.txt" = """
 	GPU0	GPU1	GPU2
 GPU0	X	GNS	GNS
 GPU1	GNS	X	GNS
 GPU2	GNS	GNS	X
"""
*/
WITH pair AS (
  SELECT attempt, file_id, host, a, b, state, line, part FROM topo_peer),
way AS (
  SELECT attempt, file_id, host, a AS gpu, state, line, part FROM pair
  UNION ALL
  SELECT attempt, file_id, host, b, state, line, part FROM pair),
gpu AS (
  SELECT attempt, file_id, host, gpu, count(*) AS others, bool_and(state NOT IN ('OK', 'U')) AS cut_off, min(state) AS state,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) AS evidence
  FROM   way
  GROUP  BY attempt, file_id, host, gpu)
SELECT g.attempt, CASE WHEN g.host IS NOT NULL THEN [g.host] ELSE [] END AS hosts, [coalesce(g.host || ':' || g.gpu[4:], 'GPU ' || g.gpu[4:])] AS gpus, g.evidence,
       coalesce(g.host || ': ', '') || printf('GPU %s has peer access to none of the other %d GPUs, which reach each other', g.gpu[4:], g.others) AS summary
FROM   gpu g
WHERE  g.cut_off AND g.others >= 2
-- all pairs without it are fine
AND    NOT EXISTS (SELECT 1 FROM pair p WHERE p.file_id = g.file_id AND p.host IS NOT DISTINCT FROM g.host AND p.a <> g.gpu AND p.b <> g.gpu AND p.state <> 'OK')
