/*
title    = "The bit error rate of a link is too high"
kind     = "net.link_flap.signal"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["perf.low_busbw"]
needs    = ["nic_counters"]
explanation = '''
mlxlink counts the errors that were left after the error correction of the link. Above one in 10^12 bits the receiver drops packets or asks for them again all the time; cable, transceiver or connector do not carry the speed.
'''
advice = '''
Clean, reseat, then exchange cable and transceivers of that port; clear the counters (`mlxlink -d DEVICE --pc`) and read them again under load an hour later (`mlxlink -d DEVICE -c -e -m`), at both ends.
'''
false_positives = "A rate computed over the seconds after a link came up; errors before the correction (raw) are normal on fast links."
references = ["NVIDIA MFT: mlxlink; ibdiagnet: BER thresholds"]
[[test]]
fires = 1
expect = { devices = ["mlx5_3"] }
logs."mlxlink.txt" = '''
$ mlxlink -d mlx5_3 -c
Physical Counters and BER Info
------------------------------
Time Since Last Clear [Min]        : 81.3
Symbol Errors                      : 91822
Symbol BER                         : 5E-10
Effective Physical BER             : 6E-09
Raw Physical BER                   : 4E-06
Link Down Counter                  : 3
'''
[[test]]
fires = 1
expect = { devices = [] }
logs."mlxlink.txt" = '''
Physical Counters and BER Info
------------------------------
Time Since Last Clear [Min]        : 310.0
Effective Physical Errors          : 8812
Effective Physical BER             : 6E-10
Raw Physical BER                   : 4E-06
'''
[[test]]
fires = 0                        # what the correction mended
logs."mlxlink.txt" = '''
$ mlxlink -d mlx5_3 -c
Physical Counters and BER Info
------------------------------
Time Since Last Clear [Min]        : 81.3
Symbol Errors                      : 0
Symbol BER                         : 15E-255
Effective Physical Errors          : 3120
Effective Physical BER             : 6E-10
Raw Physical BER                   : 4E-06
Link Down Counter                  : 0
'''
[[test]]
fires = 0                        # since seconds
logs."mlxlink.txt" = '''
$ mlxlink -d mlx5_3 -c
Physical Counters and BER Info
------------------------------
Time Since Last Clear [Min]        : 0.2
Effective Physical Errors          : 4
Effective Physical BER             : 6E-11
'''
*/
-- The test: 1e-12, the limit of ibdiagnet, on symbols where the link counts them (they are what is left in the end), over five minutes or more.
WITH number AS (
  SELECT max(attempt) AS attempt, file_id, host, device, name, max(value) AS value, max(line) AS line, max(part) AS part
  FROM   metrics
  WHERE  name IN ('mlxlink.symbol_ber', 'mlxlink.effective_ber', 'mlxlink.since_clear_min', 'mlxlink.link_down')
  GROUP  BY file_id, host, device, name),
rate AS (
  SELECT file_id, host, device, max(attempt) AS attempt, coalesce(max(value) FILTER (WHERE name = 'mlxlink.symbol_ber'), max(value) FILTER (WHERE name = 'mlxlink.effective_ber')) AS ber,
         max(value) FILTER (WHERE name = 'mlxlink.since_clear_min') AS minutes, max(value) FILTER (WHERE name = 'mlxlink.link_down') AS downs,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY line, part) FILTER (WHERE name LIKE '%ber') AS evidence
  FROM   number
  GROUP  BY file_id, host, device)
SELECT attempt, CASE WHEN host IS NOT NULL AND device IS NOT NULL THEN [host] ELSE [] END AS hosts, CASE WHEN device IS NOT NULL THEN [coalesce(host || '/', '') || device] ELSE [] END AS devices,
       coalesce(host || ': t', 'T') || printf('he link of %s loses one in %.0e bits after correction%s', coalesce(device, 'a port'), 1 / ber,
                                              CASE WHEN downs > 0 THEN printf(', and went down %d times since its counters were cleared', CAST(downs AS BIGINT)) ELSE '' END) AS summary,
       evidence
FROM   rate
WHERE  ber > 1e-12 AND coalesce(minutes, 5) >= 5
