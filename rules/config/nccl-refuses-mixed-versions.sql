/*
title    = "NCCL refuses a mixture of its versions"
kind     = "config.version_mismatch"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["hang.*", "launcher.*", "net.socket_error", "crash.*", "desync.*", "config.version_mismatch"]
needs    = ["nccl_comm"]
explanation = """
From 2.23 on NCCL compares the versions of all ranks and refuses a mixture. Each line names two ranks with their versions; over all lines the versions held by
fewer ranks are the odd ones. With two ranks against each other the lines do not say which is meant.
"""
advice = """
Load one NCCL on all hosts: compare `pip list | grep nccl`, `python -c "import torch; print(torch.cuda.nccl.version())"`, LD_LIBRARY_PATH and LD_PRELOAD of the host named with a sibling.
"""
false_positives = "None known."
references = ["NCCL source: init.cc, Mismatched NCCL version detected"]
[[test]]
fires = 1
expect = { hosts = ["n2"], ranks = [2, 3], either = false }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 6 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n1:11:20 [1] NCCL INFO ncclCommInitRank comm 0x5501 rank 1 nranks 6 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
n2:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 2 nranks 6 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
n2:11:20 [1] NCCL INFO ncclCommInitRank comm 0x5501 rank 3 nranks 6 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
n3:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 4 nranks 6 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
[2025-07-08 10:22:18] n1:10:20 [0] init.cc:1012 NCCL WARN Mismatched NCCL version detected : rank 0 version 22602 rank 2 version 22605
[2025-07-08 10:22:18] n1:11:20 [1] init.cc:1012 NCCL WARN Mismatched NCCL version detected : rank 1 version 22602 rank 2 version 22605
[2025-07-08 10:22:18] n2:11:20 [1] init.cc:1012 NCCL WARN Mismatched NCCL version detected : rank 3 version 22605 rank 0 version 22602
[2025-07-08 10:22:18] n3:10:20 [0] init.cc:1012 NCCL WARN Mismatched NCCL version detected : rank 4 version 22602 rank 2 version 22605
'''
[[test]]
fires = 1                        # two ranks against each other
expect = { either = true, hosts = [] }
logs."nccl.log" = "[2025-07-08 10:22:18] n2:10:20 [0] init.cc:1012 NCCL WARN Mismatched NCCL version detected : rank 1 version 22605 rank 0 version 22602"
[[test]]
fires = 1                        # one pair only, and the version lines of three hosts
expect = { hosts = ["n2"], ranks = [1] }
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL version 2.26.2+cuda12.2
n2:10:20 [0] NCCL INFO NCCL version 2.26.5+cuda12.9
n3:10:20 [0] NCCL INFO NCCL version 2.26.2+cuda12.2
[2025-07-08 10:22:18] n1:10:20 [0] init.cc:1012 NCCL WARN Mismatched NCCL version detected : rank 1 version 22605 rank 0 version 22602
[2025-07-08 10:22:18] n3:10:20 [0] init.cc:1012 NCCL WARN Mismatched NCCL version detected : rank 1 version 22605 rank 0 version 22602
'''
[[test]]
fires = 0
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL version 2.26.2+cuda12.2
n2:10:20 [0] NCCL INFO NCCL version 2.26.2+cuda12.2
'''
[[test]]
fires = 0
logs."nccl.log" = "n1:10:20 [0] bootstrap.cc:120 NCCL WARN Message truncated : received 136 bytes instead of 128"
*/
WITH said AS (
  SELECT attempt, rank_a AS r, version_a AS version, ts, file_id, line, part FROM nccl_comm_version_mismatch
  UNION ALL
  SELECT attempt, rank_b, version_b, ts, file_id, line, part FROM nccl_comm_version_mismatch),
holder AS (      -- all ranks may print one and the same pair; the version lines of the others tell which of the two is the exception
  SELECT DISTINCT s.attempt, s.version, k.host, CAST(s.r AS INTEGER) AS r
  FROM   said s
  LEFT JOIN ranks k ON k.attempt = s.attempt AND k.rank = s.r
  UNION
  SELECT DISTINCT v.attempt, TRY_CAST(split_part(v.version, '.', 1) AS BIGINT) * 10000 + TRY_CAST(split_part(v.version, '.', 2) AS BIGINT) * 100
                             + TRY_CAST(split_part(v.version, '.', 3) AS BIGINT), v.host, NULL::INTEGER
  FROM   nccl_version v
  JOIN   job_hosts j ON j.attempt = v.attempt AND j.host = v.host
  WHERE  v.attempt IN (SELECT attempt FROM said)),
camp AS (        -- hosts are counted where they are known, else ranks
  SELECT attempt, version, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT r ORDER BY r) FILTER (WHERE r IS NOT NULL) AS ranks,
         count(DISTINCT coalesce(host, CAST(r AS VARCHAR))) AS n
  FROM   holder
  WHERE  version IS NOT NULL
  GROUP  BY attempt, version),
odd AS (
  SELECT *, n * 2 < sum(n) OVER (PARTITION BY attempt) AS clear, row_number() OVER (PARTITION BY attempt ORDER BY n, version) AS place
  FROM   camp),
lines AS (
  SELECT attempt, min(ts) AS began, list(DISTINCT {'file_id': file_id, 'line': line, 'part': part} ORDER BY {'file_id': file_id, 'line': line, 'part': part}) AS evidence,
         string_agg(DISTINCT printf('%d.%d.%d', version // 10000, version // 100 % 100, version % 100), ' and ' ORDER BY printf('%d.%d.%d', version // 10000, version // 100 % 100, version % 100)) AS versions
  FROM   said
  GROUP  BY attempt)
SELECT l.attempt, l.began, l.evidence, NOT o.clear AS either, CASE WHEN o.clear THEN coalesce(o.hosts, []) ELSE [] END AS hosts,
       CASE WHEN o.clear THEN coalesce(o.ranks, []) ELSE [] END AS ranks,
       CASE WHEN o.clear THEN printf('%s loads NCCL %d.%d.%d and the others another version; NCCL refuses the mixture',
                                     CASE WHEN len(o.hosts) BETWEEN 1 AND 3 THEN list_aggregate(o.hosts, 'string_agg', ', ') WHEN len(o.ranks) = 1 THEN printf('Rank %d', o.ranks[1]) ELSE 'A part of the job' END,
                                     o.version // 10000, o.version // 100 % 100, o.version % 100)
            ELSE printf('The ranks load NCCL %s; NCCL refuses the mixture', l.versions) END AS summary
FROM   lines l
JOIN   odd o ON o.attempt = l.attempt AND o.place = 1
