/*
title    = "Two ranks use one GPU"
kind     = "config.duplicate_gpu"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "crash.*", "net.socket_error", "desync.*"]
needs    = ["nccl"]
explanation = """
NCCL refuses a communicator in which two ranks sit on the same device. Mostly the local rank is not used to choose the device, the visible devices are
narrowed to one, or more processes than GPUs were started.
"""
advice = """
Set the device from the local rank before anything else (`torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))`) and compare CUDA_VISIBLE_DEVICES and the number of processes with the GPUs of the host.
"""
false_positives = "Two hosts with one host name or machine id (cloned containers) look like one; set NCCL_HOSTID."
references = ["NCCL source: init.cc, Duplicate GPU detected"]
[[test]]
fires = 1
expect = { hosts = ["gpu-11"], ranks = [0, 1] }
logs."nccl.log" = "gpu-11:11:21 [0] init.cc:497 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 3000"
[[test]]
fires = 1
expect = { ranks = [0, 1, 2] }
logs."nccl.log" = '''
gpu-11:11:21 [0] init.cc:497 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 3000
gpu-11:12:22 [0] init.cc:497 NCCL WARN Duplicate GPU detected : rank 2 and rank 0 both on CUDA device 3000
'''
[[test]]
fires = 0
logs."nccl.log" = "gpu-11:11:21 [0] NCCL INFO comm 0x5501 rank 0 nranks 2 cudaDev 0 busId 3000 - Init COMPLETE"
[[test]]
fires = 0
logs."nccl.log" = "gpu-11:11:21 [0] init.cc:497 NCCL WARN Invalid rank requested : 9/8"
*/
WITH pair AS (
  SELECT attempt, host, bus_id, TRY_CAST('0x' || bus_id AS BIGINT) AS bus, TRY_CAST(unnest([rank_a, rank_b]) AS INTEGER) AS r, ts, file_id, line, part
  FROM   nccl_comm_duplicate_gpu)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT r ORDER BY r) FILTER (WHERE r IS NOT NULL) AS ranks,
       list(DISTINCT printf('%04x:%02x:%02x.%x', bus // 1048576, (bus // 4096) % 256, (bus // 16) % 32, bus % 16)
            ORDER BY printf('%04x:%02x:%02x.%x', bus // 1048576, (bus // 4096) % 256, (bus // 16) % 32, bus % 16)) FILTER (WHERE bus IS NOT NULL) AS gpus, min(ts) AS began,
       printf('%d ranks%s share one GPU%s', count(DISTINCT r), coalesce(' on ' || host, ''), coalesce(' (bus id ' || min(bus_id) || ')', '')) AS summary,
       list(DISTINCT {'file_id': file_id, 'line': line, 'part': part} ORDER BY {'file_id': file_id, 'line': line, 'part': part}) AS evidence
FROM   pair
GROUP  BY attempt, host
