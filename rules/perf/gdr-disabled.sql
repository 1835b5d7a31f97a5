/*
title    = "GPUDirect RDMA is disabled"
kind     = "perf.gdr_off"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw"]
needs    = ["nccl"]
explanation = """
NCCL says that it cannot use GPUDirect RDMA with these adapters: traffic between hosts is staged in host memory. The reason is not in the line:
the peer-memory module, DMA-BUF support, or the distance between GPU and adapter.
"""
advice = """
Run `lsmod | grep -e nvidia_peermem -e nv_peer_mem` on the host and check `NCCL_NET_GDR_LEVEL`; newer drivers can use DMA-BUF with the open kernel module.
"""
false_positives = "GeForce-class GPUs, where it is a product limit, and adapters that are not for the job; jobs on one host."
references = ["NCCL source: net_ib.cc, GPU Direct RDMA Disabled"]
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [3] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'
n1:10:20 [3] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 1 'mlx5_1'
'''
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0' (no module)"
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'"
[[test]]
fires = 0                       # one adapter of several, the others do
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'
n1:10:20 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 1 'mlx5_1'
'''
*/
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts,
       list(DISTINCT coalesce(host || '/', '') || hca ORDER BY coalesce(host || '/', '') || hca) AS devices, min(ts) AS began,
       printf('GPUDirect RDMA is disabled for %s%s', string_agg(DISTINCT hca, ', ' ORDER BY hca), coalesce(' on ' || host, '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   nccl_gdr_hca
GROUP  BY attempt, host
HAVING bool_and(state = 'Disabled')
