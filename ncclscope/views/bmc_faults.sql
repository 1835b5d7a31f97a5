-- What stands in the event log of a host's BMC, by the fault it means: board (memory or processor), pcie, power, heat. The list spans months: what was
-- taken back is over, and beside a job that is in the input it explains nothing.
WITH entry AS (
  SELECT *, try_strptime(date || ' ' || clock, ['%m/%d/%Y %H:%M:%S', '%m/%d/%y %H:%M:%S', '%b-%d-%Y %H:%M:%S', '%Y/%m/%d %H:%M:%S']) AS told FROM bmc_event),
standing AS (
  SELECT e.*, unnest(list_filter([
           CASE WHEN (regexp_matches(e.event, '(?i)uncorrectable( ecc| memory| machine check)?|multi-bit memory errors?|ierr|thermal trip|machine check|cpu catastrophic|caterr') OR regexp_matches(e.sensor, '(?i)caterr'))
                     AND NOT regexp_matches(e.event, '(?i)^correctable') THEN 'board' END,
           CASE WHEN regexp_matches(e.event, '(?i)bus (fatal|uncorrectable) error|pci (serr|perr)|fatal (nmi|pcie)|fatal error was detected on a component|pcie link down') THEN 'pcie' END,
           CASE WHEN regexp_matches(e.sensor, '(?i)power (supply|unit)|^psu?\b|\bps\d')
                     AND regexp_matches(e.event, '(?i)failure detected|ac lost|input lost|power lost|failure asserted|soft-power control failure|redundancy (is )?lost|power supply \d+ (failed|is lost)') THEN 'power' END,
           CASE WHEN regexp_matches(e.event, '(?i)upper (critical|non-recoverable) going high|transition to (critical|non-recoverable)|(above|exceeds|exceeded) (the|its) (upper )?(critical|non-recoverable)|(greater|more) than the upper critical') AND regexp_matches(e.sensor, '(?i)temp')
                  OR regexp_matches(e.event, '(?i)lower (critical|non-recoverable) going low|less than the lower critical') AND regexp_matches(e.sensor, '(?i)fan') THEN 'heat' END],
         lambda fault: fault IS NOT NULL)) AS fault
  FROM entry e
  WHERE e.state = 'Asserted'
    AND NOT EXISTS (SELECT 1 FROM entry o WHERE o.file_id = e.file_id AND o.sensor = e.sensor AND o.event = e.event AND o.state = 'Deasserted' AND o.line > e.line)
    AND NOT EXISTS (SELECT 1 FROM job_spans WHERE began IS NOT NULL))
SELECT attempt, host, fault, coalesce(host, 'A host') AS who, list(DISTINCT sensor ORDER BY sensor) FILTER (WHERE sensor IS NOT NULL) AS sensors,
       -- the first entry, and the BMC's own clock
       coalesce(min({'l': line, 's': sensor, 'e': event}).s || ', ', '') || min({'l': line, 's': sensor, 'e': event}).e || coalesce(strftime(min(told), ' (%Y-%m-%d %H:%M:%S by its clock)'), '') AS what,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM standing
GROUP BY attempt, host, fault
