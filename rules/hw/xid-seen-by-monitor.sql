/*
title    = "A monitor saw a GPU report a hardware Xid"
kind     = "hw.xid.monitor"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["hw.gpu_lost", "hang.*", "desync.*", "crash.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["dcgm", "kubernetes"]
explanation = """
DCGM's field and the Kubernetes device plugin repeat the last Xid of a GPU. The field is sticky: only a change counts, and only codes of
the hardware class; the kernel log has the line itself.
"""
advice = """
Read `dmesg -T | grep NVRM` of that host at this time, then follow the code.
Reset the GPU or drain the host.
"""
false_positives = "A value that an exporter shows since it started says nothing about when: without a change it is possible at most, and beside a job left out."
references = ["DCGM: DCGM_FI_DEV_XID_ERRORS", "NVIDIA k8s-device-plugin health check"]
[[test]]
fires = 1
expect = { gpus = ["GPU-1a2b3c4d-0000-1111-2222-333344445555"], confidence = "likely" }
logs."kubelet.log" = '''
I0501 12:00:00.000000       1 health.go:159] XidCriticalError: Xid=79 on Device=GPU-1a2b3c4d-0000-1111-2222-333344445555, the device will go unhealthy.
'''
[[test]]
fires = 1
logs."plugin.log" = '''
I0501 12:00:00.000000       1 health.go:159] XidCriticalError: Xid=48 on Device=GPU-1a2b3c4d-0000-1111-2222-333344445555; marking device as unhealthy.
'''
[[test]]
fires = 0                       # a program's code
logs."plugin.log" = '''
I0501 12:00:00.000000       1 health.go:159] XidCriticalError: Xid=31 on Device=GPU-1a2b3c4d-0000-1111-2222-333344445555; marking device as unhealthy.
'''
[[test]]
fires = 0
logs."plugin.log" = '''
I0501 12:00:00.000000       1 health.go:159] nothing is wrong with Device=GPU-1a2b3c4d-0000-1111-2222-333344445555
'''
*/
WITH seen AS (
  SELECT attempt, file_id, line, part, host, ts, gpu, gpu_uuid AS uuid, NULL AS bdf, xid, true AS changed FROM k8s_device_unhealthy
  UNION ALL
  SELECT attempt, file_id, line, part, host, ts, gpu, uuid, bdf, code, before IS NOT NULL FROM dcgm_xid),
judged AS (
  SELECT s.*, c.meaning, coalesce(s.host || ':' || s.gpu, s.bdf, s.uuid) AS name
  FROM   seen s
  JOIN   xid_classes c ON c.code = s.xid
  LEFT   JOIN job_ends e ON e.attempt = s.attempt
  WHERE  c.class = 'hardware' AND c.grade IN ('error', 'fatal') AND NOT coalesce(e.completed, false)
  AND    (s.changed OR e.attempt IS NULL)
  AND    NOT EXISTS (SELECT 1 FROM xids x WHERE x.xid = s.xid AND x.host IS NOT DISTINCT FROM s.host))
SELECT attempt, list_distinct(list(host ORDER BY host) FILTER (WHERE host IS NOT NULL)) AS hosts, list(DISTINCT name ORDER BY name) FILTER (WHERE name IS NOT NULL) AS gpus,
       min(ts) FILTER (WHERE changed) AS began, CASE WHEN bool_or(changed) THEN 'likely' ELSE 'possible' END AS confidence,
       printf('A monitor saw Xid %s on GPU %s%s: %s', string_agg(DISTINCT CAST(xid AS VARCHAR), ', ' ORDER BY CAST(xid AS VARCHAR)), coalesce(min(name), '?'),
              coalesce(strftime(min(ts) FILTER (WHERE changed), ' at %H:%M:%S'), ''), min(CASE WHEN regexp_matches(meaning, '^[A-Z][a-z]') THEN lower(meaning[1]) || meaning[2:] ELSE meaning END)) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   judged
GROUP  BY attempt, host, name
