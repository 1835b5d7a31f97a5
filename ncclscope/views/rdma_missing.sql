-- Lines that say why a host has no RDMA, in NCCL's words.
SELECT attempt, host, 'no RDMA device found' AS why, NULL AS hca, file_id, line, part FROM nccl_net_ib_none
UNION ALL SELECT attempt, host, coalesce(library, 'libibverbs') || ' could not be loaded', NULL, file_id, line, part FROM nccl_net_ib_no_verbs
UNION ALL SELECT attempt, host, 'could not ' || action || ' ' || hca, hca, file_id, line, part FROM nccl_net_ib_unusable
