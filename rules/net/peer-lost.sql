/*
title    = "Ranks lost a peer"
kind     = "net.socket_error"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["torch_gloo", "torch_store", "torch_nccl"]
explanation = """
The peer at the other end of these connections went away first: closed in an orderly way after an exception, or reset when it was killed. These
ranks only noticed. "Network error" in the text is a guess of the library.
"""
advice = """
Fetch the log of the process that went away first: the one whose own lines stop before the first of these.
Read `dmesg -T` of its host for memory kills, segfaults and GPU errors.
"""
false_positives = "Teardown of a job that has ended well prints the same."
references = ["gloo transport/tcp/pair.cc", "PyTorch TCPStore"]
[[test]]
fires = 1
expect = { ranks = [0] }
logs."train.log" = '''
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335. This is typically caused by a remote worker crashing.
'''
[[test]]
fires = 1
expect = { ranks = [1, 2] }
logs."train.log" = '''
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335. This is typically caused by a remote worker crashing.
[rank2]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Read error [127.0.0.11]:19335: Connection reset by peer. This is typically caused by a remote worker hanging or bugs
'''
[[test]]
fires = 0                       # after a good end
logs."train.log" = '''
[rank0]: training done after 40 steps
[rank0]:[W1130 11:52:28.817001520 TCPStore.cpp:115] [c10d] recvVector failed on SocketImpl(fd=3, addr=[localhost]:1, remote=[localhost]:2): failed to recv, got 0 bytes
'''
[[test]]
fires = 0
logs."train.log" = "[rank0]: waiting for peers"
*/
WITH lost AS (
  SELECT p.*
  FROM   peer_faults p
  WHERE  NOT p.waited
  -- teardown noise of a rank that had finished
  AND    NOT EXISTS (SELECT 1 FROM train_done d WHERE d.file_id = p.file_id AND d.line < p.line AND d.rank IS NOT DISTINCT FROM p.rank))
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts) AS began,
       CASE WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks lost a peer or the store', count(DISTINCT rank))
            WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d lost a peer or the store', min(rank))
            ELSE 'A process lost a peer or the store' END || '; these lines do not show who went away first' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   lost
GROUP  BY attempt
