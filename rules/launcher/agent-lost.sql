/*
title    = "A node's launcher was lost"
kind     = "launcher.rendezvous"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.*", "net.socket_error", "crash.signal"]
needs    = ["torch_store"]
explanation = """
The other launchers no longer got heartbeats of this node's and removed it from the rendezvous: the node died, was cut off, or its launcher was killed. A launcher that only says it
could not send its own heartbeat has lost the store, and that is a victim's view.
"""
advice = """
Is the node up? Look at the scheduler's node state, `last -x reboot`, `dmesg -T`, and the end of the launcher's log there.
"""
false_positives = "Nodes that leave one after another at the end of a job."
references = ["PyTorch: elastic, dynamic_rendezvous.py"]
[[test]]
fires = 1
expect = { hosts = ["node-c"] }
logs."agent.log" = '''
[2026-11-30 03:13:52,101] torch.distributed.elastic.rendezvous.dynamic_rendezvous: [DEBUG] Detected dead node 'node-c_8461_0', removing it from the rendezvous
'''
[[test]]
fires = 1
expect = { hosts = ["gpu_c"] }
logs."agent.log" = '''
[2026-11-30 03:13:52,101] torch.distributed.elastic.rendezvous.dynamic_rendezvous: [DEBUG] Detected dead node 'gpu_c_8461_0', removing it from the rendezvous
[2026-11-30 03:13:53,101] torch.distributed.elastic.rendezvous.dynamic_rendezvous: [DEBUG] Detected dead node 'gpu_c_8461_0', removing it from the rendezvous
'''
[[test]]
fires = 0                        # the store is gone, not this node
logs."agent.log" = '''
W1130 03:13:52.101000 8461 torch/distributed/elastic/rendezvous/dynamic_rendezvous.py:1160] The node 'node-b_8461_0' has failed to send a keep-alive heartbeat to the rendezvous '123' due to an error of type RendezvousConnectionError.
'''
[[test]]
fires = 0                        # the job has ended
logs."agent.log" = '''
I1130 03:13:50.101000 8461 torch/distributed/elastic/agent/server/api.py:879] [default] worker group successfully finished. Waiting 300 seconds for other agents to finish.
[2026-11-30 03:13:52,101] torch.distributed.elastic.rendezvous.dynamic_rendezvous: [DEBUG] Detected dead node 'node-c_8461_0', removing it from the rendezvous
'''
*/
WITH dead AS (
  SELECT attempt, regexp_replace(trim(node, ''''), '_\d+_\d+$', '') AS node_host, ts, file_id, line, part
  FROM   elastic_rendezvous_node_lost
  WHERE  exception IS NULL AND node IS NOT NULL AND node NOT LIKE '%,%')
SELECT attempt, [split_part(node_host, '.', 1)] AS hosts, min(ts) AS began, printf('%s was lost: its launcher sent no heartbeat any more', split_part(node_host, '.', 1)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   dead d
WHERE  NOT EXISTS (SELECT 1 FROM elastic_finished f WHERE f.file_id = d.file_id AND f.line < d.line)
GROUP  BY attempt, split_part(node_host, '.', 1)
