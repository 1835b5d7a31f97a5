/*
title    = "Kubernetes evicted a pod"
kind     = "sched.evicted"
severity = "critical"
role     = "cause"
confidence = "certain"
explains = ["launcher.*", "net.*", "crash.signal", "hang.*", "desync.*"]
needs    = ["kubernetes"]
explanation = """
The kubelet removed a pod because its node ran low on a resource. The other pods of the job only see a peer go.
"""
advice = """
Give the container a request for the resource named, or write less of it (scratch files, logs, caches for ephemeral-storage); look at `kubectl describe node` for who used it.
"""
false_positives = "Pods of other jobs in the same list of events."
references = ["Kubernetes: node-pressure eviction"]
[[test]]
fires = 1
logs."events.txt" = "The node was low on resource: ephemeral-storage. Threshold quantity: 10119863296, available: 9701148Ki. Container main was using 26511904Ki, request is 0, has larger consumption of ephemeral-storage."
[[test]]
fires = 1
logs."events.txt" = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. Container trainer was using 26511904Ki, request is 1Gi, has larger consumption of memory."
[[test]]
fires = 0
logs."events.txt" = "Successfully assigned default/worker-0 to node17"
[[test]]
fires = 0
logs."events.txt" = "Stopping container pytorch"
*/
SELECT attempt, list(DISTINCT container ORDER BY container) FILTER (WHERE container IS NOT NULL) AS devices, min(ts) AS began,
       printf('Kubernetes evicted a pod: its node ran low on %s%s', coalesce(min(resource), 'a resource'),
              coalesce(printf(' (container %s used %s)', min(container), min("using")), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   k8s_evicted
GROUP  BY attempt
