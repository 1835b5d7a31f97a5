-- GPUs of NCCL's topology files beside those of the same file, with the names a finding uses. One in three that differs is an exception, more are a design.
SELECT *, max(nvlinks) OVER f AS most_nvlinks, max(narrowest) OVER f AS widest, count(*) OVER f AS gpus, coalesce(bdf, CAST(gpu AS VARCHAR)) AS label,
       coalesce(host || ':' || gpu, bdf, CAST(gpu AS VARCHAR)) AS name, coalesce(host || ': ', '') AS on_host
FROM nccl_xml_gpu
WINDOW f AS (PARTITION BY attempt, file_id)
