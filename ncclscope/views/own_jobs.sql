-- Slurm job ids that the job's own output names; a controller's log and sacct speak of others too.
SELECT DISTINCT coalesce(fields['job'], fields['value']) AS job
FROM events
WHERE NOT duplicate AND (kind IN ('slurm.cancelled', 'slurm.step_ending', 'slurm.oom', 'slurm.step_failed', 'slurm.job_nodes')
                         OR (kind = 'slurm.env' AND fields['name'] IN ('SLURM_JOB_ID', 'SLURM_JOBID')))
AND   coalesce(fields['job'], fields['value']) IS NOT NULL
