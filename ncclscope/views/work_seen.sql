-- Attempts in which a program shows that work went on or ended well: steps, operations, ends of training. Telemetry is written by idle hosts too.
SELECT attempt FROM steps
UNION SELECT attempt FROM collectives WHERE coalesce(state, 'completed') = 'completed'
UNION SELECT attempt FROM train_done
UNION SELECT attempt FROM train_step_parts
UNION SELECT attempt FROM deepspeed_steps
UNION SELECT attempt FROM train_checkpoint_end
UNION SELECT attempt FROM train_epoch_loss
UNION SELECT attempt FROM elastic_finished
UNION SELECT attempt FROM launcher_server_ready
UNION SELECT attempt FROM launcher_sglang_batch
UNION SELECT attempt FROM bench_nccl_tests_row
-- a bandwidth near a rate that adapters have (Gb/s); what is below its rate cannot be told without the rate
UNION SELECT attempt FROM bench_perftest_table
WHERE EXISTS (SELECT 1 FROM unnest([10, 25, 40, 50, 100, 200, 400, 800]) AS r(rate) WHERE average * CASE WHEN unit = 'Gb/sec' THEN 1 ELSE 0.008 END BETWEEN 0.85 * rate AND 1.02 * rate)
