/*
title    = "NCCL refuses what it was asked for"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["nccl", "nccl_channels", "nccl_ops", "nccl_plugins", "nccl_system", "torch_nccl"]
explanation = """
NCCL rejected a call or a setting before any data moved: an argument out of its range or on another device, a network that is not there, two ranks between which no transport works,
NVLink across hosts without its service, handles that a container keeps apart. It is the program's or the platform's set-up; no rank or cable is broken.
"""
advice = """
Read the line: for an argument, the call of the program; for a network, NCCL_NET and NCCL_NET_PLUGIN against `ldconfig -p | grep nccl-net`; for a missing transport, NCCL_P2P_DISABLE, NCCL_SHM_DISABLE and NCCL_IB_DISABLE;
for sockets between processes (UDS), one network namespace for all containers of a host; for MNNVL, `systemctl status nvidia-imex`.
"""
false_positives = "A program that tries a setting and goes on without it."
references = ["NCCL source: argcheck.cc, transport.cc, net.cc, misc/ipcsocket.cc"]
[[test]]
fires = 1
expect = { ranks = [2] }
logs."train.log" = '''
[rank2]: ncclInvalidArgument: Invalid value for an argument.
[rank2]: Last error:
[rank2]: Broadcast : invalid root 4 (root should be in the 0..4 range)
'''
[[test]]
fires = 1
expect = { hosts = ["node2"] }
logs."nccl.log" = "node2:300:322 [0] transport.cc:32 NCCL WARN No transport found for rank 4[1c000] -> rank 0[1c000]"
[[test]]
fires = 1                       # the class alone
expect = { confidence = "possible" }
logs."train.log" = "[rank2]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, invalid argument (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5"
[[test]]
fires = 1                       # no IMEX channel on one of the hosts
expect = { hosts = ["gb-07"] }
logs."nccl.log" = "gb-07:188:771 [0] init.cc:735 NCCL WARN MNNVL (cliqueSize 8) is available but not working on some system. Check the IMEX channel configuration (/dev/nvidia-caps-imex-channels). Set NCCL_MNNVL_ENABLE=0 to ignore this issue."
[[test]]
fires = 1                       # a container that shows half of the PCI tree
expect = { hosts = ["llm-0"], confidence = "possible" }
logs."nccl.log" = '''
llm-0:71:153 [0] graph/xml.h:77 NCCL WARN Attribute busid of node nic not found
llm-0:71:153 [0] NCCL INFO graph/xml.cc:589 -> 3
llm-0:71:153 [0] NCCL INFO graph/topo.cc:652 -> 3
'''
[[test]]
fires = 0                       # a complaint after which the call went on
logs."nccl.log" = '''
llm-0:71:153 [0] graph/xml.cc:77 NCCL WARN Could not find real path of /sys/class/pci_bus/0000:00
llm-0:71:153 [0] NCCL INFO Connected all rings
'''
[[test]]
fires = 0                       # two ranks on one GPU are told elsewhere
logs."train.log" = '''
[rank0]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5
[rank0]: ncclInvalidUsage: This usually reflects invalid usage of NCCL library.
[rank0]: Last error:
[rank0]: Duplicate GPU detected : rank 0 and rank 1 both on CUDA device c1000
'''
[[test]]
fires = 0
logs."train.log" = "[rank2]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, remote process exited or there was a network error, NCCL version 2.20.5"
*/
WITH refused AS (
  SELECT attempt, rank, host, op || ': ' || text AS what, 'likely' AS confidence, ts, file_id, line, part FROM nccl_op_invalid_argument
  UNION ALL SELECT attempt, rank, host, 'there is no network ' || coalesce(network, 'that can be used'), 'likely', ts, file_id, line, part FROM nccl_net_not_found
  UNION ALL SELECT attempt, rank, host, 'no transport works between two ranks', 'possible', ts, file_id, line, part FROM nccl_transport_none
  UNION ALL SELECT attempt, rank, host, 'NVLink across hosts is there and does not work', 'likely', ts, file_id, line, part FROM nccl_mnnvl_broken
  UNION ALL SELECT attempt, rank, host, 'processes of one host cannot exchange handles (' || error || ')', 'possible', ts, file_id, line, part FROM nccl_uds_failed
  UNION ALL SELECT attempt, rank, host, 'the ranks see different topologies', 'possible', ts, file_id, line, part FROM nccl_ring_broken
  -- what no other rule knows by its text: NCCL's own words
  UNION ALL SELECT attempt, rank, host, CASE area WHEN 'topology' THEN 'it cannot make sense of the topology (' || text || ')' ELSE text END, 'possible', ts, file_id, line, part
  FROM   nccl_last_words WHERE area <> 'network'),
class AS (
  SELECT attempt, rank, host, lower(nccl_error) AS what, 'possible' AS confidence, ts, file_id, line, part
  FROM   torch_nccl_error
  WHERE  regexp_matches(nccl_error, '(?i)^invalid (usage|argument)')),
word AS (
  SELECT * FROM refused
  UNION ALL      -- only the class is known
  SELECT * FROM class c
  WHERE  NOT EXISTS (SELECT 1 FROM refused r WHERE r.attempt IS NOT DISTINCT FROM c.attempt)
  AND    NOT EXISTS (SELECT 1 FROM torch_nccl_last_error l WHERE l.attempt IS NOT DISTINCT FROM c.attempt AND length(trim(l.last_error)) > 0)
  AND    NOT EXISTS (SELECT 1 FROM nccl_comm_duplicate_gpu d WHERE d.attempt IS NOT DISTINCT FROM c.attempt))
SELECT attempt, CASE WHEN count(DISTINCT rank) = 1 THEN list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) ELSE [] END AS ranks,
       CASE WHEN count(DISTINCT host) = 1 THEN list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) ELSE [] END AS hosts,
       min(ts) AS began, min(confidence) AS confidence, 'NCCL refused what it was asked for' ||
       CASE WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) WHEN count(DISTINCT rank) = 1 THEN printf(' on rank %d', min(rank)) ELSE '' END || ': ' || left(min(what), 140) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   word
GROUP  BY attempt
