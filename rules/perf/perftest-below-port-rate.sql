/*
title    = "A bandwidth test over RDMA stays far below the rate of its port"
kind     = "perf.low_busbw"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["perftest", "nic_counters"]
explanation = '''
With large messages one queue pair fills a port from host memory. This test reached a fraction of the rate that the port has: a PCIe slot that trained narrow or slow, lost packets, a path through a slower link, memory of the other
socket, or a setting of the test. The table does not say which, nor at which of the two ends.
'''
advice = '''
`lspci -vv -s BUS | grep LnkSta` and `mlxlink -d DEVICE -c -e` at both ends; run it again bound to the adapter's socket (`numactl -N`), with more queue pairs (`-q 4`), and against a third host, which tells the end from the path.
'''
false_positives = "Small messages and a limited rate (--rate_limit) of the test; GPU memory without GPUDirect."
references = ["github.com/linux-rdma/perftest"]
[[test]]
fires = 1
expect = { devices = ["mlx5_2"], hosts = [] }
logs."ib_write_bw.txt" = '''
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_2
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             49.10              48.77              0.093021
'''
logs."ibstat.txt" = '''
CA 'mlx5_2'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
'''
[[test]]
fires = 1                        # mebibytes
expect = { devices = ["mlx5_2"] }
logs."ib_write_bw.txt" = '''
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_2
 #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]
 65536      5000             5901.10            5889.77            0.094236
'''
logs."ibstat.txt" = '''
CA 'mlx5_2'
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
'''
[[test]]
fires = 0                        # near the rate
logs."ib_write_bw.txt" = '''
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_2
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             197.10             196.77             0.375307
'''
logs."ibstat.txt" = '''
CA 'mlx5_2'
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
'''
[[test]]
fires = 0                        # small messages
logs."ib_write_bw.txt" = '''
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_2
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 256        5000             9.10              8.77               4.282226
'''
logs."ibstat.txt" = '''
CA 'mlx5_2'
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
'''
*/
-- The test: less than 60 % of the rate at 64 KiB or more; one queue pair reaches 90 % there.
WITH port AS (
  SELECT device, max(rate) AS gbit, min({'file_id': file_id, 'line': line, 'part': part}) AS evidence FROM nic_port_state
  WHERE  rate > 0 AND device IS NOT NULL AND regexp_matches(coalesce(state, 'active'), '(?i)active')
  GROUP  BY device
  HAVING min(rate) = max(rate)),
run AS (         -- a file may hold several tests
  SELECT t.attempt, t.file_id, t.line, t.part, t.host, t.average * CASE WHEN t.unit = 'Gb/sec' THEN 1 ELSE 8 * 1.048576 / 1000 END AS gbit, d.device
  FROM   bench_perftest_table t
  JOIN   bench_perftest_device d ON d.file_id = t.file_id AND d.line < t.line
  WHERE  t.size_bytes >= 65536
  QUALIFY row_number() OVER (PARTITION BY t.file_id, t.line ORDER BY d.line DESC) = 1)
SELECT r.attempt, CASE WHEN r.host IS NOT NULL THEN [r.host] ELSE [] END AS hosts, [coalesce(r.host || '/', '') || r.device] AS devices,
       coalesce(r.host || ': ', '') || printf('a test over %s reached %.0f Gb/s, its port has %.0f', r.device, r.gbit, p.gbit) AS summary,
       [{'file_id': r.file_id, 'line': r.line, 'part': r.part}, p.evidence] AS evidence
FROM   run r
JOIN   port p ON p.device = r.device
WHERE  r.gbit < 0.6 * p.gbit
