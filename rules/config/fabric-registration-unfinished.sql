/*
title    = "GPUs are not registered with the NVLink fabric"
kind     = "config.env.fabric"
severity = "high"
role     = "cause"
confidence = "possible"
explains = ["crash.cuda_error", "hang.init", "launcher.*"]
needs    = ["nvidia_smi", "nvidia_smi_text"]
explanation = '''
nvidia-smi shows that the registration of GPUs with the NVLink fabric has not finished, or failed: the fabric manager (in racks: of the switches, and IMEX) has not set the fabric up. CUDA then says 802, system not yet initialised, or multicast is refused.
'''
advice = '''
On the host: `systemctl status nvidia-fabricmanager nvidia-imex`, /var/log/fabricmanager.log, and `nvidia-smi -q | grep -A4 Fabric` again: the state must be Completed and the status Success.
'''
false_positives = "The first minute after boot or after a reset of the GPUs."
references = ["nvidia-smi manual: Fabric"]
[[test]]
fires = 1
logs."q.txt" = '''
GPU 00000000:1B:00.0
    Fabric
        State                             : In Progress
        Status                            : N/A
    Clocks Event Reasons
        Idle                              : Active
'''
[[test]]
fires = 1
logs."gpu.csv" = '''
index, fabric.state, fabric.status, gpu_recovery_action
0, Completed, Success, None
1, Completed, Insufficient Resources, None
'''
[[test]]
fires = 0
logs."q.txt" = '''
GPU 00000000:1B:00.0
    Fabric
        State                             : Completed
        Status                            : Success
    Clocks Event Reasons
        Idle                              : Active
'''
[[test]]
fires = 0                        # no fabric in this host
logs."q.txt" = '''
GPU 00000000:1B:00.0
    Fabric
        State                             : N/A
        Status                            : N/A
    Clocks Event Reasons
        Idle                              : Active
'''
*/
WITH latest AS (
  SELECT * FROM gpu_state WHERE field IN ('fabric.state', 'fabric.status')
  QUALIFY row_number() OVER (PARTITION BY attempt, file_id, host, gpu, device, field ORDER BY line DESC, part DESC) = 1),
bad AS (
  SELECT * FROM latest WHERE (field = 'fabric.state' AND regexp_matches(value, '(?i)in progress|not started')) OR (field = 'fabric.status' AND NOT regexp_matches(value, '(?i)^(success|n/a|\[?n/a\]?|not supported)$'))),
told AS (
  SELECT attempt, host, count(DISTINCT coalesce(CAST(gpu AS VARCHAR), device)) AS gpus, min(value) AS value, min(ts) AS began,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   bad
  GROUP  BY attempt, host)
SELECT attempt, [host] AS hosts, began,
       coalesce(host || ': ', '') || printf('%s not registered with the NVLink fabric (%s)', CASE WHEN gpus > 1 THEN printf('%d GPUs are', gpus) ELSE 'a GPU is' END, lower(value)) AS summary,
       evidence
FROM   told t
-- a job that ran says otherwise
WHERE  NOT EXISTS (SELECT 1 FROM steps)
