/*
title    = "A communicator was never set up"
kind     = "hang.init"
severity = "high"
role     = "symptom"
confidence = "likely"
needs    = ["nccl"]
explanation = """
Ranks began to set up a communicator and none of them finished. Everybody in it waits; these lines do not show for whom.
"""
advice = """
Collect the NCCL logs of all ranks with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,NET and compare the last line of each.
Check that every host reaches the bootstrap address of rank 0 (`nc -zv ADDRESS PORT` from each host).
"""
false_positives = "A log cut during start-up; it counts only where the job went on or failed afterwards."
references = ["NCCL source: init.cc"]
[[test]]
fires = 1
logs."nccl.log" = '''
node1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
node1:11:21 [1] NCCL INFO ncclCommInitRank comm 0x5502 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
node1:10:20 [0] misc/socket.cc:483 NCCL WARN socketPollConnect: Connect to 10.0.0.3<39204> failed : Connection timed out
'''
[[test]]
fires = 1
logs."nccl.log" = '''
node1:10:20 [0] NCCL INFO comm 0x5501 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
node1:11:21 [1] NCCL INFO comm 0x5502 rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 2a000 commId 0x9d0b70ea83cf41ca - Init START
node1:10:20 [0] proxy.cc:1495 NCCL WARN [Service thread] Error encountered progressing operation=Connect, res=3, closing connection
'''
[[test]]
fires = 0
logs."nccl.log" = '''
node1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
'''
[[test]]
fires = 0                       # complete
logs."nccl.log" = '''
node1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init START
node1:10:20 [0] NCCL INFO ncclCommInitRank comm 0x5501 rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9d0b70ea83cf41ca - Init COMPLETE
node1:10:20 [0] misc/socket.cc:483 NCCL WARN socketPollConnect: Connect to 10.0.0.3<39204> failed : Connection timed out
'''
*/
SELECT attempt, comm, began, evidence,
       printf('The communicator of %d ranks was never set up: %d of them began and nobody finished', nranks, len(present)) AS summary
FROM   unfinished_inits
