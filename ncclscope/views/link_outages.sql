-- When links of hosts were down, by the kernel and the network services: several sources that tell of one outage are one.
-- `ended` is NULL where nothing says that the link came back.
WITH word AS MATERIALIZED (
  SELECT host, coalesce(netdev, device) AS dev, device, driver, true AS down, ts, file_id, line, part FROM nic_link_down
  UNION ALL SELECT host, bond, NULL, NULL, true, ts, file_id, line, part FROM nic_bond_down
  UNION ALL SELECT host, coalesce(netdev, device), device, driver, false, ts, file_id, line, part FROM nic_link_up
  UNION ALL SELECT host, netdev, NULL, NULL, false, ts, file_id, line, part FROM nic_link_ready),
paired AS (
  SELECT d.host, d.dev, d.device, d.driver, d.ts, d.file_id, d.line, d.part, min(u.ts) AS up
  FROM word d
  LEFT JOIN word u ON NOT u.down AND u.host = d.host AND u.dev = d.dev AND u.ts >= d.ts
  WHERE d.down AND d.host IS NOT NULL AND d.ts IS NOT NULL
  -- virtual interfaces come and go with every container
  AND NOT regexp_matches(d.dev, '^(lo|docker|br-|virbr|veth|vnet|cni|flannel|cali|tun|tap|lxc|dummy|vxlan|kube|cilium|gre|sit|ovs)')
  GROUP BY ALL)
SELECT host, dev, min(device) AS device, min(driver) AS driver, min(ts) AS began, up AS ended,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM paired
GROUP BY host, dev, up
