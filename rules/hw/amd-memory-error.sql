/*
title    = "An AMD GPU met an uncorrectable hardware error"
kind     = "hw.ecc"
severity = "critical"
role     = "cause"
confidence = "likely"
explains = ["hw.gpu_lost", "crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kernel_accelerators"]
explanation = """
The RAS interface of the GPU counted uncorrectable errors, found a bad page or met poisoned data: its processes die, and a reset follows.
"""
advice = """
Drain the host; read `amd-smi bad-pages` and `amd-smi metric --ecc` for the device.
Replace it if bad pages keep coming.
"""
false_positives = "`no uncorrectable hardware errors detected` is the all-clear, corrected and deferred counts are notes."
references = ["Linux amdgpu: RAS"]
[[test]]
fires = 1
expect = { hosts = ["mi1"], gpus = ["0000:c1:00"] }
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: 2 uncorrectable hardware errors detected in umc block
'''
[[test]]
fires = 1
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: {1}socket: 0, die: 0, 1 new uncorrectable hardware errors detected in umc block
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: no uncorrectable hardware errors detected in umc block
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: 14 correctable hardware errors detected in umc block
'''
*/
SELECT attempt, hosts, ranks, gpus, began, printf('%s met uncorrectable errors%s (%s)', who, moment, what) AS summary, evidence
FROM   amd_gpu_faults
WHERE  fault = 'memory'
