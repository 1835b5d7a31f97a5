/*
title    = "A host was expelled from a cluster file system"
kind     = "hw.host_lost.expelled"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["storage.stall", "net.packet_loss", "net.socket_error"]
needs    = ["cluster_fs"]
explanation = '''
The manager of a GPFS cluster threw this node out because it no longer renewed its lease or answered: it hung, crashed, or lost its network. Every open file of its processes is gone from then on.
'''
advice = '''
Is the host named up and reachable over the network of the file system? Read the end of its kernel log and its own mmfs.log at that time; then the counters of its port.
'''
false_positives = "A node that was shut down on purpose without `mmshutdown`."
references = ["IBM Storage Scale: node expels"]
[[test]]
fires = 1
expect = { hosts = ["gpu118"] }
logs."mmfs.log.latest" = '''
2026-03-12_09:31:32.902+0100: [E] Node 10.31.4.18 (gpu118) is being expelled from cluster because of an expired lease. Pings sent: 60. Replies received: 0.
'''
[[test]]
fires = 1
expect = { hosts = ["gpu118"] }
logs."mmfs.log.latest" = '''
2026-03-12_09:31:32.001+0100: [N] Request sent to 10.31.4.2 (mgr1) to expel 10.31.4.18 (gpu118) from cluster hpc.example.com
'''
[[test]]
fires = 0
logs."mmfs.log.latest" = '''
2026-02-20_10:12:40.030+0100: [N] Node 10.7.0.11 (gnsd01) lease renewed
'''
[[test]]
fires = 0                        # a manager takes several as lost when it is cut off itself
logs."mmfs.log.latest" = '''
2026-03-12_09:31:32.902+0100: [E] Node 10.31.4.11 (gpu111) is being expelled from cluster because of an expired lease. Pings sent: 60. Replies received: 0.
2026-03-12_09:31:32.902+0100: [E] Node 10.31.4.12 (gpu112) is being expelled from cluster because of an expired lease. Pings sent: 60. Replies received: 0.
2026-03-12_09:31:32.902+0100: [E] Node 10.31.4.13 (gpu113) is being expelled from cluster because of an expired lease. Pings sent: 60. Replies received: 0.
2026-03-12_09:31:32.902+0100: [E] Node 10.31.4.14 (gpu114) is being expelled from cluster because of an expired lease. Pings sent: 60. Replies received: 0.
'''
*/
WITH gone AS (
  SELECT *, (SELECT count(DISTINCT node) FROM storage_node_expelled) AS how_many FROM storage_node_expelled WHERE node IS NOT NULL)
SELECT attempt, [split_part(node, '.', 1)] AS hosts, min(ts) AS began,
       printf('%s no longer answered and was expelled from the file system%s', split_part(node, '.', 1), coalesce(strftime(min(ts), ' at %H:%M:%S'), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   gone
-- more than three at once are a matter of the network or the manager, and none of them is to blame
WHERE  how_many <= 3
GROUP  BY attempt, split_part(node, '.', 1)
