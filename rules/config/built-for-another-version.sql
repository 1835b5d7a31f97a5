/*
title    = "Code was built for another version or another GPU"
kind     = "config.version_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["crash.python", "crash.signal", "hang.*", "launcher.*", "net.socket_error"]
needs    = ["gpu_runtime"]
explanation = """
A TensorRT engine runs only with the version of the library and on the kind of GPU it was built with, and code for a newer PTX or GPU needs a newer assembler (ptxas) than
this host has. On some ranks only, it is their hosts or images that differ.
"""
advice = """
Build the engine again with the library of the image that serves it (`trtllm-build`, `trtexec`), on the same kind of GPU.
For ptxas: compare `ptxas --version` on PATH and in TRITON_PTXAS_PATH with what torch was built with (`python -c "import torch, triton; print(torch.version.cuda, triton.__version__)"`).
"""
false_positives = "A cache of compiled code (~/.triton, TORCHINDUCTOR_CACHE_DIR) from another image: delete it."
references = ["TensorRT: engine compatibility", "CUDA: PTX ISA versions"]
[[test]]
fires = 1
expect = { ranks = [] }
logs."run.log" = """
[11/03/2025-02:10:05] [TRT] [E] IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed.Version tag does not match. Note: Current Version: 240, Serialized Engine Version: 239)
Traceback (most recent call last):
  File "/app/run.py", line 210, in <module>
    runner = ModelRunnerCpp.from_dir(args.engine_dir)
RuntimeError: [TensorRT-LLM][ERROR] Assertion failed: Failed to deserialize cuda engine.
"""
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = """
[rank0]: step 1 loss 2.0
[rank3]: torch._inductor.exc.InductorError: RuntimeError: Internal Triton PTX codegen error
[rank3]: ptxas fatal   : Unsupported .version 8.4; current version is '8.2'
"""
[[test]]
fires = 0
logs."train.log" = "[rank3]: ptxas info    : Compiling entry function 'triton_' for 'sm_90a'"
[[test]]
fires = 0
logs."train.log" = "[TRT] [W] Using an engine plan file across different models of devices is not recommended and is likely to affect performance or even cause errors."
*/
WITH word AS (
  SELECT attempt, rank, host, ts, CASE WHEN what LIKE 'Unsupported%' THEN printf('ptxas knows PTX up to %s, the code is %s', wanted, got)
                                       WHEN what LIKE 'Value%' THEN 'ptxas does not know ' || got
                                       ELSE 'the TensorRT engine was built with another ' || CASE WHEN what LIKE '%device' THEN 'kind of GPU' ELSE 'version' END
                                            || coalesce(printf(' (%s here, %s there)', wanted, got), '') END AS why, file_id, line, part
  FROM   gpu_build_mismatch),
heard AS (
  SELECT attempt, count(*) AS n FROM ranks GROUP BY attempt)
SELECT w.attempt, CASE WHEN count(DISTINCT w.rank) * 2 > max(h.n) AND max(h.n) > 1 THEN [] ELSE coalesce(list(DISTINCT w.rank ORDER BY w.rank) FILTER (WHERE w.rank IS NOT NULL), []) END AS ranks,
       CASE WHEN count(DISTINCT w.host) = 1 AND count(DISTINCT w.rank) <= 1 THEN list(DISTINCT w.host ORDER BY w.host) FILTER (WHERE w.host IS NOT NULL) ELSE [] END AS hosts, min(w.ts) AS began,
       CASE WHEN count(DISTINCT w.rank) = 1 THEN printf('Rank %d', min(w.rank)) WHEN count(DISTINCT w.rank) > 1 THEN printf('%d ranks', count(DISTINCT w.rank)) ELSE 'A process' END
       || ' cannot run what was built: ' || min(w.why) AS summary,
       list({'file_id': w.file_id, 'line': w.line, 'part': w.part} ORDER BY w.file_id, w.line, w.part) AS evidence
FROM   word w LEFT JOIN heard h ON h.attempt IS NOT DISTINCT FROM w.attempt
GROUP  BY w.attempt
