-- Every rank that something names, with what its own lines and NCCL's numbering say of it.
WITH own AS (
  SELECT attempt, rank, host, pid, ts FROM events WHERE rank IS NOT NULL AND kind <> 'elastic.child_failed'
  UNION ALL SELECT attempt, rank, host, pid, ts FROM collectives WHERE rank IS NOT NULL
  UNION ALL SELECT attempt, rank, host, pid, ts FROM steps WHERE rank IS NOT NULL),
spoke AS (
  SELECT attempt, rank, min(ts) AS first_seen, max(ts) AS last_seen FROM own GROUP BY ALL),
place AS (
  SELECT attempt, rank, host, pid FROM own WHERE host IS NOT NULL
  GROUP BY attempt, rank, host, pid
  QUALIFY row_number() OVER (PARTITION BY attempt, rank ORDER BY pid IS NULL, count(*) DESC, host, pid) = 1),
world AS (
  SELECT attempt, max(size) AS world_size FROM world_sizes GROUP BY ALL),
init AS (
  SELECT i.attempt, i.comm_rank AS rank, min(i.host) AS host, min(i.pid) AS pid, min(i.cuda_dev) AS cuda_dev, min(i.nvml_dev) AS nvml_dev,
         min(TRY_CAST('0x' || i.bus_id AS BIGINT)) AS bus,
         printf('%04x:%02x:%02x.%x', bus // 1048576, (bus // 4096) % 256, (bus // 16) % 32, bus % 16) AS bdf
  FROM nccl_comm_init i JOIN world w ON w.attempt IS NOT DISTINCT FROM i.attempt AND i.nranks = w.world_size
  GROUP BY ALL),
exits AS (
  SELECT attempt, rank, host, min(pid) AS pid, min(exit_code) AS exit_code, min(signal) AS signal, min(local_rank) AS local_rank
  FROM exits_of_ranks GROUP BY ALL),
uuids AS (    -- of a GPU by its place on the bus, or by its index where NVML's own is known: CUDA's follows CUDA_VISIBLE_DEVICES
  SELECT host, bdf, gpu, min(uuid) AS uuid FROM (
    SELECT host, bdf, NULL::INTEGER AS gpu, uuid FROM gpu_identity WHERE bdf IS NOT NULL
    UNION ALL SELECT host, NULL, gpu, uuid FROM gpu_identity WHERE gpu IS NOT NULL)
  WHERE host IS NOT NULL AND uuid LIKE 'GPU-%'
  GROUP BY host, bdf, gpu
  HAVING count(DISTINCT uuid) = 1),
every AS (
  SELECT attempt, rank FROM spoke UNION SELECT attempt, rank FROM init UNION SELECT attempt, rank FROM exits WHERE rank IS NOT NULL)
SELECT e.attempt, e.rank, w.world_size,
       coalesce(i.host, p.host, x.host) AS host,
       coalesce(x.local_rank, i.cuda_dev) AS local_rank,
       coalesce(i.pid, p.pid, x.pid) AS pid,
       coalesce(i.nvml_dev, i.cuda_dev) AS gpu,
       coalesce(b.uuid, CASE WHEN i.bdf IS NULL THEN g.uuid END) AS gpu_uuid,
       i.bdf AS pci_bus,
       s.rank IS NOT NULL OR i.rank IS NOT NULL AS given,
       s.first_seen, s.last_seen, x.exit_code, x.signal
FROM every e
LEFT JOIN spoke s USING (attempt, rank)
LEFT JOIN place p USING (attempt, rank)
LEFT JOIN init i USING (attempt, rank)
LEFT JOIN world w USING (attempt)
LEFT JOIN exits x USING (attempt, rank)
LEFT JOIN uuids b ON b.host = i.host AND b.bdf = i.bdf
LEFT JOIN uuids g ON g.host = i.host AND g.gpu = i.nvml_dev
WHERE w.world_size IS NULL OR e.rank < w.world_size
ORDER BY ALL
