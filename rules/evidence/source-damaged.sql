/*
title    = "A source is torn, cut or unreadable"
kind     = "evidence.damaged"
severity = "info"
role     = "context"
confidence = "certain"
needs    = []
explanation = """
A file could not be read to its end, or holds lines that are no text. What stood in the rest is not known; the last line proves only where the reading stopped.
"""
advice = """
Copy the file again from where it was written (`cp`, not a terminal), and check the archive with `gzip -t` or `tar -tf`.
"""
false_positives = "A few torn lines in a console that many processes share are normal and are not counted."
references = ["files.status and files.damaged of a case"]
[[test]]
fires = 1
logs."train.log" = "\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\nstep 1\n\u0001\u0002\u0003\u0000\u0000\n\u0000\u0000\u0000\n"
[[test]]
fires = 1
logs."n2/train.log" = "step 1\n\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\nstep 2\n"
[[test]]
fires = 0                        # empty lines are not damage
logs."train.log" = "step 1\n\n\n\nstep 2\n"
[[test]]
fires = 0
logs."train.log" = '''
[rank3]: KeyError: 'labels'
'''
*/
SELECT 0 AS attempt, printf('%s: %s', coalesce(member, path),
              CASE WHEN status IN ('partial', 'failed') THEN coalesce(regexp_replace(error, '\.$', ''), status) ELSE printf('%d of %d lines are damaged', damaged, lines) END) AS summary,
       [{'file_id': file_id, 'line': greatest(lines, 1), 'part': 0}] AS evidence
FROM   files
-- one line in fifty: shared pipes tear a few, a bad copy tears many
WHERE  status IN ('partial', 'failed') OR damaged * 50 > lines
