/*
title    = "Not all nodes came to the rendezvous"
kind     = "launcher.rendezvous"
severity = "critical"
role     = "cause"
confidence = "possible"
explains = ["launcher.*", "hang.*"]
needs    = ["torch_store", "torch_elastic"]
explanation = """
The agents that print this waited for others that never joined. A rendezvous timeout gives no list of who is missing; naming a node that waited
would blame a victim.
"""
advice = """
Compare the hosts that print an agent's start with the node list of the job: the one without any line did not start, or cannot reach the endpoint.
From each host test the endpoint (`nc -zv HOST PORT`) and look at the scheduler for nodes that started late.
"""
false_positives = "None at start-up; after a good end these lines are noise and stay out."
references = ["torch.distributed.elastic.rendezvous: RendezvousTimeoutError"]
[[test]]
fires = 1
expect = { hosts = [] }
logs."cn-1.log" = "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"
[[test]]
fires = 1
logs."cn-1.log" = "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 3/4 clients joined."
[[test]]
fires = 0                       # a finished job whose agents go one by one
logs."cn-1.log" = '''
[rank0]: training done after 40 steps
torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError
'''
[[test]]
fires = 0
logs."cn-1.log" = "torch.distributed.elastic.rendezvous.api.RendezvousGracefulExitError"
*/
WITH missed AS (
  SELECT attempt, ts, 'the rendezvous timed out' AS what, file_id, line, part
  FROM   elastic_rendezvous_error
  WHERE  exception LIKE '%TimeoutError'
  UNION ALL
  SELECT attempt, ts, printf('only %d of %d joined the store', joined, expected), file_id, line, part
  FROM   torch_store_clients_missing)
SELECT attempt, min(ts) AS began, true AS either,
       'Not all nodes met: ' || min(what) || ', and nothing here says who is missing' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   missed m
WHERE  NOT EXISTS (SELECT 1 FROM work_seen s WHERE s.attempt IS NOT DISTINCT FROM m.attempt)
GROUP  BY attempt
