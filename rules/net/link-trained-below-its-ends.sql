/*
title    = "A link trained below what both its ends can"
kind     = "net.link_flap.slow"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw"]
needs    = ["fabric"]
explanation = '''
The listing of the fabric says that this link could be wider or faster: both ends support more. Lanes that do not train are a matter of the cable or transceiver; everything that passes there runs at a fraction.
'''
advice = '''
Reseat, then exchange the cable between the two ends named; `mlxlink -d DEVICE -m -e` shows which lane does not train.
'''
false_positives = "A port whose width or speed was limited on purpose, as for a splitter cable; many such links at once are one."
references = ["infiniband-diags: iblinkinfo"]
[[test]]
fires = 1
expect = { hosts = ["n7"], devices = ["n7/mlx5_1"] }
logs."iblinkinfo.txt" = '''
CA: n7 mlx5_0:
      0x946dae0300aa0001    201    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>      12    1[  ] "leaf-01" ( )
CA: n7 mlx5_1:
      0x946dae0300aa0002    202    1[  ] ==( 1X        106.25 Gbps Active/  LinkUp)==>      13    1[  ] "leaf-02" ( Could be 4X)
'''
[[test]]
fires = 1
expect = { hosts = ["n7"], devices = ["n7/mlx5_4"] }
logs."switch.txt" = '''
Switch: 0xb8cef60300aa0001 leaf-03:
          12    9[  ] ==( 2X        53.125 Gbps Active/  LinkUp)==>     311    1[  ] "n7 mlx5_4" ( Could be 4X)
'''
[[test]]
fires = 0
logs."iblinkinfo.txt" = '''
CA: n7 mlx5_0:
      0x946dae0300aa0001    201    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>      12    1[  ] "leaf-01" ( )
'''
[[test]]
fires = 0                        # every link alike: a decision
logs."iblinkinfo.txt" = '''
CA: n1 mlx5_0:
      0x946dae0300aa0001    201    1[  ] ==( 2X        53.125 Gbps Active/  LinkUp)==>      12    1[  ] "leaf-01" ( Could be 4X)
CA: n2 mlx5_0:
      0x946dae0300aa0002    202    1[  ] ==( 2X        53.125 Gbps Active/  LinkUp)==>      12    2[  ] "leaf-01" ( Could be 4X)
CA: n3 mlx5_0:
      0x946dae0300aa0003    203    1[  ] ==( 2X        53.125 Gbps Active/  LinkUp)==>      12    3[  ] "leaf-01" ( Could be 4X)
CA: n4 mlx5_0:
      0x946dae0300aa0004    204    1[  ] ==( 2X        53.125 Gbps Active/  LinkUp)==>      12    4[  ] "leaf-01" ( Could be 4X)
'''
*/
-- The test: a link with room, and not more than three of them unless ten times as many are whole.
WITH slow AS (
  -- seen from a switch, the far end's description is host and adapter, where the host set it
  SELECT *, coalesce(near_host, regexp_extract(far, '^([\w.-]*\d[\w.-]*) (?:mlx\d_\d+|HCA-\d+|ib\d+|hfi1_\d+|rocep\w+)$', 1)) AS host_end,
         coalesce(near, regexp_extract(far, '^[\w.-]*\d[\w.-]* (mlx\d_\d+|HCA-\d+|ib\d+|hfi1_\d+|rocep\w+)$', 1)) AS adapter_end,
         max(near IS NOT NULL) OVER (PARTITION BY file_id) AS by_adapter
  FROM   fabric_link_limited),
named AS (
  SELECT * EXCLUDE (host_end), nullif(split_part(host_end, '.', 1), '') AS place, CASE WHEN host_end <> '' AND adapter_end <> '' THEN split_part(host_end, '.', 1) || '/' || adapter_end ELSE far END AS link_end
  FROM   slow),
counted AS (
  SELECT * FROM named
  WHERE  near IS NOT NULL OR NOT by_adapter)
SELECT attempt, CASE WHEN place IS NOT NULL THEN [place] ELSE [] END AS hosts, [link_end] AS devices,
       printf('The link of %s runs with %d lane%s of %s Gb/s: %s', link_end, min(width), CASE WHEN min(width) = 1 THEN '' ELSE 's' END, CAST(min(lane_gbps) AS VARCHAR), lower(min(could))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   counted
WHERE  (SELECT count(DISTINCT link_end) FROM counted) <= greatest(3, (SELECT count(*) FROM fabric_link) / 10)
GROUP  BY attempt, place, link_end
