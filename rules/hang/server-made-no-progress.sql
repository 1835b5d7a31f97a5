/*
title    = "An inference server made no progress until its own watchdog ended it"
kind     = "hang.watchdog_timeout"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["launchers", "inference_servers"]
explanation = """
The processes of one model work in step, so all of them stop when one does, and each says so for itself. The server then kills its own processes: the SIGQUIT and SIGKILL that follow are that, not a lack of memory.
"""
advice = """
Take `py-spy dump --native` of every worker at the next stall, before the watchdog's limit; look at `dmesg -T` of each host for Xid lines since then.
Raise `--watchdog-timeout` only if the last request was a very long one or kernels were being compiled.
"""
false_positives = "A first request that compiles kernels for minutes."
references = ["SGLang: server arguments"]
[[test]]
fires = 1
expect = { ranks = [] }
logs."sglang.log" = '''
[2025-08-02 03:14:07 TP3] Prefill batch. #new-seq: 1, #new-token: 8192, #cached-token: 0, token usage: 0.41, #running-req: 12, #queue-req: 4
[2025-08-02 03:19:09 TP3] Watchdog timeout (self.watchdog_timeout=300)
[2025-08-02 03:19:09 TP1] Watchdog timeout (self.watchdog_timeout=300)
[2025-08-02 03:19:14] Received sigquit from a child process. It usually means the child failed.
Killed
'''
[[test]]
fires = 1                       # one process speaks
logs."sglang.log" = '''
[2025-08-02 03:19:09 TP0] Watchdog timeout (self.watchdog_timeout=300)
'''
[[test]]
fires = 1                       # the engine waits for its workers
expect = { ranks = [] }
logs."vllm.log" = "(EngineCore_DP0 pid=272) ERROR 12-02 10:01:10 [dump_input.py:72] TimeoutError: RPC call to sample_tokens timed out."
[[test]]
fires = 0                       # an exception of its own comes first
logs."sglang.log" = '''
[2025-08-02 03:19:14] Received sigquit from a child process. It usually means the child failed.
Killed
'''
[[test]]
fires = 0
logs."sglang.log" = '''
[2025-08-02 03:14:07 TP3] Prefill batch. #new-seq: 1, #new-token: 8192, #cached-token: 0, token usage: 0.41, #running-req: 12, #queue-req: 4
'''
*/
WITH word AS (
  SELECT attempt, seconds, ts, file_id, line, part FROM launcher_sglang_watchdog
  UNION ALL SELECT attempt, NULL, ts, file_id, line, part FROM launcher_server_wait_timeout)
SELECT attempt, min(ts) - to_seconds(max(seconds)) AS began,
       CASE WHEN count(seconds) > 0 THEN printf('The server''s processes made no progress for %d s and were ended by its own watchdog', CAST(max(seconds) AS BIGINT))
            ELSE 'Processes of the server waited for an answer of the others until their timeout' END || '; these lines do not show which was late' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   word
GROUP  BY attempt
