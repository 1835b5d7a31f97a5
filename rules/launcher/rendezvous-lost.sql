/*
title    = "A launcher lost the rendezvous"
kind     = "launcher.rendezvous"
severity = "high"
role     = "symptom"
confidence = "possible"
needs    = ["torch_store"]
explanation = """
The agent could not reach the store of the rendezvous, or found it closed: the process that holds it, mostly the agent of node 0, is gone, was never there, or is not reachable under the
endpoint given. The agent that prints it is a victim.
"""
advice = """
Look at the end of the log of the node that holds the endpoint (`--rdzv-endpoint`), and from this node try `nc -zv HOST PORT`.
"""
false_positives = "Agents that end one after the other when a job is finished."
references = ["torch.distributed.elastic.rendezvous: RendezvousConnectionError, RendezvousClosedError"]
[[test]]
fires = 1
logs."train.log" = "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details."
[[test]]
fires = 1
logs."train.log" = "torch.distributed.elastic.rendezvous.api.RendezvousClosedError"
[[test]]
fires = 0                       # a finished job
logs."train.log" = '''
[rank0]: training done after 40 steps
torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details.
'''
[[test]]
fires = 0                       # others did not come: told elsewhere
logs."train.log" = "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"
*/
SELECT attempt, min(ts) AS began, 'A launcher lost the store of its rendezvous, or found it closed; these lines do not show why' AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   elastic_rendezvous_error e
WHERE  exception NOT LIKE '%TimeoutError'
AND    NOT EXISTS (SELECT 1 FROM work_seen s WHERE s.attempt IS NOT DISTINCT FROM e.attempt)
GROUP  BY attempt
