-- Other spellings, from names with a domain and from the addresses that NCCL binds.
SELECT name AS alias, host, NULL AS rank, CASE WHEN name LIKE host || '.%' THEN 'domain' ELSE 'pod' END AS how FROM host_names
UNION
SELECT addr AS alias, host, NULL AS rank, 'bootstrap address' AS how FROM nccl_bootstrap_using WHERE addr IS NOT NULL AND host IS NOT NULL
UNION
SELECT unnest([address, gid]), host, NULL, 'address of its adapter' FROM nic_gid WHERE host IS NOT NULL AND address IS NOT NULL
UNION
SELECT ip, node, NULL, 'address of its pod' FROM k8s_pod WHERE ip IS NOT NULL AND ip NOT LIKE '<%' AND node IN (SELECT host FROM host_names)
ORDER BY ALL
