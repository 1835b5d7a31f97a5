/*
title    = "A diagnosis of the fabric found a bad port"
kind     = "net.packet_loss.diagnosis"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["net.congestion", "perf.low_busbw", "net.ib_error"]
needs    = ["fabric"]
explanation = '''
ibdiagnet reads the counters of every port twice, and between its readings errors grew at this port, or its bit error rate is above what the link may have. Such a port sends again what it damaged, and in the end the link goes down.
'''
advice = '''
Find both ends of the link (`iblinkinfo | grep GUID`), clean and reseat, then exchange cable and transceivers, and run `ibdiagnet --pc`, load, `ibdiagnet` again.
'''
false_positives = "Congestion counters (wait, discards at an oversubscribed uplink) are no damage and are left out."
references = ["NVIDIA ibdiagnet: performance counters, BER"]
[[test]]
fires = 1
expect = { devices = ["S0c42a103006e2b40/P17"], hosts = [] }
logs."ibdiagnet2.log" = '''
-W- S0c42a103006e2b40/N0c42a103006e2b40/P17 - "symbol_error_counter" increased during the run (difference value=812,difference allowed threshold=1)
-W- S0c42a103006e2b40/N0c42a103006e2b40/P17 - "port_rcv_errors" increased during the run (difference value=44,difference allowed threshold=1)
'''
[[test]]
fires = 1
expect = { devices = ["leaf03/U1/P12"] }
logs."ibdiagnet2.log" = '''
-E- leaf03/U1/P12 - BER exceeds the threshold in port = leaf03/U1/P12(BER value=1.5e-09, threshold=1e-12)
'''
[[test]]
fires = 0
logs."ibdiagnet2.log" = '''
-W- S0c42a103006e2b40/N0c42a103006e2b40/P17 - "port_xmit_wait" increased during the run (difference value=81200,difference allowed threshold=1)
'''
[[test]]
fires = 0
logs."ibdiagnet2.log" = '''
-I- Ports counters Difference Check (during run) finished successfully
-I- Links Check finished successfully
'''
*/
WITH said AS (
  SELECT attempt, file_id, line, part, port, replace(counter, '_', ' ') || printf(' grew by %d', delta) AS what, delta AS weight FROM fabric_diag_counter
  WHERE  regexp_matches(counter, 'symbol|rcv_errors|rcv_remote|integrity|recovery|downed|link_down|overrun|fec_uncorr|plr')
  UNION ALL
  SELECT attempt, file_id, line, part, port, 'bit error rate ' || ber, 0 FROM fabric_diag_ber WHERE ber > 1e-12
  UNION ALL
  SELECT attempt, file_id, line, part, port, 'its link has less ' || what || ' than both ends can', 0 FROM fabric_diag_link),
-- S<guid>/N<guid>/P17 says the node twice
named AS (
  SELECT *, regexp_replace(port, '^(S[0-9a-f]{16})/N[0-9a-f]{16}/', '\1/') AS place FROM said)
SELECT attempt, [place] AS devices,
       printf('Port %s is bad: %s%s', place, max({'w': weight, 't': what}).t, CASE WHEN count(DISTINCT what) > 1 THEN printf(' and %d more signs', count(DISTINCT what) - 1) ELSE '' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   named
GROUP  BY attempt, place
-- many of a fabric at once are a matter of the fabric, and the worst are what to look at
QUALIFY row_number() OVER (ORDER BY sum(weight) DESC, place) <= 8
