-- The entry that torchrun calls the root cause: the first exit that its agent polled. Evidence, not truth.
SELECT c.*
FROM elastic_child_failed c
JOIN elastic_root_cause r ON r.file_id = c.file_id AND c.line > r.line AND c.line <= r.line + 3
