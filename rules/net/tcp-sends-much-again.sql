/*
title    = "TCP sends much of its data again"
kind     = "net.packet_loss.tcp"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["host_net"]
explanation = '''
Of the segments this host sent, in all or between two readings, more than one in a hundred had to be sent again. Healthy data centre networks stay below one in ten thousand; each loss stops a connection for 200 ms or more.
'''
advice = '''
`nstat -z | grep -i retrans` twice, a minute apart, shows whether it goes on; then `ethtool -S` of the interface (drops, errors) and `ss -ti` for the peers concerned.
'''
false_positives = "One reading counts since boot: an outage of last month counts too. Connections over the internet."
references = ["RFC 1213: tcpRetransSegs, tcpOutSegs"]
[[test]]
fires = 1
logs."netstat.txt" = '''
Tcp:
    91283312 segments received
    120011932 segments sent out
    4103110 segments retransmitted
'''
[[test]]
fires = 1
logs."nstat.txt" = '''
#kernel
TcpOutSegs                      1200119            0.0
TcpRetransSegs                  81231              0.0
'''
[[test]]
fires = 0
logs."netstat.txt" = '''
Tcp:
    91283312 segments received
    120011932 segments sent out
    10311 segments retransmitted
'''
[[test]]
fires = 0                        # too few to tell
logs."nstat.txt" = '''
TcpOutSegs                      1201               0.0
TcpRetransSegs                  81                 0.0
'''
[[test]]
fires = 1                        # between two readings, though little since boot
expect = { hosts = ["wk3"], confidence = "likely" }
logs."wk3/nstat.before" = '''
TcpOutSegs                      9112233112         0.0
TcpRetransSegs                  112233             0.0
'''
logs."wk3/nstat.after" = '''
TcpOutSegs                      9132233112         0.0
TcpRetransSegs                  1312233            0.0
'''
[[test]]
fires = 0                        # much since boot, and none any more
logs."wk3/nstat.before" = '''
TcpOutSegs                      91122331           0.0
TcpRetransSegs                  2122331            0.0
'''
logs."wk3/nstat.after" = '''
TcpOutSegs                      97122331           0.0
TcpRetransSegs                  2122339            0.0
'''
*/
WITH number AS (
  SELECT attempt, file_id, host, name, line, part, value FROM metrics WHERE name IN ('tcp.out_segs', 'tcp.retrans_segs') AND NOT duplicate),
total AS (
  SELECT attempt, file_id, host, max(value) FILTER (WHERE name = 'tcp.out_segs') AS sent, max(value) FILTER (WHERE name = 'tcp.retrans_segs') AS again,
         min(value) FILTER (WHERE name = 'tcp.out_segs') AS sent_first, min(value) FILTER (WHERE name = 'tcp.retrans_segs') AS again_first,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) AS evidence
  FROM   number
  GROUP  BY ALL),
-- readings of one host, in one file or in several: what they differ by; counters only grow
reading AS (
  SELECT attempt, host, count(*) > 1 OR bool_or(sent > sent_first) AS compared, max(sent) AS sent, max(again) AS again, max(sent) - min(sent_first) AS sent_since, max(again) - min(again_first) AS again_since,
         flatten(list(evidence ORDER BY file_id)) AS evidence
  FROM   total
  GROUP  BY attempt, host, CASE WHEN host IS NULL THEN file_id END),
share AS (
  SELECT *, CASE WHEN compared THEN sent_since ELSE sent END AS segments, CASE WHEN compared THEN again_since ELSE again END AS resent FROM reading)
SELECT attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, evidence, CASE WHEN compared THEN 'likely' ELSE 'possible' END AS confidence,
       coalesce(host, 'A host') || printf(' sent %.1f %% of its TCP segments again%s', 100 * resent / segments, CASE WHEN compared THEN ' between two readings' ELSE '' END) AS summary
FROM   share
-- a hundred thousand segments are a minute of training traffic
WHERE  segments >= 100000 AND resent >= 0.01 * segments
