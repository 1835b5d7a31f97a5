-- Other spellings, from names with a domain and from the addresses that NCCL binds.
SELECT name AS alias, host, NULL AS rank, 'domain' AS how FROM host_names
UNION
SELECT addr AS alias, host, NULL AS rank, 'bootstrap address' AS how FROM nccl_bootstrap_using WHERE addr IS NOT NULL AND host IS NOT NULL
ORDER BY ALL
