/*
title    = "A key that others wait for was never written to the store"
kind     = "launcher.store"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["torch_store", "torch_nccl"]
explanation = """
Processes waited in the store for a key until their time was up. The one that should write it did not come so far: it failed, is in another part of the program, or still prepares
data, downloads or compiles. The key of a group's NCCL id is written by the first rank of that group. "A crash of rank 0" in the text is a guess.
"""
advice = """
Read the log of the rank that should have written the key (for a group's NCCL id the group's first rank): did it fail, or was it still at work? Then do that work before init or raise the timeout of init_process_group.
"""
false_positives = "The exit barrier of the launcher after another node has failed."
references = ["PyTorch: TCPStore wait, ProcessGroupNCCL broadcastUniqueNCCLID"]
[[test]]
fires = 1
expect = { ranks = [1] }
logs."train.log" = '''
[rank1]: torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: wait timeout after 600000ms, keys: /default_pg/0//cuda//0
'''
[[test]]
fires = 1
logs."train.log" = '''
RuntimeError: Socket Timeout
'''
[[test]]
fires = 0
logs."train.log" = '''
[rank1]: RuntimeError: Connection reset by peer
'''
[[test]]
fires = 0
logs."train.log" = '''
[W1130 03:13:52.817001520 socket.cpp:697] [c10d] The client socket has failed to connect to [node-a]:29500 (errno: 111 - Connection refused).
'''
*/
WITH gave_up AS (
  SELECT attempt, rank, ts, timeout_ms, file_id, line, part FROM torch_store_wait_timeout
  UNION ALL
  SELECT attempt, rank, ts, NULL, file_id, line, part FROM torch_nccl_setup_failed)
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts - to_milliseconds(coalesce(timeout_ms, 0))) AS began,
       CASE WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks', count(DISTINCT rank)) WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d', min(rank)) ELSE 'A process' END
         || coalesce(printf(' waited %.0f s', max(timeout_ms) / 1000.0), ' waited') || ' in the store for a key that nobody wrote' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   gave_up
GROUP  BY attempt
