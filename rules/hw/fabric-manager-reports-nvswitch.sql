/*
title    = "The fabric manager misses an NVSwitch or reports its error"
kind     = "hw.nvlink"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["config.env", "crash.cuda_error", "crash.python", "launcher.*", "hang.*", "net.socket_error"]
needs    = ["kernel_nvswitch"]
explanation = '''
The NVLink fabric of this server is not whole: the fabric manager found fewer NVSwitches than the board has, or a switch reported a fatal error. CUDA programs then do not start (error 802) or lose their peers.
'''
advice = '''
On that host: `lspci -d 10de: | grep -i bridge` for the switches, `dmesg -T | grep -i sxid`, `nvidia-smi -q | grep -A3 Fabric`; power-cycle it, and replace the switch board if a switch stays away.
'''
false_positives = "A virtual machine that was given part of the board; a fabric manager of another generation than the board."
references = ["NVIDIA Fabric Manager user guide"]
[[test]]
fires = 1
expect = { hosts = ["n9"] }
logs."n9/fabricmanager.log" = '''
[Mar 11 2026 14:02:24] [ERROR] [tid 4410] detected number of NVSwitches don't match with any supported system topology, aborting fabric manager
'''
[[test]]
fires = 1
expect = { devices = ["nvswitch 00000000:86:00.0 port 33"] }
logs."fabricmanager.log" = '''
[Jul 23 2026 07:53:55] [ERROR] [tid 841] detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:86:00.0 physical id 3 port 33
'''
[[test]]
fires = 0                        # not fatal
logs."fabricmanager.log" = '''
[Jul 23 2026 07:53:55] [ERROR] [tid 841] detected NVSwitch non-fatal error 12028 on fid 0 on NVSwitch pci bus id 00000000:86:00.0 physical id 3 port 33
'''
[[test]]
fires = 0
logs."fabricmanager.log" = '''
[Mar 11 2026 14:02:19] [INFO] [tid 4410] multicast group 3 is allocated.
[Mar 11 2026 14:02:19] [INFO] [tid 4410] multicast group 3 is freed.
'''
[[test]]
fires = 1
expect = { gpus = ["0000:a0:00.0"] }
logs."fabricmanager.log" = '''
[Sep 03 2026 14:20:31] [ERROR] [tid 2251] NVLink initialization failed for GPU physical id 6 GPU pci bus id 00000000:A0:00.0 nvlink port 7
'''
*/
WITH word AS (
  SELECT attempt, host, NULL AS device, 'an NVSwitch is missing' AS what, ts, file_id, line, part FROM gpu_fabric_manager_topology_mismatch
  UNION ALL
  SELECT attempt, host, 'nvswitch ' || switch_bdf || coalesce(printf(' port %d', link), ''), printf('a fatal error (SXid %d) of an NVSwitch', sxid), ts, file_id, line, part
  FROM   gpu_fabric_manager_nvswitch_error
  WHERE  class = 'fatal'
  UNION ALL       -- links it could not bring up: the GPU or switch is what the line names, if it does
  SELECT attempt, host, CASE WHEN class = 'NVSwitch' THEN 'nvswitch ' || bdf || coalesce(printf(' port %d', link), '') END, text, ts, file_id, line, part FROM gpu_fabric_manager_error),
board AS (
  SELECT file_id, line, part, lower(CASE WHEN length(bdf) > 12 THEN bdf[5:] ELSE bdf END) AS gpu FROM gpu_fabric_manager_error WHERE class = 'GPU' OR (class IS NULL AND bdf IS NOT NULL))
SELECT w.attempt, [w.host] AS hosts, list(DISTINCT w.device ORDER BY w.device) FILTER (WHERE w.device IS NOT NULL) AS devices,
       list(DISTINCT b.gpu ORDER BY b.gpu) FILTER (WHERE b.gpu IS NOT NULL) AS gpus, min(h.began) AS began,
       CASE WHEN bool_and(h.sure) THEN 'likely' ELSE 'possible' END AS confidence,
       coalesce(w.host || ': t', 'T') || printf('he fabric manager says: %s', min(w.what)) AS summary,
       list({'file_id': w.file_id, 'line': w.line, 'part': w.part} ORDER BY w.file_id, w.line, w.part) AS evidence
FROM   word w
JOIN   host_events h USING (file_id, line, part)
LEFT JOIN board b USING (file_id, line, part)
WHERE  h.hit
GROUP  BY w.attempt, w.host
