/*
title    = "The clock of a host was stepped"
kind     = "clock.skew"
severity = "info"
role     = "context"
confidence = "certain"
needs    = ["services"]
explanation = """
A time service set the clock by half a second or more, or the kernel gave up its clock source. Lengths of pauses that span the step are wrong,
and the order of events between hosts is uncertain.
"""
advice = """
Check `chronyc tracking` and `chronyc sources` on that host; read its log by the seconds since boot around the step.
A host on `hpet` or `acpi_pm` (`cat /sys/devices/system/clocksource/clocksource0/current_clocksource`) is slow: fix its firmware or boot options.
"""
false_positives = "The first step after a boot is normal."
references = ["chronyd, ntpd, systemd-timesyncd", "Linux: clocksource watchdog"]
[[test]]
fires = 1
expect = { hosts = ["node17"], severity = "info", role = "context" }
logs."messages" = '''
May  1 12:00:04 node17 chronyd[812]: System clock was stepped by 4.005564 seconds
'''
[[test]]
fires = 1
logs."messages" = '''
May  1 12:00:04 node17 kernel: [  99.123456] clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:
'''
[[test]]
fires = 0                       # slewed, not stepped
logs."messages" = '''
May  1 12:00:04 node17 chronyd[812]: System clock was stepped by 0.000012 seconds
May  1 12:00:04 node17 chronyd[812]: Selected source 10.0.0.1
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:04 node17 chronyd[812]: Source 10.0.0.1 offline
'''
*/
WITH line AS (
  SELECT file_id, line, part, host, kind, TRY_CAST(fields['step_s'] AS DOUBLE) AS step,
         CASE kind WHEN 'clock.step' THEN printf('its clock was stepped by %.1f s', TRY_CAST(fields['step_s'] AS DOUBLE)) WHEN 'clock.jump' THEN 'its clock jumped'
                   WHEN 'clock.tsc_unstable' THEN 'its clock source is unstable' WHEN 'clock.source' THEN 'it switched to the slow clock source ' || fields['clocksource'] END AS what
  FROM   events
  WHERE  NOT duplicate
  AND    ((kind = 'clock.step' AND abs(TRY_CAST(fields['step_s'] AS DOUBLE)) >= 0.5) OR kind IN ('clock.jump', 'clock.tsc_unstable')
          OR (kind = 'clock.source' AND regexp_matches(fields['clocksource'], 'hpet|acpi_pm|jiffies|pit'))))
SELECT h.attempt, list(DISTINCT l.host ORDER BY l.host) FILTER (WHERE l.host IS NOT NULL) AS hosts, min(h.began) AS began,
       printf('%s: %s%s', coalesce(min(l.host), 'A host'), string_agg(DISTINCT what, ', ' ORDER BY what), coalesce(strftime(min(h.began), ' at %H:%M:%S'), '')) AS summary,
       list({'file_id': l.file_id, 'line': l.line, 'part': l.part} ORDER BY l.file_id, l.line, l.part) AS evidence
FROM   line l
JOIN   host_events h USING (file_id, line, part)
-- before and after the job it changes nothing
WHERE  h.place NOT IN ('outside', 'elsewhere')
GROUP  BY h.attempt, l.host
