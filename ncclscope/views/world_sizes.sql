-- Every statement of how many ranks the job has; the largest is the world. Where nothing states it, ranks that are there
-- without a gap from 0 are taken to be all, if a launcher's tables list them.
WITH stated AS (
  SELECT attempt, nranks AS size FROM nccl_comm_init WHERE nranks IS NOT NULL
  UNION SELECT attempt, nranks FROM nccl_comm_nodes WHERE nranks IS NOT NULL
  UNION SELECT attempt, pg_size FROM torch_pg_init WHERE pg_size IS NOT NULL AND coalesce(rank < pg_size, true)
  UNION SELECT attempt, world_size FROM elastic_rendezvous_complete WHERE world_size IS NOT NULL
  UNION SELECT attempt, nnodes * nproc FROM launcher_command WHERE launcher LIKE 'torch%' AND nnodes > 0 AND nproc > 0
  UNION SELECT attempt, world_size FROM launcher_lightning_init WHERE world_size IS NOT NULL
  UNION SELECT attempt, pg_size FROM torch_ddp_init WHERE pg_size IS NOT NULL
  UNION SELECT attempt, TRY_CAST(fields['world_size'] AS BIGINT) FROM events WHERE fields['world_size'] IS NOT NULL),
listed AS (
  SELECT attempt, max(rank) + 1 AS size
  FROM elastic_child_failed
  WHERE rank IS NOT NULL
  GROUP BY attempt
  HAVING count(DISTINCT rank) = max(rank) + 1 AND max(rank) > 0)
SELECT attempt, size FROM stated WHERE size > 0
UNION SELECT attempt, size FROM listed
