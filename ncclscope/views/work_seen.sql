-- Attempts in which a program shows that work went on or ended well: steps, operations, ends of training. Telemetry is written by idle hosts too.
SELECT attempt FROM steps
UNION SELECT attempt FROM collectives
UNION SELECT attempt FROM train_done
UNION SELECT attempt FROM train_step_parts
UNION SELECT attempt FROM train_checkpoint_end
UNION SELECT attempt FROM elastic_finished
UNION SELECT attempt FROM bench_nccl_tests_row
