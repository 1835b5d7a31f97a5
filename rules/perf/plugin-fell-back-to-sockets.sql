/*
title    = "A network plugin was there and gave up, and sockets are left"
kind     = "perf.transport_fallback.plugin"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.gdr_off", "net.socket_error"]
needs    = ["nccl_plugins", "nccl_net"]
explanation = """
The plugin that carries NCCL over this cluster's fabric was loaded, so somebody meant it to be used; it failed to start, and NCCL chose TCP sockets. Work goes on at a fraction of the
bandwidth. The plugin's own line before the failure holds the reason: no provider, no device in the container, a limit of locked memory, versions that do not fit.
"""
advice = """
In the container on this host: `fi_info -p efa` (or the provider of the fabric), `ls /dev/infiniband`, `ulimit -l` (unlimited), and the plugin's version against that of NCCL and libfabric.
Set `NCCL_NET` to the plugin's network so that a job without it fails at once instead of crawling.
"""
false_positives = "A job on one host, which needs no network; a plugin that an image holds for another cluster."
references = ["aws-ofi-nccl documentation: troubleshooting"]
[[test]]
fires = 1
expect = { hosts = ["p5-1"] }
logs."nccl.log" = '''
p5-1:90:190 [0] NCCL INFO NET/Plugin: Loaded net plugin AWS Libfabric (v9)
p5-1:90:190 [0] nccl_net_ofi_init_plugin:201 NCCL WARN NET/OFI Unable to find a protocol that worked.  Failing initialization.
p5-1:90:190 [0] NCCL INFO Using network Socket
p5-1:90:190 [0] NCCL INFO comm 0x550 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0
'''
[[test]]
fires = 1                        # two hosts, both
expect = { hosts = ["p5-1", "p5-2"] }
logs."nccl.log" = '''
p5-1:90:190 [0] nccl_net_ofi_create_plugin:204 NCCL WARN NET/OFI aws-ofi-nccl initialization failed
p5-1:90:190 [0] NCCL INFO Using network Socket
p5-2:90:190 [0] nccl_net_ofi_create_plugin:204 NCCL WARN NET/OFI aws-ofi-nccl initialization failed
p5-2:90:190 [0] NCCL INFO Using network Socket
'''
[[test]]
fires = 1                        # Google's plugin
expect = { hosts = ["a3-1"] }
logs."nccl.log" = '''
a3-1:72:624 [0] NCCL INFO NET/GPUDirectTCPX ver. 3.1.9.
a3-1:72:624 [0] NCCL WARN NET/GPUDirectTCPX : Failed to connect to the receive manager at /run/tcpx
a3-1:72:624 [0] NCCL INFO Using network Socket
a3-1:72:624 [0] NCCL INFO comm 0x550 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0
'''
[[test]]
fires = 0                        # it says what it found, and is used
logs."nccl.log" = '''
a3-1:72:624 [0] NCCL INFO NET/FastSocket : Flow placement enabled.
a3-1:72:624 [0] NCCL INFO NET/FastSocket : Failed to find a topology file, using the default
a3-1:72:624 [0] NCCL INFO Using network FastSocket
a3-1:72:624 [0] NCCL INFO comm 0x550 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0
'''
[[test]]
fires = 0                        # one host
logs."nccl.log" = '''
p5-1:90:190 [0] nccl_net_ofi_create_plugin:204 NCCL WARN NET/OFI aws-ofi-nccl initialization failed
p5-1:90:190 [0] NCCL INFO Using network Socket
p5-1:90:190 [0] NCCL INFO comm 0x550 rank 0 nRanks 8 nNodes 1 localRanks 8 localRank 0 MNNVL 0
'''
[[test]]
fires = 0                        # one protocol did not work, another did
logs."nccl.log" = '''
p5-1:90:190 [0] nccl_net_ofi_rdma_init:7000 NCCL WARN NET/OFI Failed to initialize rdma protocol
p5-1:90:190 [0] NCCL INFO Using network AWS Libfabric
p5-1:90:190 [0] NCCL INFO comm 0x550 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0
'''
*/
WITH failed AS (
  SELECT attempt, host, min(text) AS text, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM  (SELECT attempt, host, text, file_id, line, part FROM nccl_ofi_failed
         UNION ALL    -- of Google Cloud's and other plugins every line is a note
         SELECT attempt, host, text, file_id, line, part FROM nccl_plugin_note WHERE plugin LIKE 'NET/%')
  WHERE  host IS NOT NULL
  AND    regexp_matches(text, '(?i)initiali[sz]ation failed|failing initiali[sz]ation|fail(ed|ure)? to (initiali[sz]e|init\b|connect|open|load|find|get)|no (eligible|provider|device|nic|interface)s?\b|(could(n.t| not)|unable to|cannot) (find|connect|open|initiali[sz]e)')
  GROUP  BY attempt, host),
nodes AS (
  SELECT attempt, max(nodes) AS n FROM nccl_comm_nodes GROUP BY attempt),
fallen AS (
  SELECT f.*, coalesce(c.n, (SELECT count(DISTINCT host) FROM host_networks)) > 1 AS between_hosts FROM failed f
  JOIN   host_networks n ON n.attempt IS NOT DISTINCT FROM f.attempt AND n.host = f.host
  LEFT JOIN nodes c ON c.attempt IS NOT DISTINCT FROM f.attempt
  WHERE  n.only_sockets
  -- the network matters between hosts only
  AND    (coalesce(c.n, (SELECT count(DISTINCT host) FROM host_networks)) > 1
          -- one process of a job of unknown size: the plugin was put there for more than one host
          OR c.n IS NULL AND NOT EXISTS (SELECT 1 FROM world_sizes w WHERE w.attempt IS NOT DISTINCT FROM f.attempt AND w.size <= 16)))
SELECT attempt, CASE WHEN bool_or(between_hosts) THEN 'likely' ELSE 'possible' END AS confidence, CASE WHEN count(*) <= 8 THEN list(host ORDER BY host) ELSE [] END AS hosts, flatten(list(evidence ORDER BY host)) AS evidence,
       printf('%s: the network plugin failed to start (%s), so NCCL uses TCP sockets', CASE WHEN count(*) = 1 THEN min(host) ELSE printf('%d hosts', count(*)) END,
              trim(min(text), '. ')) AS summary
FROM   fallen
GROUP  BY attempt
