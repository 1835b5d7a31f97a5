-- When the job ran on each attempt, widened for what precedes a watchdog's word, and whether the input speaks of a job at all.
-- Without one a kernel log stands for itself.
SELECT attempt, began - INTERVAL 120 SECOND AS from_ts, ended + INTERVAL 300 SECOND AS to_ts FROM job_spans
