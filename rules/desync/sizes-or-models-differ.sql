/*
title    = "Ranks disagree on a size or on the model"
kind     = "desync.collective_mismatch"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["torch_gloo", "torch_ddp", "nccl_ops"]
explanation = """
A receive of gloo or a check of DDP compared what two ranks brought to one operation, and it differed: number of bytes, of parameters, or their shapes. gloo prints what it got
and what it expected, and mostly ends the process; the side that complains need not be the wrong one.
"""
advice = """
Rerun with TORCH_DISTRIBUTED_DEBUG=DETAIL: the first collective in which ranks differ is then named with its shapes.
Compare configuration, code version and checkpoint between the ranks named, and look for data-dependent shapes and branches.
"""
false_positives = "None known."
references = ["gloo transport/tcp/pair.cc", "torch.nn.parallel: _verify_param_shape_across_processes"]
[[test]]
fires = 1
expect = { ranks = [], confidence = "likely" }
logs."train.log" = '''
terminate called after throwing an instance of 'gloo::EnforceNotMet'
  what():  [enforce fail at ../third_party/gloo/gloo/transport/tcp/pair.cc:446] op.preamble.length <= op.nbytes. 4096 vs 2048.
'''
[[test]]
fires = 1
expect = { ranks = [0, 2], either = true }
logs."train.log" = "[rank2]: RuntimeError: DDP expects same model across all ranks, but Rank 2 has 148 params, while rank 0 has inconsistent 146 params."
[[test]]
fires = 0                       # an address of gloo's own
logs."train.log" = "[enforce fail at ../third_party/gloo/gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address for: eth9"
[[test]]
fires = 0                       # a peer that went away
logs."train.log" = "[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335. This is typically caused by a remote worker crashing."
*/
WITH differ AS (
  SELECT attempt, printf('a receive of %d bytes got %d', expected, got) AS what, NULL::INTEGER AS one, NULL::INTEGER AS other, ts, file_id, line, part FROM torch_gloo_size_mismatch
  UNION ALL
  SELECT attempt, CASE WHEN params IS NOT NULL THEN printf('models of %d and %d parameters', params, other_params) ELSE 'parameters of one index have different shapes' END,
         coalesce(rank, CAST(group_rank AS INTEGER)), coalesce(TRY_CAST(other_rank AS INTEGER), 0), ts, file_id, line, part
  FROM   torch_ddp_model_mismatch
  UNION ALL
  SELECT attempt, 'NCCL found that the collectives of its ranks differ', NULL, NULL, ts, file_id, line, part FROM nccl_op_mismatch),
said AS (
  SELECT attempt, list_sort(list_distinct(list(one ORDER BY one) FILTER (WHERE one IS NOT NULL) || list(other ORDER BY other) FILTER (WHERE other IS NOT NULL))) AS pair, count(DISTINCT one) AS ones, min(ts) AS began, min(what) AS what,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   differ
  GROUP  BY attempt)
SELECT attempt, CASE WHEN ones = 1 THEN pair ELSE [] END AS ranks, ones = 1 AS either, began, evidence,
       CASE WHEN ones = 1 THEN printf('Ranks %s disagree: %s', list_aggregate(pair, 'string_agg', ' and '), what)
            ELSE 'Ranks disagree on what they exchange: ' || what END AS summary
FROM   said
