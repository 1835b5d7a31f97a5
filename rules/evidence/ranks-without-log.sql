/*
title    = "Some ranks have no log here"
kind     = "evidence.missing"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["nccl_comm", "torch", "torch_elastic"]
explanation = """
The job is larger than what is in the input. What the absent ranks did is not known: they are neither suspected nor cleared.
"""
advice = """
Fetch the logs of the other hosts of the job too, above all of those that the complaints name.
"""
false_positives = "Ranks whose output is in a shared console without any mark."
references = ["failure analysis: a rank without a log is unknown, not guilty"]
[[test]]
fires = 1
expect = { summary = "14 of 16 ranks have no log in the input, so nothing is known of them" }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 16 cudaDev 0 busId 18000 - Init COMPLETE
n1:11:21 [1] NCCL INFO comm 0x5502 rank 1 nranks 16 cudaDev 1 busId 2a000 - Init COMPLETE
'''
[[test]]
fires = 1
logs."nccl.log" = "n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 2 cudaDev 0 busId 18000 - Init COMPLETE"
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 2 cudaDev 0 busId 18000 - Init COMPLETE
n1:11:21 [1] NCCL INFO comm 0x5502 rank 1 nranks 2 cudaDev 1 busId 2a000 - Init COMPLETE
'''
[[test]]
fires = 0                        # nothing says how many there are
logs."train.log" = '''
[rank3]: KeyError: 'labels'
'''
*/
WITH size AS (
  SELECT attempt, max(size) AS world FROM world_sizes GROUP BY attempt),
given AS (
  SELECT attempt, count(*) FILTER (WHERE given) AS n FROM ranks GROUP BY attempt),
said AS (        -- the lines that say how large the job is
  SELECT attempt, nranks AS size, file_id, line, part FROM nccl_comm_init
  UNION ALL SELECT attempt, nranks, file_id, line, part FROM nccl_comm_nodes
  UNION ALL SELECT attempt, pg_size, file_id, line, part FROM torch_pg_init
  UNION ALL SELECT attempt, world_size, file_id, line, part FROM elastic_rendezvous_complete
  UNION ALL SELECT attempt, world_size, file_id, line, part FROM launcher_lightning_init
  UNION ALL SELECT attempt, pg_size, file_id, line, part FROM torch_ddp_init
  UNION ALL SELECT attempt, TRY_CAST(fields['world_size'] AS BIGINT), file_id, line, part FROM events WHERE fields['world_size'] IS NOT NULL)
SELECT s.attempt, printf('%d of %d ranks have no log in the input, so nothing is known of them', s.world - coalesce(g.n, 0), s.world) AS summary,
       list({'file_id': d.file_id, 'line': d.line, 'part': d.part} ORDER BY d.file_id, d.line, d.part) AS evidence
FROM   size s
LEFT JOIN given g ON g.attempt = s.attempt
JOIN   said d ON d.attempt = s.attempt AND d.size = s.world
-- where no rank at all is told apart, its lines may be in a console without marks
WHERE  s.world > g.n AND g.n > 0
GROUP  BY s.attempt, s.world, g.n
