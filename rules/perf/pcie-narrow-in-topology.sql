/*
title    = "NCCL's topology shows a narrow PCIe link at one GPU"
kind     = "perf.pcie_degraded"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.straggler"]
needs    = ["nccl_topo_xml"]
explanation = """
The PCIe link of this GPU, or one between it and the CPU, is narrower than that of its siblings in the same dump. The width of a link does not change with load: lanes were
lost at training, by a bad contact or a damaged slot, riser or retimer.
"""
advice = """
`lspci -vvs BDF | grep -E 'LnkCap|LnkSta'` for the GPU and for the bridges above it; reseat the board or riser, power-cycle the host, and compare again.
"""
false_positives = "Virtual machines show made-up widths; boards that wire one slot narrower."
references = ["NCCL source, graph/xml.cc: link_width"]
[[test]]
fires = 1
expect = { gpus = ["0000:2b:00.0"] }
logs."topo.xml" = '''
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:09:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:19:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="90" rank="1" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:29:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:2b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="8">
        <gpu dev="2" sm="90" rank="2" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:39:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:3b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="3" sm="90" rank="3" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
  </cpu>
</system>
'''
[[test]]
fires = 1                        # the bridge above
expect = { gpus = ["0000:0b:00.0"] }
logs."topo.xml" = '''
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:09:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="4">
      <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:19:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="90" rank="1" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:29:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:2b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="2" sm="90" rank="2" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:39:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:3b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="3" sm="90" rank="3" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
  </cpu>
</system>
'''
[[test]]
fires = 0
logs."topo.xml" = '''
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:09:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:19:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="90" rank="1" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:29:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:2b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="2" sm="90" rank="2" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:39:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:3b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="3" sm="90" rank="3" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
  </cpu>
</system>
'''
[[test]]
fires = 0                        # wired so
logs."topo.xml" = '''
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:09:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="8">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:19:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="8">
        <gpu dev="1" sm="90" rank="1" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:29:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:2b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="8">
        <gpu dev="2" sm="90" rank="2" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:39:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:3b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="8">
        <gpu dev="3" sm="90" rank="3" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
  </cpu>
</system>
'''
[[test]]
fires = 0                        # a link too few is another finding
logs."topo.xml" = '''
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:09:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:19:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="90" rank="1" gdr="1">
          <nvlink target="0000:05:00.0" count="16" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:29:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:2b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="2" sm="90" rank="2" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:39:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:3b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="3" sm="90" rank="3" gdr="1">
          <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
  </cpu>
</system>
'''
*/
WITH narrow AS (
  SELECT *, count(*) OVER (PARTITION BY attempt, file_id) AS n FROM xml_gpus WHERE narrowest < widest)
SELECT attempt, [host] AS hosts, [name] AS gpus, on_host || printf('GPU %s has a PCIe link of x%d to the CPU where its siblings have x%d', label, narrowest, widest) AS summary,
       [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   narrow
WHERE  gpus >= 3 AND n * 3 <= gpus AND label IS NOT NULL
