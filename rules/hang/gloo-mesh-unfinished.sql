/*
title    = "The processes could not connect to each other through gloo"
kind     = "hang.init"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["torch_gloo"]
explanation = """
gloo connects every process with every other one when a group is made; here that failed. A peer that is not there, an address that it advertised and nobody can reach (loopback, a container's bridge), or a firewall does that; the line names no end that is at fault.
"""
advice = """
Set GLOO_SOCKET_IFNAME to the interface that all hosts share, check that `hostname -I` of each host gives an address the others can reach, and that `getent hosts $(hostname)` is not 127.0.x.x; look at the first error of every rank.
"""
false_positives = "Ranks that were still connecting when another one ended."
references = ["gloo: rendezvous/context.cc, transport/tcp"]
[[test]]
fires = 1
logs."train.log" = "RuntimeError: Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error"
[[test]]
fires = 1
logs."train.log" = '''
[rank1]: RuntimeError: Gloo connectFullMesh failed with [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:144] no error
[rank3]: RuntimeError: Gloo connectFullMesh failed with [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:144] no error
'''
[[test]]
fires = 0                       # a connection that broke later
logs."train.log" = "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335."
[[test]]
fires = 0                       # retries that are not over
logs."train.log" = "[W socket.cpp:697] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 111 - Connection refused)."
*/
SELECT attempt, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks, min(ts) AS began,
       printf('%s could not connect to the others through gloo (%s); these lines do not say which end is at fault',
              CASE WHEN count(DISTINCT rank) = 1 THEN printf('Rank %d', min(rank)) WHEN count(DISTINCT rank) > 1 THEN printf('%d ranks', count(DISTINCT rank)) ELSE 'A process' END,
              lower(min(reason))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   torch_gloo_connect_failed
WHERE  peer_addr IS NULL
GROUP  BY attempt
