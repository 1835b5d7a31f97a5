/*
title    = "The fabric manager does not run"
kind     = "config.env.fabric_manager"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.cuda_error", "crash.python", "net.socket_error"]
needs    = ["services", "kernel_nvswitch"]
explanation = '''
On hosts with NVSwitch no program can use CUDA until the fabric manager has set up the NVLink fabric (error 802, system not yet initialised). Its service failed on this host; it fits only a driver of exactly its own version.
'''
advice = '''
On the host named: `systemctl status nvidia-fabricmanager`, `journalctl -u nvidia-fabricmanager`, compare `nv-fabricmanager --version` with `cat /proc/driver/nvidia/version`, install the package of the driver's version, start it, then `nvidia-smi -q | grep -A3 Fabric`.
'''
false_positives = "A host without NVSwitch needs no fabric manager: where the service says that it has nothing to do, this is silent."
references = ["NVIDIA Fabric Manager user guide"]
[[test]]
fires = 1
expect = { hosts = ["n14"] }
logs."journal.txt" = '''
Nov 02 08:10:52 n14 systemd[1]: nvidia-fabricmanager.service: Control process exited, code=exited, status=1/FAILURE
Nov 02 08:10:52 n14 systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.
Nov 02 08:10:52 n14 systemd[1]: Failed to start NVIDIA fabric manager service.
'''
[[test]]
fires = 1
expect = { hosts = ["n14"] }
logs."journal.txt" = '''
Nov 02 08:10:52 n14 systemd[1]: Failed to start nvidia-imex.service - NVIDIA IMEX service.
'''
[[test]]
fires = 0                        # no switch in this host
logs."journal.txt" = '''
Nov 02 08:10:52 n14 nv-fabricmanager[3321]: request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]
Nov 02 08:10:52 n14 systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.
'''
[[test]]
fires = 0                        # it started in the end
logs."journal.txt" = '''
Nov 02 08:10:52 n14 systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.
Nov 02 08:14:52 n14 systemd[1]: Started NVIDIA fabric manager service.
'''
*/
WITH word AS (
  SELECT host, CASE WHEN unit LIKE 'nvidia-imex%' THEN 'IMEX' ELSE 'fabric manager' END AS what, file_id, line, part FROM service_failed WHERE regexp_matches(unit, '^nvidia-(fabricmanager|imex)')
  UNION ALL
  SELECT host, CASE WHEN regexp_matches(lower(concat_ws(' ', unit, description)), 'imex') THEN 'IMEX' ELSE 'fabric manager' END, file_id, line, part FROM service_start_failed
  WHERE  regexp_matches(lower(concat_ws(' ', unit, description)), 'nvidia[ -](fabric ?manager|imex)'))
SELECT h.attempt, list(DISTINCT w.host ORDER BY w.host) FILTER (WHERE w.host IS NOT NULL) AS hosts, min(h.began) AS began,
       printf('%s: the %s service failed%s, so no program can use the NVLink fabric', coalesce(min(w.host), 'A host'), min(w.what), coalesce(strftime(min(h.began), ' at %H:%M:%S'), '')) AS summary,
       list({'file_id': w.file_id, 'line': w.line, 'part': w.part} ORDER BY w.file_id, w.line, w.part) AS evidence
FROM   word w
JOIN   host_events h USING (file_id, line, part)
WHERE  h.hit
AND    NOT EXISTS (SELECT 1 FROM gpu_fabric_manager_nothing_to_do n WHERE n.host IS NOT DISTINCT FROM w.host)
AND    NOT EXISTS (SELECT 1 FROM service_state s WHERE s.file_id = w.file_id AND s.host IS NOT DISTINCT FROM w.host AND s.action = 'Started' AND s.line > w.line
                   AND regexp_matches(lower(concat_ws(' ', s.unit, s.description)), CASE w.what WHEN 'IMEX' THEN 'imex' ELSE 'fabric ?manager' END))
GROUP  BY h.attempt, w.host
