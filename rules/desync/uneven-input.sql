/*
title    = "Some ranks had finished while the others were still in a step"
kind     = "desync.uneven_input"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["progress", "torch"]
explanation = """
These ranks logged the end of their training (or epoch) before the others ran into their timeout: they had fewer batches. They wait in a last
barrier or are gone, and the collectives of the others can never complete.
"""
advice = """
Make the number of steps equal on all ranks: drop_last=True, a padded sampler, the join context manager, or agree in each step whether anybody is out of data.
"""
false_positives = "A rank that prints its end and then only tears down while the job has succeeded everywhere."
references = ["PyTorch: torch.distributed.algorithms.join"]
[[test]]
fires = 1
expect = { ranks = [1] }
logs."train.log" = '''
[rank0]: world size 3
[rank1]: training done after 14 steps
[rank0]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
[rank2]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.11]:19335. This is typically caused by a remote worker crashing.
'''
[[test]]
fires = 1
expect = { ranks = [0, 3] }
logs."train.log" = '''
[rank0]: training done after 14 steps
[rank3]: training done after 14 steps
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
[rank2]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
'''
[[test]]
fires = 0                       # all are done
logs."train.log" = '''
[rank0]: training done after 14 steps
[rank1]: training done after 14 steps
'''
[[test]]
fires = 0                       # nobody is
logs."train.log" = '''
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
[rank2]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv operation to complete
'''
*/
WITH done AS (
  SELECT attempt, rank, min(ts) AS ts, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   train_done
  WHERE  rank IS NOT NULL
  GROUP  BY attempt, rank),
stuck AS (
  SELECT attempt, count(DISTINCT rank) AS n, min(began) AS began
  FROM   peer_faults p
  WHERE  rank IS NOT NULL AND what <> 'lost the store' AND NOT EXISTS (SELECT 1 FROM done d WHERE d.attempt IS NOT DISTINCT FROM p.attempt AND d.rank = p.rank)
  GROUP  BY attempt)
SELECT d.attempt, list(d.rank ORDER BY d.rank) AS ranks, min(d.ts) AS began, flatten(list(d.evidence ORDER BY d.rank)) AS evidence,
       printf('Rank%s %s ended the training while %d other%s waited in a step: the input was uneven', CASE WHEN count(*) > 1 THEN 's' ELSE '' END,
              string_agg(CAST(d.rank AS VARCHAR), ', ' ORDER BY d.rank), min(s.n), CASE WHEN min(s.n) > 1 THEN 's' ELSE '' END) AS summary
FROM   done d
JOIN   stuck s ON s.attempt IS NOT DISTINCT FROM d.attempt
GROUP  BY d.attempt
