/*
title    = "One GPU reaches the others at a fraction of the bandwidth"
kind     = "hw.nvlink.bandwidth"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.straggler", "perf.p2p_off"]
needs    = ["bandwidth_matrix"]
explanation = '''
In this matrix all GPUs reach each other alike, but one: copies to and from it run at less than half of what the others have among themselves. Its NVLinks are down or too few, or its traffic goes over PCIe or through the host.
'''
advice = '''
`nvidia-smi topo -m`, `nvidia-smi nvlink -s -i GPU` and `dmesg -T | grep -E 'NVRM|SXid'` on that host; reset the GPU while nothing runs, and drain the host if it stays.
'''
false_positives = "Another program on that GPU during the test. Boards whose GPUs are not wired alike are left out."
references = ["CUDA samples: p2pBandwidthLatencyTest; nvbandwidth"]
[[test]]
fires = 1
expect = { gpus = ["GPU 2"] }
logs."p2p.txt" = '''
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\D     0      1      2      3 
     0 1501.23 268.11  24.90 268.33 
     1 268.20 1498.01  25.02 267.77 
     2  24.01  24.88 1502.21  25.10 
     3 267.95 268.12  24.98 1500.02 
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 0"] }
logs."nvbandwidth.txt" = '''
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
           0         1         2         3
 0       N/A     21.10     21.12     21.20
 1     21.20       N/A    392.10    392.40
 2     21.11    391.80       N/A    392.20
 3     21.31    392.80    392.90       N/A
'''
[[test]]
fires = 0
logs."p2p.txt" = '''
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\D     0      1      2      3 
     0 1501.23 268.11 267.90 268.33 
     1 268.20 1498.01 268.02 267.77 
     2 268.01 267.88 1502.21 268.10 
     3 267.95 268.12 268.08 1500.02 
'''
[[test]]
fires = 0                        # pairs
logs."p2p.txt" = '''
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\D     0      1      2      3 
     0 901.23  48.11  10.90  10.33 
     1  48.20 898.01  10.02  10.77 
     2  10.01  10.88 902.21  48.10 
     3  10.95  10.12  48.08 900.02 
'''
*/
WITH cell AS (
  SELECT attempt, file_id, host, matrix, test, "from" AS a, "to" AS b, gbps, line, part FROM gpu_pair_bandwidth WHERE "from" IS NOT NULL AND test NOT LIKE '%disabled'),
gpu AS (
  SELECT DISTINCT attempt, file_id, host, matrix, test, a AS gpu FROM cell),
judged AS (
  SELECT g.*, median(c.gbps) FILTER (WHERE g.gpu IN (c.a, c.b)) AS own, max(c.gbps) FILTER (WHERE g.gpu IN (c.a, c.b)) AS best, median(c.gbps) FILTER (WHERE g.gpu NOT IN (c.a, c.b)) AS usual,
         min(c.gbps) FILTER (WHERE g.gpu NOT IN (c.a, c.b)) AS least, count(DISTINCT c.a) AS gpus, min(c.line) FILTER (WHERE c.a = g.gpu) AS line, min(c.part) AS part
  FROM   gpu g
  JOIN   cell c ON c.file_id = g.file_id AND c.matrix = g.matrix
  GROUP  BY ALL),
-- the others are alike among themselves, and this one has nobody it reaches as they do
bad AS (
  SELECT * FROM judged WHERE gpus >= 4 AND own < 0.5 * usual AND best < 0.6 * usual AND least > 0.8 * usual)
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [coalesce(host || ':' || gpu, 'GPU ' || gpu)] AS gpus,
       coalesce(host || ': ', '') || printf('GPU %d reaches the others at %.0f GB/s, which have %.0f among themselves', gpu, min(own), max(usual)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line) AS evidence
FROM   bad
GROUP  BY attempt, host, gpu
