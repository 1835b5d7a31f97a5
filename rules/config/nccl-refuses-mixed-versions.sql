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
held AS (
  SELECT attempt, version, list(DISTINCT CAST(r AS INTEGER) ORDER BY CAST(r AS INTEGER)) AS ranks FROM said GROUP BY attempt, version),
camp AS (        -- hosts count where they are known, else ranks
  SELECT h.attempt, h.version, h.ranks, len(h.ranks) AS n,
         (SELECT list(DISTINCT k.host ORDER BY k.host) FROM ranks k WHERE k.attempt = h.attempt AND list_contains(h.ranks, k.rank) AND k.host IS NOT NULL) AS hosts
  FROM   held h),
weighed AS (
  SELECT *, sum(n) OVER (PARTITION BY attempt) AS everybody, max(n) OVER (PARTITION BY attempt) AS largest FROM camp),
odd AS (
  SELECT attempt, version, CASE WHEN n * 2 < everybody THEN coalesce(hosts, []) ELSE [] END AS hosts, CASE WHEN n * 2 < everybody THEN ranks ELSE [] END AS ranks,
         n * 2 < everybody AS clear, row_number() OVER (PARTITION BY attempt ORDER BY n, version) AS place
  FROM   weighed),
lines AS (
  SELECT attempt, min(ts) AS began, list(DISTINCT {'file_id': file_id, 'line': line, 'part': part} ORDER BY {'file_id': file_id, 'line': line, 'part': part}) AS evidence,
         string_agg(DISTINCT printf('%d.%d.%d', version // 10000, version // 100 % 100, version % 100), ' and ' ORDER BY printf('%d.%d.%d', version // 10000, version // 100 % 100, version % 100)) AS versions
  FROM   said
  GROUP  BY attempt)
SELECT l.attempt, l.began, l.evidence, o.hosts, o.ranks, NOT o.clear AS either,
       CASE WHEN o.clear THEN printf('%s loads NCCL %d.%d.%d and the others another version; NCCL refuses the mixture',
                                     CASE WHEN len(o.hosts) BETWEEN 1 AND 3 THEN list_aggregate(o.hosts, 'string_agg', ', ') WHEN len(o.ranks) = 1 THEN printf('Rank %d', o.ranks[1]) ELSE printf('A group of %d ranks', len(o.ranks)) END,
                                     o.version // 10000, o.version // 100 % 100, o.version % 100)
            ELSE printf('The ranks load NCCL %s; NCCL refuses the mixture', l.versions) END AS summary
FROM   lines l
JOIN   odd o ON o.attempt = l.attempt AND o.place = 1
