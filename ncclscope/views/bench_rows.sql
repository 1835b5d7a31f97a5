-- Rows of nccl-tests tables with the operation they measured (from the start line above, the file's name, or the ratio of the two bandwidths, which only
-- all-reduce has above 1.2), and the GPUs of the device list: their number, hosts and model. `wrong` is a number of wrong values where the table has one.
WITH row_ AS (
  SELECT r.*, f.path, greatest(busbw, coalesce(in_busbw, 0)) AS best_busbw, greatest(algbw, coalesce(in_algbw, 0)) AS best_algbw,
         greatest(time_us, coalesce(in_time_us, 0)) AS slowest_us,
         greatest(coalesce(TRY_CAST(wrong AS BIGINT), 0), coalesce(TRY_CAST(in_wrong AS BIGINT), 0)) AS wrong_values
  FROM bench_nccl_tests_row r
  JOIN files f ON f.file_id = r.file_id),
started AS (
  SELECT r.file_id, r.line, r.part, max(s.line) AS start_line
  FROM row_ r
  JOIN bench_nccl_tests_start s ON s.file_id = r.file_id AND s.line < r.line
  GROUP BY ALL),
devices AS (
  SELECT file_id, count(DISTINCT device_rank) AS gpus, count(DISTINCT device_host) AS hosts, min(device_host) AS device_host, min(name) AS gpu_name,
         count(DISTINCT name) AS models, min(line) AS line
  FROM bench_nccl_tests_device
  GROUP BY file_id)
SELECT r.attempt, r.file_id, r.line, r.part, r.ts, r.size_bytes, r.dtype, r.best_busbw, r.best_algbw, r.slowest_us, r.wrong_values,
       coalesce(s.op, nullif(regexp_extract(r.path, '(all_reduce|all_gather|reduce_scatter|alltoall|broadcast|sendrecv|reduce|gather|scatter)_perf', 1), ''),
                CASE WHEN r.busbw > 1.2 * r.algbw THEN 'all_reduce' END) AS op,
       d.gpus, d.hosts, split_part(d.device_host, '.', 1) AS device_host, CASE WHEN d.models = 1 THEN d.gpu_name END AS gpu_name
FROM row_ r
LEFT JOIN started t ON t.file_id = r.file_id AND t.line = r.line AND t.part = r.part
LEFT JOIN bench_nccl_tests_start s ON s.file_id = t.file_id AND s.line = t.start_line
LEFT JOIN devices d ON d.file_id = r.file_id
