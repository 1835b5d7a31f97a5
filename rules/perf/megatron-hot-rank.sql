/*
title    = "Megatron's report shows a hot rank with a low clock"
kind     = "perf.straggler_thermal"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw", "sched.cancelled"]
needs    = ["step_parts"]
explanation = """
In most reports one and the same rank has the highest temperature of the job and the lowest clock, far below the others: its GPU throttles for heat.
"""
advice = """
Find the host and GPU of this rank, drain the host and look at its cooling: `nvidia-smi -q -d TEMPERATURE,PERFORMANCE`, BMC sensors.
"""
false_positives = "The hottest of thousands is hot; the clock decides."
references = ["Megatron-LM: megatron/core/utils.py, StragglerDetector"]
[[test]]
fires = 1
expect = { ranks = [11], confidence = "likely" }
logs."train.log" = '''
INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 88C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:08:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 88C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:09:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 88C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:10:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 88C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:11:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 88C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:12:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 88C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
'''
[[test]]
fires = 1
expect = { ranks = [21] }
logs."train.log" = '''
INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 86C/21 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1545MHz/21 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 290.0TF/21 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:08:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 86C/21 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1545MHz/21 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 290.0TF/21 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:09:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 86C/21 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1545MHz/21 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 290.0TF/21 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:10:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 86C/21 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1545MHz/21 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 290.0TF/21 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:11:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 70C/2 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/2 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 296.0TF/2 | MxEtpt/Rnk: 297.32TF/8
'''
[[test]]
# Hot, and as fast as the others.
fires = 0
logs."train.log" = '''
INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 84C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:08:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 84C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:09:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 84C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:10:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 84C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:11:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 84C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:12:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 84C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 295.0TF/11 | MxEtpt/Rnk: 297.32TF/8
'''
[[test]]
# Slow and cool.
fires = 0
logs."train.log" = '''
INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:08:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:09:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:10:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:11:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
INFO:megatron.core.utils:[2024-03-14 23:12:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 62C/11 | MnUtl/Rnk: 97%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1170MHz/11 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 30ms/3 | MnEtpt/Rnk: 240.0TF/11 | MxEtpt/Rnk: 297.32TF/8
'''
*/
-- The test: at least four reports and 70 % of all in which one rank has the highest temperature, 83 C or more, and the lowest clock, below 0.9 of the highest.
WITH report AS (
  SELECT *, count(*) OVER (PARTITION BY attempt, file_id) AS reports FROM train_megatron_straggler WHERE max_tmp_rank IS NOT NULL),
hot AS (
  SELECT attempt, max_tmp_rank AS rank, max(reports) AS reports, count(*) AS times, max(max_tmp_c) AS temp_c, median(min_clk_mhz) AS mhz, median(max_clk_mhz) AS best_mhz,
         min(ts) AS began, max(ts) AS ended, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM report
  WHERE max_tmp_rank = min_clk_rank AND max_tmp_c >= 83 AND min_clk_mhz < 0.9 * max_clk_mhz
  GROUP BY attempt, max_tmp_rank
  HAVING count(*) >= 4 AND count(*) >= 0.7 * max(reports))
SELECT h.attempt, [h.rank] AS ranks, [r.host] AS hosts, h.began, h.ended, h.evidence,
       printf('The GPU of rank %d throttled for heat: %d C, %d MHz where others ran at %d, in %d of %d reports', h.rank, CAST(h.temp_c AS INTEGER), CAST(h.mhz AS INTEGER),
              CAST(h.best_mhz AS INTEGER), h.times, h.reports) AS summary
FROM hot h
LEFT JOIN ranks r ON r.attempt IS NOT DISTINCT FROM h.attempt AND r.rank = h.rank
