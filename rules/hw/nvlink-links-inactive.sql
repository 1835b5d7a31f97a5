/*
title    = "Some NVLinks of a GPU are inactive"
kind     = "hw.nvlink"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["perf.*", "config.env"]
needs    = ["nvidia_smi_text"]
explanation = """
Of the links a GPU shows, some are up and some are not. On a board that wires all of them this is a failed link; if the siblings show
the same, it may be how the board is made.
"""
advice = """
Compare `nvidia-smi nvlink -s` of all GPUs of the host, and look for Xid 74 and SXid lines in `dmesg -T`.
Reset the GPUs; reseat or replace if the links stay down.
"""
false_positives = "Boards that leave links unwired show the same count on all GPUs; then nobody is named."
references = ["nvidia-smi nvlink -s"]
[[test]]
fires = 1
expect = { gpus = ["GPU 3"], confidence = "possible" }
logs."nvlink.txt" = '''
GPU 3: Tesla V100-SXM2-32GB (UUID: GPU-be16ce69-02ba-1843-507c-93dd5e25a63b)
         Link 0: 25.781 GB/s
         Link 1: 25.781 GB/s
         Link 2: 25.781 GB/s
         Link 3: <inactive>
         Link 4: 25.781 GB/s
         Link 5: <inactive>
'''
[[test]]
fires = 1                       # a sibling has them all
expect = { gpus = ["GPU 1"], confidence = "likely" }
logs."nvlink.txt" = '''
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-11111111-02ba-1843-507c-93dd5e25a63b)
         Link 0: 25 GB/s
         Link 1: 25 GB/s
GPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-22222222-02ba-1843-507c-93dd5e25a63b)
         Link 0: 25 GB/s
         Link 1: <inactive>
'''
[[test]]
fires = 0                       # all alike: the board
logs."nvlink.txt" = '''
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-11111111-02ba-1843-507c-93dd5e25a63b)
         Link 0: 25 GB/s
         Link 1: <inactive>
GPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-22222222-02ba-1843-507c-93dd5e25a63b)
         Link 0: 25 GB/s
         Link 1: <inactive>
'''
[[test]]
fires = 0                       # none is up: no bridge, or the fabric manager
logs."nvlink.txt" = '''
GPU 0: NVIDIA A100-PCIE-40GB (UUID: GPU-11111111-02ba-1843-507c-93dd5e25a63b)
         Link 0: <inactive>
         Link 1: <inactive>
'''
*/
WITH told AS (                   -- the last word of each GPU
  SELECT host, file_id, gpu, max(value) FILTER (WHERE name = 'nvlink.links_active') AS up, max(value) FILTER (WHERE name = 'nvlink.links_inactive') AS down
  FROM   metrics
  WHERE  name IN ('nvlink.links_active', 'nvlink.links_inactive')
  GROUP  BY host, file_id, gpu),
sibling AS (
  SELECT host, file_id, count(*) AS n, max(up) AS most, count(DISTINCT up) AS kinds FROM told GROUP BY host, file_id),
line AS (
  SELECT i.file_id, i.line, i.part, i.host, i.gpu, i.ts, h.attempt, CAST(i.link AS VARCHAR) AS link
  FROM   gpu_nvlink_inactive i
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit)
SELECT l.attempt, list(DISTINCT l.host ORDER BY l.host) FILTER (WHERE l.host IS NOT NULL) AS hosts,
       list(DISTINCT coalesce(l.host || ':' || l.gpu, 'GPU ' || l.gpu) ORDER BY coalesce(l.host || ':' || l.gpu, 'GPU ' || l.gpu)) FILTER (WHERE l.gpu IS NOT NULL) AS gpus,
       CASE WHEN min(s.n) > 1 THEN 'likely' ELSE 'possible' END AS confidence,
       printf('%sGPU %s has NVLink%s %s inactive, %d of %d are up', coalesce(min(l.host) || ': ', ''), coalesce(CAST(l.gpu AS VARCHAR), '?'),
              CASE WHEN count(DISTINCT link) > 1 THEN 's' ELSE '' END, string_agg(DISTINCT link, ', ' ORDER BY link),
              CAST(min(t.up) AS BIGINT), CAST(min(t.up + t.down) AS BIGINT)) AS summary,
       list({'file_id': l.file_id, 'line': line, 'part': part} ORDER BY l.file_id, line, part) AS evidence
FROM   line l
JOIN   told t ON t.file_id = l.file_id AND t.host IS NOT DISTINCT FROM l.host AND t.gpu IS NOT DISTINCT FROM l.gpu
JOIN   sibling s ON s.file_id = l.file_id AND s.host IS NOT DISTINCT FROM l.host
WHERE  t.up > 0 AND t.down > 0 AND (s.n = 1 OR (s.kinds > 1 AND t.up < s.most))
GROUP  BY l.attempt, l.host, l.gpu
