-- What would help and is not here, as sentences.
SELECT 'Fetch the logs of the ' || (max(world_size) - count(*) FILTER (WHERE given)) || ' ranks that are not in the input.' AS what
FROM ranks
GROUP BY attempt
HAVING max(world_size) > count(*) FILTER (WHERE given)
