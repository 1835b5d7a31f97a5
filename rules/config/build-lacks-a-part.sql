/*
title    = "The installed build lacks what the program asks for"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.*", "desync.*"]
needs    = ["python"]
explanation = """
The package is one without this part: a CPU or Windows build has no NCCL, a CPU build no CUDA, and Windows builds have no libuv. The program asked for it and ended.
"""
advice = """
`python -c "import torch; print(torch.__version__, torch.version.cuda, torch.distributed.is_nccl_available())"` on each host. Install the CUDA build; on Windows use backend gloo, and USE_LIBUV=0 for the store.
"""
false_positives = "A program that tries one backend after the other, where no steps show that it goes on."
references = ["PyTorch: distributed_c10d.py, torch/cuda/__init__.py, TCPStore.cpp"]
[[test]]
fires = 1
expect = { ranks = [1] }
logs."train.log" = "[rank1]: RuntimeError: Distributed package doesn't have NCCL built in"
[[test]]
fires = 1
logs."train.log" = '''
Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    model.cuda()
AssertionError: Torch not compiled with CUDA enabled
'''
[[test]]
fires = 1
logs."train.log" = "torch.distributed.DistStoreError: use_libuv was requested but PyTorch was build without libuv support"
[[test]]
fires = 0                       # a warning, and gloo is used
logs."train.log" = "UserWarning: Attempted to get default timeout for nccl backend, but NCCL support is not compiled"
[[test]]
fires = 0                       # it goes on with another one
logs."train.log" = '''
RuntimeError: Distributed package doesn't have NCCL built in
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
'''
*/
SELECT attempt, CASE WHEN count(DISTINCT rank) = 1 THEN list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) ELSE [] END AS ranks,
       CASE WHEN count(DISTINCT host) = 1 THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       printf('The build%s lacks what the program asks for: %s', CASE WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) WHEN count(DISTINCT rank) = 1 THEN printf(' of rank %d', min(rank)) ELSE '' END, string_agg(DISTINCT lacks, ', ' ORDER BY lacks)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   torch_build_lacks p
WHERE  NOT EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM p.attempt)
GROUP  BY attempt
