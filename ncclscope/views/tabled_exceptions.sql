-- The exception at the end of a worker's entry in torchrun's table, which the `record` decorator puts there: the only copy where the worker's
-- own output is not in the input. `first_line` and `last_line` bound the entry, for events inside it that name no rank.
WITH entry AS (
  SELECT attempt, rank, host, ts, ts_from, file_id, line, part, traceback,
         line + 5 + len(traceback) - len(replace(traceback, chr(10), '')) AS last_line
  FROM   elastic_child_failed
  WHERE  traceback LIKE 'Traceback (most recent call last)%'),
tail AS (        -- the last line that begins with a name of an exception: chained ones come before it
  SELECT *, regexp_extract(traceback, '(?s).*\n\s+((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Iteration|Failure|Interrupt))(?::[ ]?([^\n]*)|\s*(?:\n|$))', ['exception', 'text']) AS found
  FROM   entry)
SELECT attempt, rank, host, ts, ts_from, found.exception AS exception, nullif(trim(found.text), '') AS text, line AS first_line, last_line, file_id, line, part
FROM   tail
WHERE  found.exception <> ''
