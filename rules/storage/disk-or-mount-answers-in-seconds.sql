/*
title    = "A disk or mount takes seconds for each request"
kind     = "storage.stall"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = ["data.stall", "host.hung_task", "perf.straggler"]
needs    = ["host_storage"]
explanation = '''
The host's own statistics show requests that take a second and more: on a local disk that is always busy and moves next to nothing, which is how a failing one looks, or at a file server over NFS. Reads of data and writes of checkpoints
wait for it.
'''
advice = '''
A disk: `smartctl -a` or `nvme smart-log`, `dmesg -T | grep -iE 'nvme|I/O error|timeout'`, then take it out. A mount: `nfsiostat 5 3 MOUNT` from another host tells the server from this client; `mountstats --rpc MOUNT` shows which operation waits.
'''
false_positives = "A disk that is busy because it moves much: throughput is looked at. The first report of a run is an average since boot."
references = ["iostat(1), nfsiostat(8)"]
[[test]]
fires = 1
expect = { hosts = ["n9"], devices = ["n9/nvme3n1"], confidence = "likely" }
logs."iostat.txt" = '''
Linux 5.15.0-113-generic (n9) 	07/29/2024 	_x86_64_	(128 CPU)

Device            r/s     rkB/s     w/s     wkB/s r_await w_await  aqu-sz  %util
nvme3n1          1.10      4.40    2.00   2048.00    1.10    1.20    1.47  10.00

Device            r/s     rkB/s     w/s     wkB/s r_await w_await  aqu-sz  %util
nvme3n1          1.10      4.40    2.00   2048.00 8120.33 9771.40   28.47 100.00

Device            r/s     rkB/s     w/s     wkB/s r_await w_await  aqu-sz  %util
nvme3n1          1.10      4.40    2.00   2048.00 8120.33 9771.40   28.47 100.00
'''
[[test]]
fires = 1
expect = { devices = ["/mnt/data"], confidence = "possible" }
logs."nfsiostat.txt" = '''
fs1:/data mounted on /mnt/data:

           ops/s       rpc bklog
          14.211        412.870

read:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)
                  13.900        14233.600        1024.000        9 (0.6%)       4211.320       31877.410
'''
[[test]]
fires = 0                        # busy, and much goes through
logs."iostat.txt" = '''
Device            r/s     rkB/s     w/s     wkB/s r_await w_await  aqu-sz  %util
sda           9901.10 2400044.4  120.00  20480.00    1.33  1200.40   28.47 100.00

Device            r/s     rkB/s     w/s     wkB/s r_await w_await  aqu-sz  %util
sda           9901.10 2400044.4  120.00  20480.00    1.33  1200.40   28.47 100.00
'''
[[test]]
fires = 0                        # an idle mount: nothing was asked
logs."nfsiostat.txt" = '''
fs1:/data mounted on /mnt/data:

           ops/s       rpc bklog
           0.011          0.000

read:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)
                   0.001          0.600        1024.000        0 (0.0%)       1211.320       1277.410
'''
*/
-- The test: a second a request. A disk must be busy all the time (95 %) and move less than 50 MB/s; a mount must be asked once a second.
WITH sample AS (
  SELECT attempt, file_id, line, part, host, device, max(ts) FILTER (WHERE ts_from = 'line') AS ts,
         max(value) FILTER (WHERE name = 'disk.await') AS await, max(value) FILTER (WHERE name = 'disk.util') AS util, max(value) FILTER (WHERE name = 'disk.throughput') AS moved,
         max(value) FILTER (WHERE name LIKE 'nfs.exe.%') AS exe, max(value) FILTER (WHERE name LIKE 'nfs.ops.%') AS ops
  FROM   metrics
  WHERE  regexp_matches(name, '^(disk|nfs)\.') AND NOT duplicate
  GROUP  BY attempt, file_id, line, part, host, device),
nth AS (
  SELECT *, row_number() OVER (PARTITION BY file_id, host, device, exe IS NULL ORDER BY line) AS nth FROM sample),
slow AS (
  SELECT n.*, s.attempt AS during
  FROM   nth n
  LEFT   JOIN job_spans s ON n.ts BETWEEN s.began AND s.ended + INTERVAL 300 SECOND
  WHERE (n.await >= 1000 AND n.util >= 95 AND n.moved < 51200) OR (n.exe >= 1000 AND n.ops >= 1))
SELECT coalesce(max(during), attempt) AS attempt, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, [coalesce(host || '/', '') || device] AS devices, min(ts) AS began,
       CASE WHEN count(*) FILTER (WHERE nth > 1) >= 2 AND bool_and(await IS NOT NULL) THEN 'likely' ELSE 'possible' END AS confidence,
       coalesce(host || ': ', '') || printf('%s takes %.0f s for each request%s', device, greatest(max(await), max(exe)) / 1000, CASE WHEN bool_and(await IS NOT NULL) THEN ', all the time busy with little throughput' ELSE '' END) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   slow
WHERE  during IS NOT NULL OR NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL)
GROUP  BY attempt, host, device
