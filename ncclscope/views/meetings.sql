-- Moments that every rank of a job reaches together, as each line tells them: a step that is logged, a communicator that is complete.
SELECT attempt, 'step ' || iteration AS meeting, iteration, host, ts, file_id, line, part
FROM   steps
WHERE  host IS NOT NULL AND iteration IS NOT NULL AND ts_from = 'line' AND NOT duplicate
UNION ALL
SELECT attempt, 'communicator ' || comm, NULL, host, ts, file_id, line, part
FROM   nccl_comm_init
WHERE  host IS NOT NULL AND comm IS NOT NULL AND ts_from = 'line' AND phase = 'COMPLETE' AND nranks > 1
