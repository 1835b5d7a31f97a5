/*
title    = "Kubernetes evicted a pod"
kind     = "sched.evicted"
severity = "high"
role     = "cause"
confidence = "certain"
explains = ["sched.cancelled", "crash.signal", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "hw.host_lost"]
needs    = ["kubernetes"]
explanation = """
The kubelet removed a pod because its node ran short of disk, memory or process ids, or because the node was tainted. The other pods of
the job lose their peer.
"""
advice = """
For ephemeral-storage: set a request and limit, and write checkpoints and caches to a volume instead of the container's disk.
For memory: set requests equal to limits. `kubectl describe node` shows the pressure, `kubectl describe pod` the numbers.
"""
false_positives = "An eviction of another workload's pod in a list of cluster events."
references = ["Kubernetes: node-pressure eviction"]
[[test]]
fires = 1
expect = { hosts = [], confidence = "certain" }
logs."pod_event.txt" = '''
The node was low on resource: ephemeral-storage. Threshold quantity: 10119863296, available: 9701148Ki. Container main was using 26511904Ki, request is 0, has larger consumption of ephemeral-storage.
'''
[[test]]
fires = 1
logs."events.txt" = '''
2024-05-01T12:00:00Z   Warning   Evicted   pod/trainer-worker-3   The node was low on resource: memory. Threshold quantity: 100Mi, available: 90000Ki. Container pytorch was using 926511904Ki, request is 0, has larger consumption of memory.
'''
[[test]]
fires = 0
logs."events.txt" = '''
2024-04-21T13:33:54Z   Normal    Killing   pod/llama3-70b-pt-90914-worker-0   Stopping container pytorch
'''
[[test]]
fires = 0                       # no room to start is not an eviction
logs."events.txt" = '''
2024-04-21T12:54:41Z   Warning   FailedScheduling   pod/trainer-worker-3   0/4 nodes are available: 4 Insufficient nvidia.com/gpu.
'''
[[test]]
fires = 1
expect = { hosts = [] }
logs."kubelet.log" = '''
W0503 10:12:12.131415    2231 eviction_manager.go:344] "Eviction manager: attempting to reclaim" resourceName="ephemeral-storage"
I0503 10:12:13.131415    2231 eviction_manager.go:563] "Eviction manager: pod is evicted successfully" pod="ml/sweep-12-worker-0"
'''
*/
WITH line AS (
  SELECT attempt, file_id, line, part, ts, object, resource, container, "using" FROM k8s_evicted
  UNION ALL
  SELECT attempt, file_id, line, part, ts, coalesce(object, pod_ref), 'taint', NULL, NULL FROM k8s_taint_eviction
  UNION ALL
  SELECT attempt, file_id, line, part, ts, pod, NULL, NULL, NULL FROM k8s_pod WHERE status = 'Evicted'
  UNION ALL       -- the kubelet's own log; what ran low stands some lines above
  SELECT e.attempt, e.file_id, e.line, e.part, e.ts, regexp_replace(e.pod_ref, '^.*/', ''),
         (SELECT min(r.resource) FROM k8s_eviction_manager r WHERE r.file_id = e.file_id AND r.resource IS NOT NULL), NULL, NULL
  FROM   k8s_eviction_manager e WHERE e.what LIKE 'pod is evicted%')
SELECT attempt, min(ts) AS began,
       -- a node that is not ready gets the taint, and its pods are evicted for it
       CASE WHEN bool_and(resource = 'taint') AND (EXISTS (SELECT 1 FROM k8s_node_not_ready WHERE node IS NOT NULL) OR EXISTS (SELECT 1 FROM k8s_node_status WHERE status = 'NodeNotReady')) THEN 'symptom' ELSE 'cause' END AS role,
       -- a pod may be what the job's own lines call their host
       list(DISTINCT object ORDER BY object) FILTER (WHERE object IN (SELECT host FROM ranks)) AS hosts,
       list(DISTINCT resource ORDER BY resource) FILTER (WHERE resource IS NOT NULL AND resource <> 'taint' AND object IS NULL) AS devices,
       printf('Kubernetes evicted %s%s%s%s', coalesce(CASE WHEN count(DISTINCT object) = 1 THEN 'pod ' || min(object) WHEN count(DISTINCT object) > 1 THEN count(DISTINCT object) || ' pods' END, 'a pod'),
              coalesce(strftime(min(ts), ' at %H:%M:%S'), ''),
              CASE min(resource) WHEN 'taint' THEN ': its node was tainted' ELSE coalesce(': its node ran low on ' || min(resource), '') END,
              coalesce(printf(' (container %s used %s)', min(container), min("using")), '')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   line
GROUP  BY attempt
