/*
title    = "A disk or its file system failed"
kind     = "storage.stall"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["storage.*", "host.hung_task", "data.stall", "crash.python", "crash.signal", "hang.*", "desync.*", "launcher.*"]
needs    = ["kernel_storage", "kernel_netfs"]
explanation = """
An NVMe controller that does not answer, I/O errors, a file system that turned read-only or shut itself down, or a Lustre client that was
evicted: reads and writes there fail or block. The host looks alive, but logs and checkpoints can no longer be written.
"""
advice = """
Drain the host; `smartctl -a`, `nvme smart-log` and `dmesg -T` for the device named, then replace or repair it.
For an evicted Lustre client look at the server's reason: the client hung or lost the network.
"""
false_positives = "Removable or unused disks of the host; single timeouts that were polled to completion."
references = ["Linux: nvme, block, ext4, xfs", "Lustre client messages"]
[[test]]
fires = 1
expect = { hosts = ["node3"], devices = ["node3/nvme0"] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: nvme nvme0: I/O 22 QID 4 timeout, aborting
May  1 12:00:30 node3 kernel: nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff
May  1 12:01:00 node3 kernel: nvme nvme0: Removing after probe failure status: -19
'''
[[test]]
fires = 1
expect = { hosts = ["node3"], devices = ["node3/sda2"] }
logs."messages" = '''
May  1 12:00:00 node3 kernel: EXT4-fs (sda2): Remounting filesystem read-only
'''
[[test]]
fires = 0                       # completed by polling
logs."messages" = '''
May  1 12:00:00 node3 kernel: nvme nvme0: I/O 22 QID 4 timeout, completion polled
'''
[[test]]
fires = 0                       # a person did it
logs."messages" = '''
May  1 12:00:00 node3 kernel: XFS (nvme0n1): User initiated shutdown received. Shutting down filesystem
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, kind, fields['device'] AS device, coalesce(fields['target'], fields['import']) AS target,
         CASE kind WHEN 'storage.nvme_timeout' THEN 'did not answer in time' WHEN 'storage.nvme_down' THEN 'is down' WHEN 'storage.nvme_lost' THEN 'was given up'
                   WHEN 'storage.io_error' THEN 'has I/O errors' WHEN 'storage.fs_readonly' THEN 'was remounted read-only' WHEN 'storage.fs_shutdown' THEN 'had its file system shut down'
                   WHEN 'storage.fs_error' THEN 'has file system errors' WHEN 'storage.raid_disk_failure' THEN 'failed in its array'
                   WHEN 'storage.lustre_evicted' THEN 'evicted this client' END AS what,
         CASE kind WHEN 'storage.nvme_timeout' THEN 1 WHEN 'storage.io_error' THEN 2 WHEN 'storage.fs_error' THEN 2 WHEN 'storage.raid_disk_failure' THEN 2 ELSE 3 END AS weight
  FROM   events
  WHERE  NOT duplicate AND (kind IN ('storage.nvme_down', 'storage.nvme_lost', 'storage.io_error', 'storage.fs_readonly', 'storage.fs_error', 'storage.lustre_evicted')
         OR (kind = 'storage.nvme_timeout' AND fields['action'] <> 'completion polled')
         OR (kind = 'storage.fs_shutdown' AND fields['text'] NOT LIKE 'User initiated%')
         OR (kind = 'storage.raid_disk_failure' AND fields['action'] LIKE 'failing%'))),
placed AS (
  SELECT l.*, h.attempt, h.place, h.sure, h.began, h.rank,
         coalesce(l.host || '/', '') || coalesce(regexp_replace(l.device, '^(nvme\d+)n\d+.*$', '\1'), l.target, '?') AS name
  FROM   line l
  JOIN   host_events h USING (file_id, line, part)
  WHERE  h.hit),
-- the controller if a line names it, else its namespace as the lines have it
called AS (
  SELECT *, CASE WHEN bool_or(coalesce(device = regexp_replace(device, '^(nvme\d+)n\d+.*$', '\1'), true)) OVER (PARTITION BY attempt, name) THEN name
                 ELSE coalesce(host || '/', '') || min(device) OVER (PARTITION BY attempt, name) END AS called
  FROM   placed)
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, [called] AS devices,
       CASE WHEN max(weight) = 1 THEN 'possible' ELSE 'likely' END AS confidence, min(began) AS began,
       printf('%s %s%s', coalesce(min(host) || ': ', '') || coalesce(CASE WHEN bool_or(device IS NOT NULL) THEN regexp_replace(called, '^.*/', '') END, min(target), 'a disk'), string_agg(DISTINCT what, ', ' ORDER BY what),
              coalesce(strftime(min(began), ' from %H:%M:%S'), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   called
GROUP  BY attempt, host, called
