/*
title    = "DCGM's check of a GPU's PCI Express link failed"
kind     = "hw.pcie"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.cuda_error", "perf.low_busbw", "perf.straggler"]
needs    = ["dcgm_reports"]
explanation = '''
A diagnostic or health check of DCGM failed for this GPU, and the table says of what. Health checks look at what happened since the watch began; a diagnostic tested the GPU when it ran.
'''
advice = '''
Drain the host; `nvidia-smi -q -d PCIE` and `dmesg -T | grep -i aer` for the link, reseat the GPU or its riser, and run `dcgmi diag -r 3` again.
'''
false_positives = "A diagnostic that ran beside a job; a check of something that was repaired since."
references = ["DCGM user guide: DCGM diagnostics"]
[[test]]
fires = 1
expect = { gpus = ["GPU 1"] }
logs."dcgmi.txt" = '''
| Warning                   | GPU 1 Detected more than 8 PCIe replays per    |
|                           | minute for GPU 1: 38                           |
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 1"] }
logs."dcgmi.txt" = '''
| PCIe                      | Fail - GPUs: 1                                 |
'''
[[test]]
fires = 0
logs."dcgmi.txt" = '''
| PCIe                      | Pass - All                                     |
| GPU Memory                | Pass - All                                     |
'''
[[test]]
fires = 0
logs."dcgmi.txt" = '''
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
| N/A   34C    P0            116W /  700W |       1MiB /  81559MiB |      0%      Default |
'''
*/
SELECT attempt, hosts, gpus, summary, evidence
FROM   dcgm_failures
WHERE  subject = 'pcie'
