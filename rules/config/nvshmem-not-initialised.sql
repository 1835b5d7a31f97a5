/*
title    = "NVSHMEM could not be set up"
kind     = "config.env"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hang.*", "launcher.*", "crash.python", "crash.signal", "net.socket_error"]
needs    = ["nvshmem"]
explanation = '''
NVSHMEM, on which expert-parallel libraries (DeepEP and others) exchange data, failed in its own set-up: memory could not be registered with the adapter, a transport was not found, or the
processes could not find each other. That is the platform's set-up: a driver without the peer-memory module or without its GPUDirect Async option, a container without the device files, a setting of the adapter.
'''
advice = '''
On each host: `lsmod | grep -E 'nvidia_peermem|gdrdrv'`; for IBGDA the driver options `NVreg_EnableStreamMemOPs=1 NVreg_RegistryDwords="PeerMappingOverride=1;"` (cat /proc/driver/nvidia/params); `ls /dev/infiniband`; `ulimit -l`.
Then NVSHMEM_DEBUG=INFO shows the first step that fails; NVSHMEM_IB_ENABLE_IBGDA=0 tells whether the fast path alone is concerned.
'''
false_positives = "A library that tries NVSHMEM and goes on without it; work seen later keeps the rule silent."
references = ["NVSHMEM documentation: environment variables, installation", "DeepEP: third-party/README"]
[[test]]
fires = 1
logs."run.log" = '''
/workspace/nvshmem_src/src/modules/transport/ibgda/ibgda.cpp:2283: NULL value mem registration failed.
/workspace/nvshmem_src/src/host/init/init.cu:1007: non-zero status: 7 nvshmem setup heap failed
'''
[[test]]
fires = 1
logs."run.log" = "/workspace/nvshmem_src/src/host/init/init.cu:nvshmemi_check_state_and_init:1080: nvshmem initialization failed, exiting"
[[test]]
fires = 0                       # it went on
logs."run.log" = '''
/workspace/nvshmem_src/src/host/init/init.cu:1007: non-zero status: 7 nvshmem setup heap failed
iter 10: loss 2.3456, time 123.45ms, mfu 3.21%
'''
[[test]]
fires = 0
logs."run.log" = "NVSHMEM v3.1.7"
*/
SELECT attempt, list(DISTINCT host ORDER BY host) FILTER (WHERE host IS NOT NULL) AS hosts, list(DISTINCT rank ORDER BY rank) FILTER (WHERE rank IS NOT NULL AND host IS NULL) AS ranks, min(ts) AS began,
       printf('NVSHMEM could not be set up%s: %s', CASE WHEN count(DISTINCT host) = 1 THEN ' on ' || min(host) ELSE '' END,
              coalesce(min(rtrim(text, '. ')) FILTER (WHERE text LIKE '%registration%'), min(rtrim(text, '. ')))) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM   nvshmem_failed f
WHERE  NOT EXISTS (SELECT 1 FROM work_seen w WHERE w.attempt IS NOT DISTINCT FROM f.attempt)
GROUP  BY attempt
