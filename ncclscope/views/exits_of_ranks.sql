-- How processes ended, as launchers saw it.
SELECT NULL::INTEGER AS attempt, NULL::INTEGER AS rank, NULL AS host, NULL::INTEGER AS pid, NULL::INTEGER AS exit_code, NULL::INTEGER AS signal,
       NULL::INTEGER AS local_rank
WHERE false
