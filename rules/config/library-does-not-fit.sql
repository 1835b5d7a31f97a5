/*
title    = "Libraries of the environment do not fit each other"
kind     = "config.version_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.*", "desync.*", "net.socket_error"]
needs    = ["python", "traceback"]
explanation = """
The loader found a library of another version than the one that was built against, or none at all: a symbol or a symbol version is missing, a file cannot be opened, or the CUDA that compiles is not that of PyTorch. No GPU, cable or peer is at fault.
A missing NCCL symbol means that an older libnccl stands before the one that PyTorch brings.
"""
advice = """
On the host named: `ldd FILE | grep -E 'not found|nccl|cuda|stdc'`, `python -c "import torch; print(torch.version.cuda, torch.cuda.nccl.version())"`, and what LD_LIBRARY_PATH and LD_PRELOAD put first; build the extension anew in the environment that uses it.
"""
false_positives = "Optional extensions that a program tries to import and does without, where no steps show that it goes on."
references = ["ld.so(8)", "PyTorch: torch/utils/cpp_extension.py"]
[[test]]
fires = 1
expect = { ranks = [], kind = "config.version_mismatch" }
logs."train.log" = '''
Traceback (most recent call last):
  File "/workspace/train.py", line 1, in <module>
    import torch
ImportError: /opt/env/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister
'''
[[test]]
fires = 1
logs."train.log" = "ImportError: /opt/env/bin/../lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /root/.cache/torch_extensions/py310_cu118/fused_adam/fused_adam.so)"
[[test]]
fires = 1                       # Windows
logs."train.log" = 'OSError: [WinError 126] The specified module could not be found. Error loading "C:\py\lib\site-packages\torch\lib\fbgemm.dll" or one of its dependencies.'
[[test]]
fires = 1                       # the compiler's CUDA is another one
logs."train.log" = "RuntimeError: The detected CUDA version (12.4) mismatches the version that was used to compile PyTorch (11.8). Please make sure to use the same CUDA versions."
[[test]]
fires = 1                       # no Python about it
logs."bench.log" = "./all_reduce_perf: error while loading shared libraries: libnccl.so.2: cannot open shared object file: No such file or directory"
[[test]]
fires = 1
expect = { ranks = [2] }
logs."train.log" = "[rank2]: OSError: libcudart.so.12: cannot open shared object file: No such file or directory"
[[test]]
fires = 0                       # an import that is merely not there
logs."train.log" = "ModuleNotFoundError: No module named 'flash_attn'"
[[test]]
fires = 0                       # NCCL looks for plugins that need not be there
logs."nccl.log" = "ip-10-1-201-30:372925:372925 [3] NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory"
[[test]]
fires = 0                       # an extension that it does without
logs."train.log" = '''
ImportError: /opt/env/fused_dense_lib.so: undefined symbol: _ZN3c104cuda9SetDeviceEi
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
iter 20: loss 2.3356, time 123.45ms, mfu 3.21%
iter 30: loss 2.3256, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 0                       # a file of the program
logs."train.log" = "FileNotFoundError: [Errno 2] No such file or directory: '/data/cfg.json'"
*/
WITH said AS (
  SELECT attempt, rank, host, detail AS text, ts, file_id, line, part FROM own_faults WHERE class = 'exception' AND NOT after_peer_fault
  UNION ALL
  SELECT attempt, rank, host, CASE WHEN symbol IS NOT NULL THEN library || ': undefined symbol: ' || symbol WHEN version IS NOT NULL THEN library || ': version `' || version || ''' not found' ELSE library || ': ' || reason END,
         ts, file_id, line, part
  FROM   process_loader_failed l
  WHERE  NOT EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM l.attempt)),
judged AS (
  SELECT *, CASE WHEN regexp_matches(text, 'undefined symbol: ') THEN regexp_extract(text, '([^/\s:]+): undefined symbol', 1) || ' asks for ' || regexp_extract(text, 'undefined symbol: ([^\s,]+)', 1) || ', which the library that was found has not'
                 WHEN regexp_matches(text, 'version `[^`'']+'' not found') THEN regexp_extract(text, '([^/\s:]+): version `', 1) || ' is older than what was built against, without ' || regexp_extract(text, 'version `([^'']+)''', 1)
                 WHEN regexp_matches(text, 'cannot open shared object file') THEN regexp_extract(text, '([^/\s:]+): cannot open shared object', 1) || ' is not there'
                 WHEN regexp_matches(text, 'DLL load failed|\[WinError (126|127|193|1114|1455)\].*\.(dll|pyd)') THEN 'a DLL cannot be loaded'
                 WHEN regexp_matches(text, 'mismatches the version that was used to compile PyTorch|does not match the version torch was compiled with')
                 THEN printf('the CUDA that compiles (%s) is not that of PyTorch', coalesce(nullif(regexp_extract(text, '(?:detected CUDA version \(|CUDA version )([\d.]+)', 1), ''), 'nvcc')) END AS what
  FROM   said)
SELECT attempt, CASE WHEN count(DISTINCT rank) = 1 THEN list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) ELSE [] END AS ranks,
       CASE WHEN count(DISTINCT host) = 1 THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts, min(ts) AS began,
       printf('Libraries%s do not fit each other: %s', CASE WHEN count(DISTINCT host) = 1 THEN ' of ' || min(host) WHEN count(DISTINCT rank) = 1 THEN printf(' of rank %d', min(rank)) ELSE '' END, left(min(what), 160)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   judged
WHERE  what IS NOT NULL
GROUP  BY attempt
