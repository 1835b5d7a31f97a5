/*
title    = "PyTorch's desync report names who did not join"
kind     = "desync.rank_behind"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error", "desync.rank_behind"]
needs    = ["torch_dump"]
explanation = """
With TORCH_NCCL_DESYNC_DEBUG=1 one rank compares where all are: those that finished a collective but did not join the next, or never joined any, are behind.
The numbers are ranks of the group that reports: in a small one they become the job's by the tags of its members. Where it lists most of the job, the few that wait may have run ahead with a call of their own: then it is either.
"""
advice = """
Look at the ranks named: application log, stack and host, from the beginning of the wait.
"""
false_positives = "A rank of a small group whose own lines are missing stays a number of that group, and nobody is named. Releases without group tags are taken to speak of the whole job."
references = ["PyTorch: TraceUtils.h, retrieveDesyncReport"]
[[test]]
fires = 1
expect = { ranks = [3] }
logs."train.log" = '''
	 - [0] Timeout at collective: ALLREDUCE, #2712
	 - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:
	   - [3] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
[[test]]
fires = 1
expect = { ranks = [1, 2] }
logs."train.log" = '''
	 - [0] Timeout at collective: ALLREDUCE, #1
	 - To our best knowledge, ranks [1, 2] are the lagging ranks that caused this timeout. They never joined any collectives
'''
[[test]]
fires = 1                       # most of the job is listed: the one that waits may have gone ahead
expect = { ranks = [0, 1, 2, 3], either = true, confidence = "possible" }
logs."train.log" = '''
	 - [3] Timeout at collective: ALLREDUCE, #2712
	   - [0, 1, 2] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
[[test]]
fires = 1                       # most of what is listed, not of the job
expect = { ranks = [0, 1, 2], confidence = "likely" }
logs."train.log" = '''
[rank0]: world size 16
	 - [3] Timeout at collective: ALLREDUCE, #2712
	   - [0, 1, 2] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
[[test]]
fires = 0
logs."train.log" = '''
	   - [0, 1, 2] joined but didn't finish collective #2712 (count from 1)
'''
[[test]]
fires = 0
logs."train.log" = "Failed to retrieve TORCH_NCCL_DESYNC_DEBUG report.  Please file an issue. Error: Socket Timeout"
[[test]]
fires = 1                       # numbers of a small group are not the job's
expect = { ranks = [6] }
logs."train.log" = '''
[rank6]:[I618 13:55:40.384372190 ProcessGroupNCCL.cpp:934] [PG ID 2 PG GUID 5(mesh_tp) Rank 2] ProcessGroupNCCL initialization options: size: 4, global rank: 6, TIMEOUT(ms): 600000
[rank4]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:683] [PG ID 2 PG GUID 5(mesh_tp) Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2712, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.
	 - [0] Timeout at collective: ALLREDUCE, #2712
	 - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:
	   - [2] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
[[test]]
fires = 1                       # whose lines are not here is named by nobody
expect = { ranks = [] }
logs."train.log" = '''
[rank4]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:683] [PG ID 2 PG GUID 5(mesh_tp) Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2712, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.
	 - [0] Timeout at collective: ALLREDUCE, #2712
	   - [2] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
[[test]]
fires = 1                       # a group of another name that is the whole job
expect = { ranks = [2] }
logs."train.log" = '''
[rank0]:[I618 13:55:40.384372190 ProcessGroupNCCL.cpp:934] [PG ID 1 PG GUID 3(mesh_dp) Rank 0] ProcessGroupNCCL initialization options: size: 4, global rank: 0, TIMEOUT(ms): 600000
[rank0]: world size 4
[rank0]:[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:683] [PG ID 1 PG GUID 3(mesh_dp) Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2712, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.
	 - [0] Timeout at collective: ALLREDUCE, #2712
	   - [2] finished collective #2711, but didn't join collective #2712 (count from 1)
'''
*/
WITH world AS (
  SELECT attempt, max(size) AS size FROM world_sizes GROUP BY attempt),
tag AS (         -- which group speaks in a line, and as which of its members
  SELECT attempt, file_id, line, fields['pg_guid'] AS guid, fields['pg_desc'] AS name, TRY_CAST(fields['pg_id'] AS INTEGER) AS pg_id,
         TRY_CAST(fields['group_rank'] AS INTEGER) AS number, rank, CASE WHEN kind = 'torch.pg.init' THEN TRY_CAST(fields['pg_size'] AS INTEGER) END AS size
  FROM   events
  WHERE  fields['pg_guid'] IS NOT NULL AND NOT duplicate),
part AS (        -- groups of which the numbers may not be those of the job
  SELECT t.attempt, t.guid, min(t.name) AS name, max(t.size) AS size
  FROM   tag t
  LEFT JOIN world w ON w.attempt IS NOT DISTINCT FROM t.attempt
  GROUP  BY t.attempt, t.guid
  HAVING max(t.pg_id) > 0 AND (max(t.size) IS DISTINCT FROM max(w.size) OR coalesce(bool_or(t.number <> t.rank), false))),
