-- How processes ended, as launchers saw it: exit codes and signals by rank, host and pid.
SELECT attempt, rank, host, pid, CASE WHEN exitcode >= 0 THEN exitcode END AS exit_code, CASE WHEN exitcode < 0 THEN -exitcode END AS signal, local_rank,
       ts, file_id, line, part
FROM elastic_child_failed
