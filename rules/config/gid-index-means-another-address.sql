/*
title    = "The GID index of the job is another address on one host"
kind     = "config.env"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["net.ib_error", "net.socket_error", "hang.*", "launcher.*", "crash.python", "crash.signal", "desync.rank_behind"]
needs    = ["rdma_gids"]
explanation = """
`NCCL_IB_GID_INDEX` picks a row of the adapter's GID table, and the rows stand in the order in which addresses were set: at that index other hosts have their RoCE v2 address, this port has none
or one of version 1. Its packets are not routed, or its queue pairs refuse the peer.
"""
advice = """
Leave `NCCL_IB_GID_INDEX` unset from NCCL 2.21 on, which finds the address by itself (`NCCL_IB_ROCE_VERSION_NUM=2`, `NCCL_IB_ADDR_FAMILY`). Otherwise bring the table of this host in line: restart its
interface so that addresses are set in the usual order (`ip addr`, `show_gids`), or set the index for this host alone.
"""
false_positives = "Adapters of storage that the job does not use; a fabric that runs RoCE v1 on purpose has it on all hosts alike and is left out."
references = ["NCCL documentation: NCCL_IB_GID_INDEX", "sysfs-class-infiniband: gid_attrs/types"]
[[test]]
fires = 1
expect = { hosts = ["n2"], devices = ["n2/mlx5_0"], role = "cause" }
logs."n1/show_gids.txt" = '''
DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
mlx5_0  1       2       0000:0000:0000:0000:0000:ffff:0a00:0c05 10.0.12.5       v1      ens1f0
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a00:0c05 10.0.12.5       v2      ens1f0
'''
logs."n2/show_gids.txt" = '''
DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
mlx5_0  1       4       0000:0000:0000:0000:0000:ffff:0a00:0c06 10.0.12.6       v1      ens1f0
mlx5_0  1       5       0000:0000:0000:0000:0000:ffff:0a00:0c06 10.0.12.6       v2      ens1f0
'''
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.
n2:11:21 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.
n2:11:21 [0] misc/ibvwrap.cc:202 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument errno 22
'''
[[test]]
fires = 1                        # nothing failed: worth knowing
expect = { hosts = ["n2"], role = "context", severity = "info" }
logs."n1/show_gids.txt" = '''
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a00:0c05 10.0.12.5       v2      ens1f0
'''
logs."n2/show_gids.txt" = '''
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a00:0c06 10.0.12.6       v1      ens1f0
mlx5_0  1       5       0000:0000:0000:0000:0000:ffff:0a00:0c06 10.0.12.6       v2      ens1f0
'''
logs."nccl.log" = "n1:10:20 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3."
[[test]]
fires = 0                        # all alike
logs."n1/show_gids.txt" = '''
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a00:0c05 10.0.12.5       v2      ens1f0
'''
logs."n2/show_gids.txt" = '''
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a00:0c06 10.0.12.6       v2      ens1f0
'''
logs."nccl.log" = "n1:10:20 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3."
[[test]]
fires = 0                        # NCCL finds the address by itself
logs."n1/show_gids.txt" = '''
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a00:0c05 10.0.12.5       v2      ens1f0
'''
logs."n2/show_gids.txt" = '''
mlx5_0  1       5       0000:0000:0000:0000:0000:ffff:0a00:0c06 10.0.12.6       v2      ens1f0
'''
logs."nccl.log" = "n1:10:20 [0] NCCL INFO Using network IB"
*/
WITH asked AS (  -- one index for all; hosts that set different ones know why
  SELECT attempt, min(TRY_CAST(rtrim(value, '.') AS INTEGER)) AS gid_index
  FROM   nccl_env
  WHERE  name = 'NCCL_IB_GID_INDEX'
  GROUP  BY attempt
  HAVING count(DISTINCT rtrim(value, '.')) = 1 AND gid_index >= 0),
port AS (
  SELECT a.attempt, a.gid_index, g.host, g.device, g.port, coalesce(bool_or(g."index" = a.gid_index AND g.version = 2), false) AS fits,
         min(g."index") FILTER (WHERE g.version = 2 AND g.address IS NOT NULL) AS own_index, bool_or(g."index" = a.gid_index) AS has_row,
         list({'file_id': g.file_id, 'line': g.line, 'part': g.part} ORDER BY g.file_id, g.line, g.part) AS evidence
  FROM   nic_gid g
  CROSS JOIN asked a
  WHERE  g.host IS NOT NULL
  GROUP  BY ALL),
trouble AS (
  SELECT attempt FROM nccl_net_ib_modify_qp UNION SELECT attempt FROM failed_completions WHERE status = 12)
SELECT p.attempt, [p.host] AS hosts, [p.host || '/' || p.device] AS devices, p.evidence,
       CASE WHEN p.attempt NOT IN (SELECT attempt FROM trouble) THEN 'context' END AS role, CASE WHEN p.attempt NOT IN (SELECT attempt FROM trouble) THEN 'info' END AS severity,
       printf('%s: GID index %d of %s is %s; its RoCE v2 address has index %d', p.host, p.gid_index, p.device, CASE WHEN p.has_row THEN 'of another version than elsewhere' ELSE 'empty' END, p.own_index) AS summary
FROM   port p
WHERE  NOT p.fits AND p.own_index IS NOT NULL
AND    EXISTS (SELECT 1 FROM port o WHERE o.attempt = p.attempt AND o.fits AND o.host <> p.host)
