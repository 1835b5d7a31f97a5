/*
title    = "A snapshot shows one busy GPU at a fraction of its siblings' clock"
kind     = "perf.straggler"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw"]
needs    = ["amd_smi", "nvidia_smi", "nvidia_smi_text", "dcgm"]
explanation = '''
All GPUs are busy, and one runs far below the clock of the others in every reading. In a synchronous job everybody waits for it. The readings are few and without reasons, so why it is slow is open.
'''
advice = '''
`nvidia-smi -q -d PERFORMANCE,CLOCK,POWER -i GPU` for the reason; a clock of a third or less is a power brake or a power-management fault: reset the GPU, then look at power cables and supplies of the host.
'''
false_positives = "A GPU that was given a lower clock on purpose; GPUs of different models in one host."
references = ["nvidia-smi manual: dmon, clocks"]
[[test]]
fires = 1
expect = { gpus = ["GPU 2"] }
logs."dmon.txt" = '''
# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk
# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz
    0    402     61     66     99     60      0      0      0      0   1593   1335
    1    398     60     64     99     61      0      0      0      0   1593   1350
    2    121     58     60    100      8      0      0      0      0   1593    345
    3    400     62     66     99     60      0      0      0      0   1593   1335
    0    401     61     66     99     60      0      0      0      0   1593   1335
    1    399     60     64     99     61      0      0      0      0   1593   1350
    2    120     58     60    100      8      0      0      0      0   1593    345
    3    402     62     66     99     60      0      0      0      0   1593   1335
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 1"] }
logs."gpu.csv" = '''
index, temperature.gpu, utilization.gpu [%], clocks.current.sm [MHz]
0, 61, 99 %, 1755 MHz
1, 44, 100 %, 210 MHz
2, 60, 98 %, 1740 MHz
'''
[[test]]
fires = 0                        # one that nothing runs on
logs."gpu.csv" = '''
index, temperature.gpu, utilization.gpu [%], clocks.current.sm [MHz]
0, 61, 99 %, 1755 MHz
1, 34, 0 %, 210 MHz
2, 60, 98 %, 1740 MHz
'''
[[test]]
fires = 0                        # it works while the others wait: more power, less clock
logs."gpu.csv" = '''
index, temperature.gpu, utilization.gpu [%], power.draw [W], clocks.current.sm [MHz]
0, 51, 100 %, 210.00 W, 1980 MHz
1, 64, 100 %, 690.00 W, 1350 MHz
2, 50, 100 %, 215.00 W, 1980 MHz
'''
[[test]]
fires = 1                        # somebody set its clocks
expect = { gpus = ["GPU 2"] }
logs."gpu.csv" = '''
index, clocks.current.sm [MHz], clocks.max.sm [MHz], power.draw [W], utilization.gpu [%], clocks_event_reasons.active
0, 1980 MHz, 1980 MHz, 512.00 W, 99 %, 0x0000000000000000
1, 1980 MHz, 1980 MHz, 508.12 W, 99 %, 0x0000000000000000
2, 1200 MHz, 1980 MHz, 311.88 W, 99 %, 0x0000000000000002
3, 1980 MHz, 1980 MHz, 510.31 W, 99 %, 0x0000000000000000
'''
*/
-- The test: in every reading below 0.6 of the median clock of two or more busy siblings, which no load and no power limit explains, and with no more power
-- than they draw. Longer series and readings with reasons have rules of their own.
WITH sample AS (
  SELECT p.attempt, s.file_id, p.host, p.name, p.who, p.ranks, s.line, s.part, s.nth, s.sm_mhz, s.power_w, s.busy_percent, coalesce(s.is_limited, false) AS is_limited
  FROM   gpu_samples s
  JOIN   gpu_places p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.file_id = s.file_id AND p.host IS NOT DISTINCT FROM s.host AND p.gpu IS NOT DISTINCT FROM s.gpu
                     AND p.device IS NOT DISTINCT FROM s.device
  WHERE  s.sm_mhz > 0 AND NOT coalesce(s.is_idle OR s.is_hot OR s.is_braked OR s.is_capped, false) AND coalesce(s.temp_c, 0) < 83),
few AS (
  SELECT file_id FROM sample GROUP BY file_id HAVING max(nth) <= 30),
gpu AS (
  SELECT attempt, file_id, host, name, who, ranks, count(*) AS n, min(busy_percent) AS least_busy, max(sm_mhz) AS most_mhz, median(sm_mhz) AS mhz, median(power_w) AS power, bool_and(is_limited) AS is_limited,
         min(line) AS line, min({'l': line, 'p': part}).p AS part
  FROM   sample SEMI JOIN few USING (file_id)
  GROUP  BY ALL),
busy AS (
  SELECT * FROM gpu WHERE least_busy >= 90),
beside AS (
  SELECT a.attempt, a.file_id, a.host, a.name, a.who, a.ranks, a.mhz, a.most_mhz, a.power, a.line, a.part, a.is_limited AND NOT bool_or(b.is_limited) AS is_limited, count(*) AS siblings, median(b.mhz) AS usual_mhz, median(b.power) AS usual_power
  FROM   busy a
  JOIN   busy b ON b.file_id = a.file_id AND b.host IS NOT DISTINCT FROM a.host AND b.name <> a.name
  GROUP  BY a.attempt, a.file_id, a.host, a.name, a.who, a.ranks, a.mhz, a.most_mhz, a.power, a.line, a.part, a.is_limited)
SELECT attempt, [host] AS hosts, [name] AS gpus, ranks,
       printf('GPU %s ran at %d MHz where busy siblings ran at %d', who, CAST(mhz AS INTEGER), CAST(usual_mhz AS INTEGER)) || CASE WHEN is_limited THEN ', because its clocks were set' ELSE '' END AS summary,
       [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   beside
WHERE  siblings >= 2 AND most_mhz < CASE WHEN is_limited THEN 0.9 ELSE 0.6 END * usual_mhz AND coalesce(power <= usual_power, true)
QUALIFY count(*) OVER (PARTITION BY file_id) = 1
