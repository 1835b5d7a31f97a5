/*
title    = "A setting keeps the number of channels low"
kind     = "perf.low_channels"
severity = "medium"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw"]
needs    = ["nccl_setup", "nccl_channels"]
explanation = """
NCCL_MAX_NCHANNELS or NCCL_MAX_CTAS limits how many channels, and so how much bandwidth, the collectives may use, and the communicator was built with just that many. NVSwitch
boards use 16 to 32.
"""
advice = """
Remove NCCL_MAX_NCHANNELS and NCCL_MAX_CTAS (look in /etc/nccl.conf and ~/.nccl.conf too) and compare the bandwidth of an all-reduce of 1 GiB before and after.
"""
false_positives = "A limit on purpose, to leave the GPU's processors to overlapping computation."
references = ["NCCL documentation: NCCL_MAX_NCHANNELS"]
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_MAX_NCHANNELS set by environment to 2.
n1:10:20 [0] NCCL INFO 2 coll channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer
'''
[[test]]
fires = 1
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_MAX_CTAS set by environment to 1.
n2:10:20 [0] NCCL INFO NCCL_MAX_CTAS set by environment to 1.
n1:10:20 [0] NCCL INFO 1 coll channels, 1 collnet channels, 0 nvls channels, 1 p2p channels, 1 p2p channels per peer
'''
[[test]]
fires = 0                        # a limit that does not bind
logs."nccl.log" = '''
n1:10:20 [0] NCCL INFO NCCL_MAX_NCHANNELS set by environment to 32.
n1:10:20 [0] NCCL INFO 24 coll channels, 0 nvls channels, 24 p2p channels, 2 p2p channels per peer
'''
[[test]]
fires = 0                        # two channels may be all that the board has
logs."nccl.log" = "n1:10:20 [0] NCCL INFO 2 coll channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer"
*/
WITH setting AS (
  SELECT attempt, name, TRY_CAST(value AS INTEGER) AS most, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
  FROM   nccl_env
  WHERE  name IN ('NCCL_MAX_NCHANNELS', 'NCCL_MAX_CTAS')
  GROUP  BY attempt, name, most),
built AS (
  SELECT attempt, max(coll) AS coll, list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence FROM nccl_channels GROUP BY attempt)
SELECT s.attempt, list_concat(s.evidence, b.evidence) AS evidence,
       printf('%s=%d keeps the communicators at %d channel%s', s.name, s.most, b.coll, CASE WHEN b.coll > 1 THEN 's' ELSE '' END) AS summary
FROM   setting s
JOIN   built b ON b.attempt = s.attempt
-- four channels cannot fill NVLink or a fast network on any board since Volta; the widest communicator must be at the limit
WHERE  s.most BETWEEN 1 AND 4 AND b.coll <= s.most
