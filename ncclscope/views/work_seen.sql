-- Attempts in which something shows work: steps, benchmark rows, telemetry.
SELECT attempt FROM steps
UNION SELECT attempt FROM metrics
UNION SELECT attempt FROM collectives
