-- The main thread of each process whose stack was taken, grouped by shape: the frames without line numbers, addresses and directories. `is_waiting` where
-- the frames show a collective, or the host waiting for the GPU: such a process is where the others should be. The latest dump of a process counts.
WITH header AS (
  SELECT t.file_id, t.line, t.part, max(p.line) AS above FROM stack_thread t JOIN stack_process p ON p.file_id = t.file_id AND p.line <= t.line GROUP BY ALL),
thread AS (
  SELECT t.attempt, t.rank, t.host, coalesce(p.pid, t.pid) AS pid, t.ts, t.tool, t.thread, t.thread_name, t.current, t.number, t.lwp, t.top, t.frames, t.file_id, t.line, t.part,
         coalesce(h.above, 0) AS above,
         -- faulthandler prints the main thread last, gdb numbers it 1
         row_number() OVER (PARTITION BY t.file_id, t.tool, coalesce(h.above, 0) ORDER BY t.line DESC) AS from_end
  FROM stack_thread t
  LEFT JOIN header h ON h.file_id = t.file_id AND h.line = t.line AND h.part = t.part
  LEFT JOIN stack_process p ON p.file_id = h.file_id AND p.line = h.above),
launched AS (    -- torchrun's table of failures has both; a number that two hosts use is nobody's
  SELECT pid, min(rank) AS rank FROM elastic_child_failed WHERE pid IS NOT NULL AND rank IS NOT NULL GROUP BY pid HAVING count(DISTINCT rank) = 1),
main AS (
  SELECT * FROM thread
  WHERE CASE tool WHEN 'py-spy' THEN coalesce(thread_name = 'MainThread', thread = CAST(pid AS VARCHAR)) WHEN 'gdb' THEN number = 1 ELSE from_end = 1 END),
frame AS (
  SELECT m.*, string_split(trim(top || coalesce(frames, '')), chr(10)) AS listed FROM main m),
shaped AS (
  SELECT f.* EXCLUDE (listed), coalesce(f.rank, q.rank, CASE WHEN f.host IS NULL THEN c.rank END) AS who,
         list_transform(listed, lambda l: trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(l,
           'File "(?:[^"]*/)?([^"/]+)", line \d+ in (\S+)', '\2 (\1)'), '\((?:[^()]*/)?([^()/]+?)(?::\d+)?\)$', '(\1)'), '^(?:#\d+ +)?(?:0x[0-9a-f]+ in )?', ''), '0x[0-9a-fA-F]+', '?', 'g'))) AS shape,
         regexp_matches(top || coalesce(frames, ''),
           '(?i)\b_?(all_?reduce|all_?gather\w*|reduce_scatter\w*|broadcast\w*|all_to_all\w*|(monitored_)?barrier|batch_isend_irecv|isend|irecv|reduce_grad\w*|_?synchronize|wait_tensor|wait_stream)\b'
           || '|nccl(All|Reduce|Broadcast|Group|Send|Recv)\w*|cu(da)?(Stream|Event|Device|Ctx)Synchronize|Work\w*::(wait|synchronize)|ProcessGroup(NCCL|Gloo|MPI)?::|run_backward|_engine_run_backward') AS is_waiting
  FROM frame f
  LEFT JOIN processes q ON q.host = f.host AND q.pid = f.pid
  LEFT JOIN launched c ON c.pid = f.pid),
latest AS (
  SELECT * FROM shaped
  QUALIFY row_number() OVER (PARTITION BY attempt, coalesce('rank ' || who, host || ' ' || pid, 'pid ' || pid, 'file ' || file_id) ORDER BY ts DESC NULLS LAST, line DESC) = 1)
SELECT attempt, who AS rank, host, pid, tool, top, shape, array_to_string(shape, ' < ') AS shape_text, is_waiting,
       count(*) OVER (PARTITION BY attempt, array_to_string(shape, ' < ')) AS alike, count(*) OVER (PARTITION BY attempt) AS stacks,
       count(*) FILTER (WHERE is_waiting) OVER (PARTITION BY attempt) AS waiting, file_id, line, part
FROM latest
