/*
title    = "The IOMMU refuses a device access to memory"
kind     = "hw.pcie"
severity = "medium"
role     = "cause"
confidence = "possible"
explains = []
needs    = ["kernel_pcie"]
explanation = '''
A device wanted to read or write memory at an address that its page table of the IOMMU does not hold. Between GPUs and adapters of a server that is peer-to-peer traffic which an IOMMU that translates
does not let pass (transfers hang, or data is wrong); else it is a stray access of a driver or a broken device.
'''
advice = '''
On the host named: `cat /proc/cmdline` for iommu=pt (or switch the IOMMU off in the BIOS), `lspci -vvv` for ACSCtl of the bridges above the device, then `p2pBandwidthLatencyTest` and an `all_reduce_perf -c 1`.
'''
false_positives = "USB and graphics of the board at boot; only GPUs and network adapters are looked at where the driver is named."
references = ["NCCL user guide, Troubleshooting: PCI Access Control Services"]
[[test]]
fires = 1
expect = { hosts = ["n14"], devices = ["n14/0000:81:00.0"] }
logs."n14.kern.log" = '''
Dec  8 21:40:10 n14 kernel: [88201.300110] nvidia 0000:81:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0037 address=0xfea1c0000 flags=0x0030]
Dec  8 21:40:10 n14 kernel: [88201.300151] nvidia 0000:81:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0037 address=0xfea1c0080 flags=0x0030]
'''
[[test]]
fires = 1
expect = { hosts = [], devices = ["3b:00.0"] }
logs."dmesg.txt" = '''
[88201.3] DMAR: DRHD: handling fault status reg 2
[88201.3] DMAR: [DMA Write] Request device [3b:00.0] fault addr 7f1a2000 [fault reason 05] PTE Write access is not set
[88201.4] DMAR: [DMA Write] Request device [3b:00.0] fault addr 7f1a3000 [fault reason 05] PTE Write access is not set
'''
[[test]]
fires = 0                        # a controller of the board while it starts
logs."dmesg.txt" = '''
[    3.1] xhci_hcd 0000:02:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x000b address=0xfea1c0000 flags=0x0030]
[    3.2] xhci_hcd 0000:02:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x000b address=0xfea1c0080 flags=0x0030]
'''
[[test]]
fires = 0
logs."dmesg.txt" = '''
[    3.1] DMAR: IOMMU enabled
'''
*/
SELECT f.attempt, [f.host] AS hosts, [coalesce(f.host || '/', '') || f.device] AS devices, min(h.began) AS began,
       coalesce(f.host || ': t', 'T') || printf('he IOMMU refused %s access to memory %d times%s', f.device, count(*), coalesce(strftime(min(h.began), ' from %H:%M:%S'), '')) AS summary,
       list({'file_id': f.file_id, 'line': f.line, 'part': f.part} ORDER BY f.file_id, f.line, f.part) AS evidence
FROM   pcie_iommu_fault f
JOIN   host_events h USING (file_id, line, part)
WHERE  h.hit AND f.device IS NOT NULL AND coalesce(regexp_matches(f.driver, '^(nvidia|amdgpu|mlx|bnxt|ice|efa|irdma|habanalabs|cxi|hfi|vfio)'), true)
GROUP  BY f.attempt, f.host, f.device
HAVING count(*) >= 2
