/*
title    = "DCGM's check of a GPU's memory failed"
kind     = "hw.ecc"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.cuda_error", "perf.low_busbw", "perf.straggler"]
needs    = ["dcgm_reports"]
explanation = '''
A diagnostic or health check of DCGM failed for this GPU, and the table says of what. Health checks look at what happened since the watch began; a diagnostic tested the GPU when it ran.
'''
advice = '''
Drain the host, reset the GPU and run `dcgmi diag -r 3` again; read `nvidia-smi -q -d ROW_REMAPPER,ECC` and return the GPU if remapping failed.
'''
false_positives = "A diagnostic that ran beside a job; a check of something that was repaired since."
references = ["DCGM user guide: DCGM diagnostics"]
[[test]]
fires = 1
expect = { gpus = ["GPU 5"] }
logs."dcgmi.txt" = '''
| Page Retirement/Row Remap | Fail                                           |
| Warning                   | GPU 5 had uncorrectable memory errors and row  |
|                           | remapping failed. Run a field diagnostic on    |
|                           | the GPU.                                       |
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 3"] }
logs."dcgmi.txt" = '''
| GPU Memory                | Fail - GPU: 3                                  |
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
|       -> NVLink system    | Failure                                        |
|                           | GPU 6's NvLink link 9 is currently down Run a  |
|                           | field diagnostic on the GPU.                   |
'''
*/
SELECT attempt, hosts, gpus, summary, evidence
FROM   dcgm_failures
WHERE  subject = 'memory'
