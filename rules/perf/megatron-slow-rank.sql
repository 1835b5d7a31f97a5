/*
title    = "Megatron's report shows the same rank as slowest each time"
kind     = "perf.straggler"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "sched.cancelled"]
needs    = ["step_parts"]
explanation = """
The straggler report ranks all processes by what they computed per second without waiting. Somebody is last in every report, which means nothing. Here it is the same rank
again and again, and more than 5 % below the best.
"""
advice = """
Find the host and GPU of this rank and watch it under load: `nvidia-smi --query-gpu=index,clocks.sm,temperature.gpu,power.draw,clocks_event_reasons.active --format=csv -l 5`.
If its GPU looks like the others, compare the work of this rank (pipeline stage, experts, sequence lengths).
"""
false_positives = "Pipeline stages with more layers are slower by design."
references = ["Megatron-LM: megatron/core/utils.py, StragglerDetector"]
[[test]]
fires = 1
expect = { ranks = [11], confidence = "likely" }
logs."train.log" = '''
INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:08:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:09:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:10:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:11:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:12:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
'''
[[test]]
fires = 1
expect = { ranks = [11] }
logs."train.log" = '''
INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:08:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:09:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:10:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:11:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:12:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 60C/4 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/4 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 290.1TF/4 | MxEtpt/Rnk: 297.32TF/8
'''
[[test]]
# Last, by less than a percent.
fires = 0
logs."train.log" = '''
INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:08:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:09:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:10:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:11:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:12:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
'''
[[test]]
# Another one each time.
fires = 0
logs."train.log" = '''
INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/3 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/3 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 260.0TF/3 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:08:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/9 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/9 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 260.0TF/9 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:09:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/1 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/1 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 260.0TF/1 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:10:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/14 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/14 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 260.0TF/14 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:11:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/7 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/7 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 260.0TF/7 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:12:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/2 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/2 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 260.0TF/2 | MxEtpt/Rnk: 297.32TF/8
'''
*/
-- The test: at least five reports, the rank is last in 70 % of them, and the median of its throughput is below 0.95 of the best rank's. Hot ones are another finding.
WITH report AS (
  SELECT attempt, min_etpt_rank AS rank, min_etpt_tf, max_etpt_tf, max_tmp_rank, max_tmp_c, min_clk_rank, min_clk_mhz, max_clk_mhz, ts, file_id, line, part,
         count(*) OVER (PARTITION BY attempt, file_id) AS reports
  FROM train_megatron_straggler
  WHERE min_etpt_rank IS NOT NULL AND max_etpt_tf > 0),
slow AS (
  SELECT attempt, rank, max(reports) AS reports, count(*) AS times, median(min_etpt_tf) AS tf, median(max_etpt_tf) AS best_tf, min(ts) AS began, max(ts) AS ended,
         count(*) FILTER (WHERE max_tmp_rank = rank AND max_tmp_c >= 83 AND min_clk_rank = rank AND min_clk_mhz < 0.9 * max_clk_mhz) AS hot,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM report
  GROUP BY attempt, rank
  HAVING count(*) >= 4 AND max(reports) >= 5 AND count(*) >= 0.7 * max(reports) AND median(min_etpt_tf) < 0.95 * median(max_etpt_tf))
SELECT s.attempt, [s.rank] AS ranks, [r.host] AS hosts, s.began, s.ended, s.evidence,
       printf('Rank %d was slowest in %d of %d reports: %.0f TFLOP/s where the best reach %.0f', s.rank, s.times, s.reports, s.tf, s.best_tf) AS summary
FROM slow s
LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM s.attempt AND r.rank = s.rank
WHERE s.hot < 0.5 * s.times
