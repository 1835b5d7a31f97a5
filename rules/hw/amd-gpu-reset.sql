/*
title    = "An AMD GPU hung or was reset"
kind     = "hw.gpu_lost"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["crash.*", "hang.*", "desync.*", "net.ib_error", "net.socket_error", "launcher.*", "sched.cancelled"]
needs    = ["kernel_accelerators"]
explanation = """
A queue of the GPU did not finish, or its scheduler firmware did not answer, and the driver reset it: every process on it dies. Every
process that uses the device prints the fault, so devices are counted, not lines. A kernel of the program may have provoked it.
"""
advice = """
Look at `dmesg -T | grep amdgpu` before the reset for page faults and RAS lines, and rerun on another GPU.
Drain the host if the reset failed.
"""
false_positives = "Resets asked for by a person or by a test."
references = ["Linux amdgpu: ring timeout, GPU reset"]
[[test]]
fires = 1
expect = { hosts = ["mi1"], gpus = ["0000:c1:00"] }
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: ring comp_1.1.0 timeout, signaled seq=25, emitted seq=27
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!
May  1 12:00:05 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: GPU reset(1) succeeded!
'''
[[test]]
fires = 1
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!
May  1 12:00:05 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: GPU reset(1) failed
'''
[[test]]
fires = 0                       # the all-clear
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu 0000:c1:00.0: amdgpu: no uncorrectable hardware errors detected in umc block
'''
[[test]]
fires = 0
logs."messages" = '''
May  1 12:00:00 mi1 kernel: amdgpu: Freeing queue vital buffer 0x7f0012340000, queue evicted
'''
*/
SELECT attempt, hosts, ranks, gpus, began, who || ' hung' || moment || ': ' || what AS summary, evidence
FROM   amd_gpu_faults
WHERE  fault = 'hang'