member AS (
  SELECT attempt, guid, number, min(rank) AS rank FROM tag WHERE rank IS NOT NULL GROUP BY ALL HAVING count(DISTINCT rank) = 1),
reporter AS (    -- its report stands below its own words
  SELECT d.attempt, d.file_id, d.line, d.group_rank AS number, t.guid
  FROM   torch_desync_timeout d
  ASOF LEFT JOIN tag t ON t.file_id = d.file_id AND t.number = d.group_rank AND t.line <= d.line),
spoken AS (
  SELECT attempt, file_id, line, part, ts, unnest(string_split(ranks, ',')) AS number, seq, true AS absent FROM torch_desync_not_joined
  UNION ALL
  SELECT attempt, file_id, line, part, ts, unnest(string_split(ranks, ',')), NULL, true FROM torch_desync_never_joined
  UNION ALL
  SELECT attempt, file_id, line, part, ts, unnest(string_split(ranks, ',')), NULL, false FROM torch_desync_not_finished
  UNION ALL
  SELECT attempt, file_id, line, part, ts, CAST(group_rank AS VARCHAR), NULL, false FROM torch_desync_timeout),
known AS (       -- whom a number means; nobody, where a small group does not tell
  SELECT s.attempt, s.file_id, s.line, s.part, s.ts, s.seq, s.absent, p.guid, p.name, p.size, CAST(s.number AS INTEGER) AS number,
         CASE WHEN p.guid IS NULL THEN CAST(s.number AS INTEGER) ELSE m.rank END AS rank
  FROM   spoken s
  ASOF LEFT JOIN reporter r ON r.file_id = s.file_id AND r.line <= s.line
  LEFT JOIN part p ON p.attempt IS NOT DISTINCT FROM s.attempt AND p.guid = r.guid
  LEFT JOIN member m ON m.attempt IS NOT DISTINCT FROM s.attempt AND m.guid = p.guid AND m.number = CAST(s.number AS INTEGER)),
said AS (        -- ranks that are in the collective, by the report or by their own word
  SELECT attempt, guid, number, rank FROM known WHERE NOT absent
  UNION SELECT attempt, NULL, rank, rank FROM waits WHERE rank IS NOT NULL),
inside AS (
  SELECT s.attempt, s.guid, list(s.rank ORDER BY s.rank) FILTER (WHERE s.rank IS NOT NULL) AS ranks, count(*) AS n
  FROM   said s
  WHERE  s.number IS NOT NULL
  AND    NOT EXISTS (SELECT 1 FROM known k WHERE k.absent AND k.attempt IS NOT DISTINCT FROM s.attempt AND k.guid IS NOT DISTINCT FROM s.guid AND k.number = s.number)
  GROUP  BY s.attempt, s.guid),
report AS (
  SELECT attempt, guid, min(name) AS name, max(size) AS size, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL) AS ranks,
         list(DISTINCT number ORDER BY number) AS numbers, count(DISTINCT number) AS n, min(ts) AS began, min(seq) AS seq,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   known
  WHERE  absent
  GROUP  BY attempt, guid),
judged AS (      -- three and more than half of the group: who reports may as well be the one that went ahead with a call of its own
  SELECT r.*, coalesce(i.ranks, []) AS inside,
         r.seq IS NOT NULL AND r.n >= 3 AND coalesce(r.n > greatest(coalesce(CASE WHEN r.guid IS NULL THEN w.size ELSE r.size END, 0) - r.n, i.n), false) AS ahead,
         -- as numbers of the group where not every one of them is known as a rank
         CASE WHEN len(coalesce(r.ranks, [])) = r.n THEN printf('Rank%s %s', CASE WHEN r.n > 1 THEN 's' ELSE '' END, array_to_string(r.ranks, ', '))
              ELSE printf('Member%s %s of group %s', CASE WHEN r.n > 1 THEN 's' ELSE '' END, array_to_string(r.numbers, ', '), coalesce(r.name, r.guid)) END AS who
  FROM   report r
  LEFT JOIN inside i ON i.attempt IS NOT DISTINCT FROM r.attempt AND i.guid IS NOT DISTINCT FROM r.guid
  LEFT JOIN world w ON w.attempt IS NOT DISTINCT FROM r.attempt)
SELECT attempt, CASE WHEN ahead THEN list_sort(list_concat(ranks, inside)) ELSE coalesce(ranks, []) END AS ranks, ahead AS "either", began,
       CASE WHEN ahead THEN 'possible' ELSE 'likely' END AS confidence,
       CASE WHEN ahead AND len(inside) > 0
            THEN printf('%s never joined collective %d, in which rank%s %s waited: most of the group is late, or the few called one that the others do not',
                        who, seq, CASE WHEN len(inside) > 1 THEN 's' ELSE '' END, array_to_string(inside, ', '))
            ELSE printf('%s never joined %s', who, coalesce(printf('collective %d, in which the others waited', seq), 'any collective')) END AS summary,
       evidence
FROM   judged
