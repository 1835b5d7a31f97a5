/*
title    = "NCCL's graph shows a GPU on a slow PCIe link"
kind     = "perf.pcie_degraded"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.straggler"]
needs    = ["nccl_topology"]
explanation = '''
NCCL prints the bandwidth of each PCIe link it found. One GPU's is half of its siblings' or less: fewer lanes, or a lower generation. All that this GPU exchanges with host and network is slower by that factor.
'''
advice = '''
`lspci -vv -s BUS | grep -E 'LnkCap|LnkSta'` of that GPU and of the port above it, compared with a sibling; reseat the GPU or its riser, and look for AER lines in `dmesg -T`.
'''
false_positives = "In virtual machines speed and width of PCIe ports are not to be trusted, but then all GPUs are alike."
references = ["NCCL source: graph/topo.cc"]
[[test]]
fires = 1
expect = { ranks = [1], hosts = ["gn5"] }
logs."nccl.log" = '''
gn5:100:150 [0] NCCL INFO === System : maxBw 24.0 totalBw 24.0 ===
gn5:100:150 [0] NCCL INFO CPU/0 (1/1/2)
gn5:100:150 [0] NCCL INFO + PCI[24.0] - GPU/17000 (0)
gn5:100:150 [0] NCCL INFO + PCI[3.0] - GPU/65000 (1)
gn5:100:150 [0] NCCL INFO + PCI[24.0] - GPU/CA000 (2)
'''
[[test]]
fires = 1
expect = { ranks = [2] }
logs."nccl.log" = '''
gn5:100:150 [0] NCCL INFO + PCI[48.0] - GPU/0-1b000 (0)
gn5:100:150 [0] NCCL INFO + PCI[48.0] - GPU/0-2b000 (1)
gn5:100:150 [0] NCCL INFO + PCI[24.0] - GPU/0-3b000 (2)
gn5:100:150 [0] NCCL INFO + PCI[48.0] - GPU/0-4b000 (3)
'''
[[test]]
fires = 0
logs."nccl.log" = '''
gn5:100:150 [0] NCCL INFO + PCI[24.0] - GPU/17000 (0)
gn5:100:150 [0] NCCL INFO + PCI[24.0] - GPU/65000 (1)
gn5:100:150 [0] NCCL INFO + PCI[24.0] - GPU/CA000 (2)
'''
[[test]]
fires = 0                        # two kinds of slots
logs."nccl.log" = '''
gn5:100:150 [0] NCCL INFO + PCI[24.0] - GPU/17000 (0)
gn5:100:150 [0] NCCL INFO + PCI[12.0] - GPU/65000 (1)
gn5:100:150 [0] NCCL INFO + PCI[24.0] - GPU/CA000 (2)
gn5:100:150 [0] NCCL INFO + PCI[12.0] - GPU/DA000 (3)
'''
*/
WITH gpu AS (
  SELECT attempt, host, id, max(comm_rank) AS rank, min(bw) AS bw, min(file_id) AS file_id, min({'f': file_id, 'l': line, 'p': part}) AS spot FROM nccl_topo_node
  WHERE  link = 'PCI' AND id LIKE 'GPU/%' AND bw > 0
  GROUP  BY attempt, host, id),
judged AS (
  SELECT *, median(bw) OVER k AS usual, count(*) OVER k AS gpus FROM gpu WINDOW k AS (PARTITION BY attempt, host)),
bad AS (
  SELECT *, count(*) OVER (PARTITION BY attempt, host) AS n FROM judged WHERE bw <= 0.55 * usual)
SELECT attempt, [host] AS hosts, [rank] AS ranks,
       [coalesce(host || ':', '') || printf('0000:%s:00.0', lower(lpad(regexp_extract(id, '([0-9A-Fa-f]{1,2})[0-9A-Fa-f]{3}$', 1), 2, '0')))] AS gpus,
       coalesce(host || ': ', '') || printf('GPU %s%s has a PCIe link of %.0f GB/s where its siblings have %.0f', regexp_replace(id, '^GPU/', ''), coalesce(printf(' (rank %d)', rank), ''), bw, usual) AS summary,
       [{'file_id': spot.f, 'line': spot.l, 'part': spot.p}] AS evidence
FROM   bad
WHERE  gpus >= 3 AND n * 3 <= gpus AND rank IS NOT NULL
