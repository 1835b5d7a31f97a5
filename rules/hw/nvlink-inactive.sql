/*
title    = "NVLinks of a GPU are inactive"
kind     = "hw.nvlink"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.*"]
needs    = ["nvidia_smi_text", "nvidia_smi_lines"]
explanation = """
nvidia-smi lists links of this GPU that carry nothing while others of it, or of its siblings, do. The bandwidth inside the host is lower by their share; with all
links inactive, the fabric manager or a bridge is missing.
"""
advice = """
Compare `nvidia-smi nvlink -s` of all GPUs of the host; check `systemctl status nvidia-fabricmanager` and Xid 74 in `dmesg -T`; reseat or drain.
"""
false_positives = "Boards on which not all links are wired: then all GPUs are alike."
references = ["nvidia-smi nvlink -s"]
[[test]]
fires = 1
logs."nvlink.txt" = '''
GPU 3: Tesla V100-SXM2-32GB (UUID: GPU-be16ce69-02ba-1843-507c-93dd5e25a63b)
	 Link 0: 25.781 GB/s
	 Link 1: 25.781 GB/s
	 Link 2: <inactive>
'''
[[test]]
fires = 1
logs."nvlink.txt" = '''
GPU 0: NVIDIA H200 (UUID: GPU-0016ce69-02ba-1843-507c-93dd5e25a63b)
	 Link 0: 26.562 GB/s
	 Link 1: 26.562 GB/s
GPU 1: NVIDIA H200 (UUID: GPU-be16ce69-02ba-1843-507c-93dd5e25a63b)
	 Link 0: 26.562 GB/s
	 Link 1: <inactive>
'''
[[test]]
fires = 0
logs."nvlink.txt" = '''
GPU 0: NVIDIA H200 (UUID: GPU-0016ce69-02ba-1843-507c-93dd5e25a63b)
	 Link 0: 26.562 GB/s
	 Link 1: 26.562 GB/s
'''
[[test]]
fires = 0                       # all GPUs alike: how the board is built
logs."nvlink.txt" = '''
GPU 0: NVIDIA A100 (UUID: GPU-0016ce69-02ba-1843-507c-93dd5e25a63b)
	 Link 0: 25 GB/s
	 Link 1: <inactive>
GPU 1: NVIDIA A100 (UUID: GPU-be16ce69-02ba-1843-507c-93dd5e25a63b)
	 Link 0: 25 GB/s
	 Link 1: <inactive>
'''
*/
WITH dead AS (
  SELECT attempt, file_id, host, gpu, uuid, list(DISTINCT link ORDER BY link) AS links, min(active) AS active, min(total) AS total,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   gpu_nvlink_inactive
  GROUP  BY attempt, file_id, host, gpu, uuid),
listed AS (                      -- GPUs of the same listing, and how many of them miss the same links
  SELECT file_id, count(DISTINCT gpu) AS gpus FROM gpu_identity WHERE gpu IS NOT NULL GROUP BY file_id),
alike AS (
  SELECT file_id, links, count(*) AS n FROM dead GROUP BY file_id, links)
SELECT d.attempt, list_filter([d.host], lambda h: h IS NOT NULL) AS hosts, [coalesce(d.host || ':', '') || coalesce(CAST(d.gpu AS VARCHAR), d.uuid)] AS gpus,
       printf('GPU %s%s has inactive NVLinks (%s)%s', coalesce(CAST(d.gpu AS VARCHAR), d.uuid), coalesce(' of ' || d.host, ''), list_aggregate(d.links, 'string_agg', ', '),
              coalesce(', ' || d.active || ' of ' || d.total || ' are left', '')) AS summary,
       d.evidence
FROM   dead d
JOIN   alike a ON a.file_id = d.file_id AND a.links = d.links
LEFT JOIN listed l ON l.file_id = d.file_id
WHERE  NOT (coalesce(l.gpus, 1) > 1 AND a.n = l.gpus)
