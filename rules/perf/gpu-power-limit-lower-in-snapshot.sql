/*
title    = "A snapshot shows one GPU held at a lower power limit"
kind     = "perf.straggler_power.limit"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["amd_smi", "nvidia_smi", "nvidia_smi_text", "nvidia_smi_lines"]
explanation = '''
All GPUs are busy; one has a lower power limit than its siblings, draws all of it, and runs at a lower clock. In a synchronous job everybody waits for it.
'''
advice = '''
`nvidia-smi -q -d POWER -i GPU` shows who set it (default and maximum limit beside it); set it back with `nvidia-smi -i GPU -pl WATTS`, and look for a tool that lowers it at start.
'''
false_positives = "GPUs of different models in one host."
references = ["nvidia-smi manual: power.limit, enforced.power.limit"]
[[test]]
fires = 1
expect = { gpus = ["GPU 2"] }
logs."gpu.csv" = '''
index, name, power.draw [W], power.limit [W], clocks.sm [MHz], temperature.gpu, utilization.gpu [%]
0, NVIDIA A100-SXM4-80GB, 391.10 W, 400.00 W, 1365 MHz, 62, 100 %
1, NVIDIA A100-SXM4-80GB, 388.02 W, 400.00 W, 1350 MHz, 60, 100 %
2, NVIDIA A100-SXM4-80GB, 249.67 W, 250.00 W, 930 MHz, 48, 100 %
3, NVIDIA A100-SXM4-80GB, 392.71 W, 400.00 W, 1365 MHz, 63, 100 %
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 1"] }
logs."rocm-smi.txt" = '''
GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%
0    61.0c           552.0W   1500Mhz  1600Mhz  0%   auto  560.0W    80%   100%
1    52.0c           299.0W   1010Mhz  1600Mhz  0%   auto  300.0W    80%   100%
2    60.0c           551.0W   1500Mhz  1600Mhz  0%   auto  560.0W    80%   100%
'''
[[test]]
fires = 0                        # nothing runs
logs."gpu.csv" = '''
index, name, power.draw [W], power.limit [W], clocks.sm [MHz], temperature.gpu, utilization.gpu [%]
0, NVIDIA A100-SXM4-80GB, 61.10 W, 400.00 W, 210 MHz, 32, 0 %
1, NVIDIA A100-SXM4-80GB, 58.02 W, 400.00 W, 210 MHz, 30, 0 %
2, NVIDIA A100-SXM4-80GB, 59.67 W, 250.00 W, 210 MHz, 28, 0 %
'''
[[test]]
fires = 0                        # all alike
logs."gpu.csv" = '''
index, name, power.draw [W], power.limit [W], clocks.sm [MHz], temperature.gpu, utilization.gpu [%]
0, NVIDIA A100-SXM4-80GB, 299.10 W, 300.00 W, 1110 MHz, 52, 100 %
1, NVIDIA A100-SXM4-80GB, 298.02 W, 300.00 W, 1125 MHz, 50, 100 %
2, NVIDIA A100-SXM4-80GB, 299.67 W, 300.00 W, 1095 MHz, 48, 100 %
'''
*/
-- The test: a limit below 0.9 of the median of two or more busy siblings, all of it drawn, and a clock below 0.95 of theirs. Longer series have a rule of their own.
WITH sample AS (
  SELECT p.attempt, s.file_id, p.host, p.name, p.who, p.ranks, s.line, s.part, s.nth, s.sm_mhz, s.power_w, s.limit_w, s.busy_percent
  FROM   gpu_samples s
  JOIN   gpu_places p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host AND p.gpu IS NOT DISTINCT FROM s.gpu
                     AND p.device IS NOT DISTINCT FROM s.device
  WHERE  s.limit_w > 0 AND s.power_w > 0),
gpu AS (
  SELECT attempt, file_id, host, name, who, ranks, max(limit_w) AS limit_w, median(power_w) AS power_w, median(sm_mhz) AS mhz, coalesce(min(busy_percent), 100) AS busy, max(nth) AS n,
         min(line) AS line, min({'l': line, 'p': part}).p AS part
  FROM   sample
  GROUP  BY ALL),
beside AS (
  SELECT a.*, count(*) AS siblings, median(b.limit_w) AS usual_w, median(b.mhz) AS usual_mhz
  FROM   gpu a
  JOIN   gpu b ON b.file_id = a.file_id AND b.host IS NOT DISTINCT FROM a.host AND b.name <> a.name AND b.busy >= 90
  WHERE  a.busy >= 90 AND a.n <= 30
  GROUP  BY ALL)
SELECT attempt, [host] AS hosts, [name] AS gpus, ranks,
       printf('GPU %s is limited to %d W where its siblings may draw %d%s', who, CAST(limit_w AS INTEGER), CAST(usual_w AS INTEGER), coalesce(printf(': %d MHz instead of %d', CAST(mhz AS INTEGER), CAST(usual_mhz AS INTEGER)), '')) AS summary,
       [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   beside
WHERE  siblings >= 2 AND limit_w < 0.9 * usual_w AND power_w >= 0.95 * limit_w AND coalesce(mhz < 0.95 * usual_mhz, true)
