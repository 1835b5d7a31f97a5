/*
title    = "TCP sends much of its data again"
kind     = "net.packet_loss.tcp"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["host_net"]
explanation = '''
Of all segments this host sent, more than one in a hundred had to be sent again. Healthy data centre networks stay below one in ten thousand; each loss stops a connection for 200 ms or more.
'''
advice = '''
`nstat -z | grep -i retrans` twice, a minute apart, shows whether it goes on; then `ethtool -S` of the interface (drops, errors) and `ss -ti` for the peers concerned.
'''
false_positives = "Counters since boot: an outage of last month counts too. Connections over the internet."
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
*/
WITH number AS (
  SELECT attempt, file_id, host, name, line, part, value FROM metrics WHERE name IN ('tcp.out_segs', 'tcp.retrans_segs') AND NOT duplicate),
total AS (
  SELECT attempt, file_id, host, max(value) FILTER (WHERE name = 'tcp.out_segs') AS sent, max(value) FILTER (WHERE name = 'tcp.retrans_segs') AS again,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) AS evidence
  FROM   number
  GROUP  BY ALL)
SELECT attempt, [host] AS hosts, evidence,
       coalesce(host, 'A host') || printf(' sent %.1f %% of its TCP segments again', 100 * again / sent) AS summary
FROM   total
-- a hundred thousand segments are a minute of training traffic
WHERE  sent >= 100000 AND again >= 0.01 * sent
