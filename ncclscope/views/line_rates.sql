-- What the network adapters of a host carry together, in GB/s, by what is best known of them: the speeds that NCCL prints, its topology, or the rates of
-- active ports. Adapters beyond one for each GPU are for storage, so no more than the GPUs of a host are counted, the fastest first.
WITH adapter AS (
  SELECT attempt, host, 1 AS source, hca || ':' || port AS name, mbps / 8e3 AS gbs, file_id, line, part FROM nccl_net_ib_device
  UNION ALL
  SELECT attempt, host, 2, net_id, bw, file_id, line, part FROM (
    SELECT attempt, host, fields['id'] AS net_id, TRY_CAST(fields['bw'] AS DOUBLE) AS bw, file_id, line, part FROM events
    WHERE kind = 'nccl.topo.node' AND fields['link'] = 'NET' AND NOT duplicate)
  UNION ALL
  SELECT attempt, host, 3, coalesce(device, netdev) || ':' || coalesce(port, '1'), rate / 8, file_id, line, part
  FROM nic_port_state
  WHERE rate > 0 AND regexp_matches(coalesce(state, 'active'), '(?i)active') AND NOT regexp_matches(coalesce(netdev, ''), '^(lo|docker|bond)')),
single AS (
  SELECT attempt, host, source, name, max(gbs) AS gbs, min({'file_id': file_id, 'line': line, 'part': part}) AS evidence
  FROM adapter
  WHERE host IS NOT NULL AND gbs > 0
  GROUP BY ALL),
ranked AS (
  SELECT s.*, row_number() OVER (PARTITION BY s.attempt, s.host, s.source ORDER BY s.gbs DESC, s.name) AS nth, g.gpus
  FROM single s
  LEFT JOIN (SELECT device_host, count(DISTINCT device) AS gpus FROM bench_nccl_tests_device GROUP BY ALL) g
    ON split_part(g.device_host, '.', 1) = s.host)
SELECT attempt, host, source, count(*) AS adapters, sum(gbs) AS gbs, list(evidence ORDER BY name) AS evidence
FROM ranked
WHERE nth <= coalesce(gpus, 8)
GROUP BY attempt, host, source
QUALIFY row_number() OVER (PARTITION BY attempt, host ORDER BY source) = 1
