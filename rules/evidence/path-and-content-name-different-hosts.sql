/*
title    = "The path of a file names another host than its lines"
kind     = "evidence.damaged.other_host"
severity = "info"
role     = "context"
confidence = "certain"
needs    = []
explanation = """
The directory or the name of this file speaks of one host of the case, and all its lines of another. The lines are believed; but one of the two is wrong, and with it
perhaps the answer to which host a finding is about: files were mixed up when they were collected, a host was renamed, or a tool was run for another host.
"""
advice = """
Compare what the file says of itself (`uname -n` in the log, serial numbers, PCI addresses) with the host it was collected from, and collect it again.
"""
false_positives = "A launcher's log kept in the directory of the host it ran on, which repeats what other hosts said."
references = ["files.host, files.path_host and files.host_from of a case"]
[[test]]
fires = 1
expect = { hosts = [] }
logs."hosts/node01/syslog" = '''
May 01 12:00:00 node02 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up
'''
logs."hosts/node03/syslog" = '''
May 01 12:00:00 node03 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up
'''
[[test]]
fires = 1
logs."dmesg-node01.log" = '''
May 01 12:00:00 node07 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up
'''
[[test]]
fires = 0
logs."hosts/node01/syslog" = '''
May 01 12:00:00 node01 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up
'''
[[test]]
fires = 0                        # several hosts speak: a collected log
logs."hosts/node01/syslog" = '''
May 01 12:00:00 node02 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up
May 01 12:00:00 node03 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up
'''
[[test]]
fires = 0                        # an address is no other host
logs."dmesg-node01.log" = '''
May 01 12:00:00 10.0.0.4 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up
'''
*/
SELECT 0 AS attempt, printf('%s: its path speaks of %s, its lines of %s', coalesce(member, path), path_host, host) AS summary,
       [{'file_id': file_id, 'line': 1, 'part': 0}] AS evidence
FROM   files
WHERE  host_from = 'text' AND lower(path_host) <> lower(host)
-- an address, a container or a longer spelling of the same name is no contradiction
AND    NOT regexp_matches(host, '^[\d.:]+$|^[0-9a-f]{12}$')
AND    NOT contains(lower(host), lower(path_host)) AND NOT contains(lower(path_host), lower(host))
AND    (file_id, path_host) NOT IN (SELECT (f.file_id, a.alias) FROM files f JOIN host_aliases a ON a.host = f.host)
