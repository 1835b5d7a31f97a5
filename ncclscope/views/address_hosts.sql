-- Whose an address is, by the interfaces that NCCL bound on each host and the tables of its adapters. An address that several hosts bind (a bridge of each) is nobody's.
WITH bound AS (
  SELECT addr, host FROM nccl_bootstrap_using
  UNION ALL SELECT addr, host FROM nccl_net_ib_using
  UNION ALL SELECT addr, host FROM nccl_net_socket_using
  UNION ALL SELECT address, host FROM nic_gid),
counted AS (
  SELECT addr, host, count(*) AS lines, max(count(*)) OVER (PARTITION BY addr) AS most
  FROM bound
  WHERE addr IS NOT NULL AND host IS NOT NULL
  GROUP BY addr, host)
-- A torn line gives a host name of its own, once or twice: less than a quarter of the lines is not a rival.
SELECT addr, min(host) AS host FROM counted WHERE lines * 4 > most GROUP BY addr HAVING count(*) = 1
