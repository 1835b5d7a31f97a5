/*
title    = "A status dump shows a thermal slowdown"
kind     = "perf.straggler_thermal"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.straggler", "perf.low_busbw"]
needs    = ["amd_smi", "nvidia_smi", "nvidia_smi_lines", "nvidia_smi_text", "dcgm"]
explanation = """
One look at the GPU (`nvidia-smi -q`, a single query) shows a slowdown for heat. How long it lasted, and whether others were as hot, a single
look cannot say.
"""
advice = """
Watch this GPU under load beside its neighbours: `nvidia-smi --query-gpu=timestamp,index,temperature.gpu,clocks.sm,clocks_event_reasons.active --format=csv -l 5`.
If the slowdown stays, drain the host and look at fans or pump, heat sink and inlet temperature.
"""
false_positives = "A GPU that idles at that moment is left out."
references = ["nvidia-smi manual: Clocks Event Reasons"]
[[test]]
fires = 1
expect = { gpus = ["0000:1b:00.0"], confidence = "likely" }
logs."status.txt" = '''
==============NVSMI LOG==============

Timestamp                                 : Wed May  1 12:00:00 2024
Driver Version                            : 550.90.07
Attached GPUs                             : 2
GPU 00000000:1B:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Clocks Event Reasons
        Idle                              : Not Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Active
            HW Power Brake Slowdown       : Not Active
    Temperature
        GPU Current Temp                  : 88 C

GPU 00000000:43:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Clocks Event Reasons
        HW Slowdown                       : Not Active
'''
[[test]]
fires = 1
expect = { hosts = ["node1"], gpus = ["node1:1"] }
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 60, 1410 MHz, 100 %, 0x0000000000000004
2024/05/01 12:00:00.108, 1, 91, 945 MHz, 100 %, 0x0000000000000020
'''
[[test]]
fires = 0
logs."status.txt" = '''
Clocks Event Reasons
    Idle                              : Not Active
    SW Power Cap                      : Active
    HW Slowdown                       : Active
        HW Thermal Slowdown           : Not Active
        HW Power Brake Slowdown       : Active
'''
[[test]]
# Nothing runs on it.
fires = 0
logs."gpu_metrics-node1.csv" = '''
timestamp, index, temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active
2024/05/01 12:00:00.101, 0, 60, 1410 MHz, 0 %, 0x0000000000000001
2024/05/01 12:00:00.108, 1, 91, 345 MHz, 0 %, 0x0000000000000021
'''
[[test]]
fires = 1
expect = { gpus = ["GPU 2"] }
logs."rocm-smi.txt" = '''
Device  Node  IDs              Temp        Power     Partitions          SCLK     MCLK     Fan  Perf  PwrCap  VRAM%  GPU%
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
0       2     0x74a1,   28851  67.0°C      741.0W    NPS1, SPX, 0        1512Mhz  1300Mhz  0%   auto  750.0W  88%    100%
1       3     0x74a1,   51499  86.0°C      738.0W    NPS1, SPX, 0        1520Mhz  1300Mhz  0%   auto  750.0W  88%    100%
2       4     0x74a1,   57603  104.0°C     402.0W    NPS1, SPX, 0        691Mhz   1300Mhz  0%   auto  750.0W  88%    100%
'''
[[test]]
fires = 1                        # the time held back for heat grows from reading to reading
expect = { gpus = ["GPU 1"] }
logs."dmon.txt" = '''
#Entity   TMPTR   POWER     SMCLK   GPUTL   PVIOL        TVIOL
ID        C       W         MHz
GPU 0     64      633.0   1785    99      0        0
GPU 1     91      401.2   975    99      0        4811223311
GPU 2     64      633.0   1785    99      0        0
GPU 0     64      633.0   1785    99      0        0
GPU 1     91      401.2   975    99      0        9622446622
GPU 2     64      633.0   1785    99      0        0
GPU 0     64      633.0   1785    99      0        0
GPU 1     91      401.2   975    99      0        14433669933
GPU 2     64      633.0   1785    99      0        0
'''
[[test]]
fires = 0                        # a millisecond of it
logs."dmon.txt" = '''
#Entity   TMPTR   POWER     SMCLK   GPUTL   PVIOL        TVIOL
ID        C       W         MHz
GPU 0     64      633.0   1785    99      0        0
GPU 1     71      631.2   1770    99      0        1100221
GPU 2     64      633.0   1785    99      0        0
GPU 0     64      633.0   1785    99      0        0
GPU 1     71      631.2   1770    99      0        2200442
GPU 2     64      633.0   1785    99      0        0
GPU 0     64      633.0   1785    99      0        0
GPU 1     71      631.2   1770    99      0        3300663
GPU 2     64      633.0   1785    99      0        0
'''
*/
SELECT attempt, [host] AS hosts, gpus, ranks, began, evidence,
       said || ' throttled for heat' || coalesce(printf(' at %d C', CAST(temp_c AS INTEGER)), '') || coalesce(printf(', %d MHz', CAST(sm_mhz AS INTEGER)), '')
       || ', when its status was taken' AS summary
FROM   throttled_gpus
WHERE  reason = 'hot'
