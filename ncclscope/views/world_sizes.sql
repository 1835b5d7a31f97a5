-- Every statement of how many ranks the job has.
SELECT attempt, nranks AS size FROM nccl_comm_init WHERE nranks IS NOT NULL
