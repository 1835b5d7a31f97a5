/*
title    = "NCCL's topology shows fewer NVLinks at one GPU"
kind     = "hw.nvlink"
severity = "high"
role     = "cause"
confidence = "likely"
explains = ["perf.low_busbw", "perf.low_channels", "perf.straggler"]
needs    = ["nccl_topo_xml"]
explanation = """
In this dump of NCCL's topology one GPU has fewer NVLinks than its siblings: links that did not train, or that were taken down after errors. All rings and trees are laid for the
weakest GPU.
"""
advice = """
On the host: `nvidia-smi nvlink -s -i GPU` for the links that are inactive, `nvidia-smi nvlink -e`, `dmesg -T | grep -E 'NVRM|SXid'`; reset the GPUs with the fabric manager stopped, and drain the host if the link stays away.
"""
false_positives = "Boards whose GPUs are not wired alike: pairs with bridges, cubes of eight without a switch."
references = ["NCCL source, graph/xml.cc: nvlink count"]
[[test]]
fires = 1
expect = { gpus = ["0000:1b:00.0"] }
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
[[test]]
fires = 1
expect = { hosts = ["hx3"], gpus = ["hx3:0"] }
logs."topo-hx3.xml" = '''
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:09:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:05:00.0" count="0" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:19:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="90" rank="1" gdr="1">
          <nvlink target="0000:05:00.0" count="12" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:29:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:2b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="2" sm="90" rank="2" gdr="1">
          <nvlink target="0000:05:00.0" count="12" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:39:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:3b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="3" sm="90" rank="3" gdr="1">
          <nvlink target="0000:05:00.0" count="12" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:49:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:4b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="4" sm="90" rank="4" gdr="1">
          <nvlink target="0000:05:00.0" count="12" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:59:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:5b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="5" sm="90" rank="5" gdr="1">
          <nvlink target="0000:05:00.0" count="12" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:69:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:6b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="6" sm="90" rank="6" gdr="1">
          <nvlink target="0000:05:00.0" count="12" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:79:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:7b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="7" sm="90" rank="7" gdr="1">
          <nvlink target="0000:05:00.0" count="12" tclass="0x068000"/>
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
fires = 0                        # pairs
logs."topo.xml" = '''
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:09:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:0b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:05:00.0" count="4" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:19:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="90" rank="1" gdr="1">
          <nvlink target="0000:05:00.0" count="4" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:29:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:2b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="2" sm="90" rank="2" gdr="1">
          <nvlink target="0000:05:00.0" count="0" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
    <pci busid="0000:39:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:3b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="3" sm="90" rank="3" gdr="1">
          <nvlink target="0000:05:00.0" count="0" tclass="0x068000"/>
        </gpu>
      </pci>
    </pci>
  </cpu>
</system>
'''
*/
WITH few AS (
  SELECT *, count(*) OVER (PARTITION BY attempt, file_id) AS n FROM xml_gpus WHERE nvlinks < most_nvlinks)
SELECT attempt, [host] AS hosts, [name] AS gpus, on_host || printf('GPU %s has %d NVLinks where its siblings have %d', label, nvlinks, most_nvlinks) AS summary,
       [{'file_id': file_id, 'line': line, 'part': part}] AS evidence
FROM   few
WHERE  gpus >= 3 AND n * 3 <= gpus AND label IS NOT NULL
