/*
title    = "The topology matrix shows a GPU without the NVLinks of its siblings"
kind     = "hw.nvlink"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.p2p_off", "perf.transport_fallback", "perf.straggler"]
needs    = ["nvidia_smi_text"]
explanation = '''
On this board every GPU reaches every other over NVLink, but one: the matrix of `nvidia-smi topo -m` shows PCIe paths, or fewer links, between it and the rest. Its links did not train or were taken down.
'''
advice = '''
On the host: `nvidia-smi nvlink -s -i GPU`, `nvidia-smi -q -i GPU | grep -A3 Fabric`, `dmesg -T | grep -E 'NVRM|SXid'`; restart the fabric manager and reset the GPU while nothing runs, and drain the host if the links stay away.
'''
false_positives = "Boards whose GPUs are not wired alike (pairs with bridges, cubes without a switch) are left out."
references = ["nvidia-smi manual: topo -m"]
[[test]]
fires = 1
expect = { gpus = ["GPU 2"] }
logs."topo.txt" = '''
	GPU0	GPU1	GPU2	GPU3	CPU Affinity
GPU0	 X 	NV12	SYS	NV12	0-63
GPU1	NV12	 X 	SYS	NV12	0-63
GPU2	SYS	SYS	 X 	SYS	0-63
GPU3	NV12	NV12	SYS	 X 	0-63
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 0"] }
logs."topo.txt" = '''
	GPU0	GPU1	GPU2	GPU3	CPU Affinity
GPU0	 X 	NV10	NV10	NV10	0-63
GPU1	NV10	 X 	NV12	NV12	0-63
GPU2	NV10	NV12	 X 	NV12	0-63
GPU3	NV10	NV12	NV12	 X 	0-63
'''
[[test]]
fires = 0
logs."topo.txt" = '''
	GPU0	GPU1	GPU2	GPU3	CPU Affinity
GPU0	 X 	NV12	NV12	NV12	0-63
GPU1	NV12	 X 	NV12	NV12	0-63
GPU2	NV12	NV12	 X 	NV12	0-63
GPU3	NV12	NV12	NV12	 X 	0-63
'''
[[test]]
fires = 0                        # bridged pairs
logs."topo.txt" = '''
	GPU0	GPU1	GPU2	GPU3	CPU Affinity
GPU0	 X 	NV4	SYS	SYS	0-63
GPU1	NV4	 X 	SYS	SYS	0-63
GPU2	SYS	SYS	 X 	NV4	0-63
GPU3	SYS	SYS	NV4	 X 	0-63
'''
*/
WITH cell AS (
  SELECT attempt, file_id, host, a, b, CASE WHEN path LIKE 'NV%' THEN TRY_CAST(path[3:] AS INTEGER) ELSE 0 END AS links, line, part FROM topo_link WHERE a LIKE 'GPU%' AND b LIKE 'GPU%'),
way AS (
  SELECT attempt, file_id, host, a AS gpu, b AS other, links, line, part FROM cell
  UNION
  SELECT attempt, file_id, host, b, a, links, line, part FROM cell),
gpu AS (
  SELECT attempt, file_id, host, gpu, count(DISTINCT other) + 1 AS gpus, max(links) AS most, min(links) AS least, min(line) AS line, min({'l': line, 'p': part}).p AS part
  FROM   way
  GROUP  BY attempt, file_id, host, gpu),
-- the odd one: what the others have among themselves, it has with nobody
odd AS (
  SELECT g.*, (SELECT max(links) FROM way o WHERE o.file_id = g.file_id AND o.host IS NOT DISTINCT FROM g.host AND o.gpu <> g.gpu AND o.other <> g.gpu) AS usual,
         (SELECT min(links) FROM way o WHERE o.file_id = g.file_id AND o.host IS NOT DISTINCT FROM g.host AND o.gpu <> g.gpu AND o.other <> g.gpu) AS usual_least
  FROM   gpu g)
SELECT attempt, [host] AS hosts, [coalesce(host || ':' || gpu[4:], 'GPU ' || gpu[4:])] AS gpus,
       coalesce(host || ': ', '') || printf('GPU %s has %s to the other GPUs, which have %d among themselves', gpu[4:], CASE WHEN most = 0 THEN 'no NVLink' ELSE printf('%d NVLinks', most) END, usual) AS summary,
       [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   odd
WHERE  gpus >= 4 AND usual > 0 AND usual = usual_least AND most < usual
