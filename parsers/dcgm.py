"""Reads NVIDIA DCGM: the columns of `dcgmi dmon` and what dcgm-exporter serves to Prometheus."""

import math
import re
from typing import Any, BinaryIO

from ncclscope.reading import Found, Rows, Time, bus_id, lines_of, when
from ncclscope.sources import Source

Place = tuple[int, Time]

LONGEST_LINE = 16384  # exporter lines carry many labels
MOST_LABELS = 10_000  # distinct label sets remembered
HELD_BACK = 1e8  # nanoseconds; DCGM before 3 counted microseconds, and is believed only where it counts as much

# Number, short name in dmon, names in the exporter without DCGM_FI_ (newer ones last), our name, unit, mode.
# Our name is that of the nvidia-smi query where both mean the same in the same unit.
FIELDS = """
100  SMCLK   DEV_SM_CLOCK                                                     clocks.current.sm                      MHz   gauge
101  MMCLK   DEV_MEM_CLOCK                                                    clocks.current.memory                  MHz   gauge
112  DVCCTR  DEV_CLOCK_THROTTLE_REASONS,DEV_CLOCKS_EVENT_REASONS              clocks_event_reasons.active            -     gauge
140  MMTMP   DEV_MEMORY_TEMP,DEV_MEMORY_TEMP_CELSIUS                          temperature.memory                     C     gauge
150  TMPTR   DEV_GPU_TEMP,DEV_GPU_TEMP_CELSIUS                                temperature.gpu                        C     gauge
153  GTLIMIT DEV_GPU_TEMP_LIMIT,DEV_GPU_TEMP_MARGIN_CELSIUS                   temperature.gpu.tlimit                 C     gauge
155  POWER   DEV_POWER_USAGE,DEV_BOARD_POWER_WATTS                            power.draw                             W     gauge
156  TOTEC   DEV_TOTAL_ENERGY_CONSUMPTION                                     energy.total                           mJ    counter
190  PSTAT   DEV_PSTATE                                                       pstate                                 -     gauge
202  RPCTR   DEV_PCIE_REPLAY_COUNTER,DEV_PCIE_REPLAY_TOTAL                    pcie.replay.counter                    -     counter
203  GPUTL   DEV_GPU_UTIL,DEV_GPU_UTIL_RATIO                                  utilization.gpu                        %     gauge
204  MCUTL   DEV_MEM_COPY_UTIL                                                utilization.memory                     %     gauge
206  ECUTL   DEV_ENC_UTIL                                                     utilization.encoder                    %     gauge
207  DCUTL   DEV_DEC_UTIL                                                     utilization.decoder                    %     gauge
230  XIDER   DEV_XID_ERRORS,DEV_XID_ERROR                                     dcgm.last_xid                          -     gauge
235  PCIMG   DEV_PCIE_MAX_LINK_GEN                                            pcie.link.gen.max                      -     gauge
236  PCIMW   DEV_PCIE_MAX_LINK_WIDTH                                          pcie.link.width.max                    -     gauge
237  PCILG   DEV_PCIE_LINK_GEN                                                pcie.link.gen.current                  -     gauge
238  PCILW   DEV_PCIE_LINK_WIDTH                                              pcie.link.width.current                -     gauge
240  PVIOL   DEV_POWER_VIOLATION                                              violation_time.power                   -     counter
241  TVIOL   DEV_THERMAL_VIOLATION                                            violation_time.thermal                 -     counter
242  SBVIO   DEV_SYNC_BOOST_VIOLATION                                         violation_time.sync_boost              -     counter
243  BLVIO   DEV_BOARD_LIMIT_VIOLATION                                        violation_time.board_limit             -     counter
244  LUVIO   DEV_LOW_UTIL_VIOLATION                                           violation_time.low_util                -     counter
245  RVIOL   DEV_RELIABILITY_VIOLATION                                        violation_time.reliability             -     counter
246  TAPCV   DEV_TOTAL_APP_CLOCKS_VIOLATION                                   violation_time.app_clocks              -     counter
247  TAPBC   DEV_TOTAL_BASE_CLOCKS_VIOLATION                                  violation_time.base_clocks             -     counter
250  FBTTL   DEV_FB_TOTAL                                                     memory.total                           MiB   gauge
251  FBFRE   DEV_FB_FREE                                                      memory.free                            MiB   gauge
252  FBUSD   DEV_FB_USED                                                      memory.used                            MiB   gauge
253  FBRSV   DEV_FB_RESERVED                                                  memory.reserved                        MiB   gauge
254  FBUSP   DEV_FB_USED_PERCENT                                              memory.used_ratio                      -     gauge
310  ESVTL   DEV_ECC_SBE_VOL_TOTAL                                            ecc.errors.corrected.volatile.total    -     counter
311  EDVTL   DEV_ECC_DBE_VOL_TOTAL                                            ecc.errors.uncorrected.volatile.total  -     counter
312  ESATL   DEV_ECC_SBE_AGG_TOTAL                                            ecc.errors.corrected.aggregate.total   -     counter
313  EDATL   DEV_ECC_DBE_AGG_TOTAL                                            ecc.errors.uncorrected.aggregate.total -     counter
390  RPSBE   DEV_RETIRED_SBE,DEV_PAGE_RETIRED_SBE_TOTAL                       retired_pages.single_bit_ecc.count     -     counter
391  RPDBE   DEV_RETIRED_DBE,DEV_PAGE_RETIRED_DBE_TOTAL                       retired_pages.double_bit.count         -     counter
392  RPPEN   DEV_RETIRED_PENDING,DEV_PAGE_RETIRED_PENDING                     retired_pages.pending                  -     gauge
393  URMPS   DEV_UNCORRECTABLE_REMAPPED_ROWS,DEV_ROW_REMAP_UNCORRECTABLE_TOTAL remapped_rows.uncorrectable           -     counter
394  CRMPS   DEV_CORRECTABLE_REMAPPED_ROWS,DEV_ROW_REMAP_CORRECTABLE_TOTAL    remapped_rows.correctable              -     counter
395  RRF     DEV_ROW_REMAP_FAILURE,DEV_ROW_REMAP_FAILED                       remapped_rows.failure                  -     gauge
396  RRP     DEV_ROW_REMAP_PENDING                                            remapped_rows.pending                  -     gauge
409  NFELT   DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL,DEV_NVLINK_CRC_FLIT_ERROR_TOTAL nvlink.crc_errors                 -     counter
419  NDELT   DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL,DEV_NVLINK_CRC_DATA_ERROR_TOTAL nvlink.crc_data_errors            -     counter
429  NRELT   DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL,DEV_NVLINK_REPLAY_ERROR_TOTAL nvlink.replay_errors                  -     counter
439  NRCLT   DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL,DEV_NVLINK_RECOVERY_ERROR_TOTAL nvlink.recovery_errors            -     counter
449  NBWLT   DEV_NVLINK_BANDWIDTH_TOTAL                                       nvlink.bandwidth                       MB/s  gauge
450  GNVERR  DEV_GPU_NVLINK_ERRORS,DEV_NVLINK_ERROR                           nvlink.last_error                      -     gauge
856  SEN00   DEV_NVSWITCH_FATAL_ERRORS,DEV_SXID_FATAL_ERROR                   nvswitch.last_fatal_sxid               -     gauge
857  SEN01   DEV_NVSWITCH_NON_FATAL_ERRORS,DEV_SXID_NON_FATAL_ERROR           nvswitch.last_nonfatal_sxid            -     gauge
1001 GRACT   PROF_GR_ENGINE_ACTIVE,PROF_GR_ENGINE_UTIL_RATIO                  prof.gr_engine_active                  ratio gauge
1002 SMACT   PROF_SM_ACTIVE,PROF_SM_UTIL_RATIO                                prof.sm_active                         ratio gauge
1003 SMOCC   PROF_SM_OCCUPANCY,PROF_SM_OCCUPANCY_RATIO                        prof.sm_occupancy                      ratio gauge
1004 TENSO   PROF_PIPE_TENSOR_ACTIVE,PROF_TENSOR_UTIL_RATIO                   prof.tensor_active                     ratio gauge
1005 DRAMA   PROF_DRAM_ACTIVE,PROF_DRAM_UTIL_RATIO                            prof.dram_active                       ratio gauge
1006 FP64A   PROF_PIPE_FP64_ACTIVE,PROF_FP64_UTIL_RATIO                       prof.fp64_active                       ratio gauge
1007 FP32A   PROF_PIPE_FP32_ACTIVE,PROF_FP32_UTIL_RATIO                       prof.fp32_active                       ratio gauge
1008 FP16A   PROF_PIPE_FP16_ACTIVE,PROF_FP16_UTIL_RATIO                       prof.fp16_active                       ratio gauge
1009 PCITX   PROF_PCIE_TX_BYTES                                               prof.pcie_tx                           B/s   gauge
1010 PCIRX   PROF_PCIE_RX_BYTES                                               prof.pcie_rx                           B/s   gauge
1011 NVLTX   PROF_NVLINK_TX_BYTES                                             prof.nvlink_tx                         B/s   gauge
1012 NVLRX   PROF_NVLINK_RX_BYTES                                             prof.nvlink_rx                         B/s   gauge
1214 NLSYME  DEV_NVLINK_COUNT_RX_SYMBOL_ERRORS,DEV_NVLINK_RX_SYMBOL_ERROR_TOTAL nvlink.symbol_errors                 -     counter
"""
KNOWN: dict[str, tuple[str, str | None, str]] = {}
for _row in FIELDS.strip().splitlines():
    _number, _short, _long, _name, _unit, _mode = _row.split()
    for _key in (_number, _short, *(f"DCGM_FI_{one}" for one in _long.split(","))):
        KNOWN[_key] = (_name, None if _unit == "-" else _unit, _mode)

# "No value", "not found", "not supported", "not permitted" as 64-bit and 32-bit integers and as doubles.
BLANK_LONG, BLANK_INT, BLANK_DOUBLE = 9.223372036854774e18, range(2147483632, 2147483648), range(140737488355328, 140737488355344)

HEADING = re.compile(r"^#\s?Entity\s+(\S.*)$")
UNITS = re.compile(r"^\s*I[dD](?:\s+\S+)*\s*$")
STAMP = r"(?:(\d{4}-\d\d-\d\d[T ][0-9:.,]+\S*|\d\d\d\d/\d\d/\d\d [0-9:.]+|\[[^\]]{8,40}\])\s+)?"
ROW = re.compile(rf"^\s*{STAMP}(GPU-CI|GPU-I|GPU|Switch|Link|CPU|Core)\s+(\S+)\s+(\S.*)$")
SERIES = re.compile(r"^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})? (\S+)(?: (-?\d{10,16}))?\s*$")
LABEL = re.compile(r'([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"')
COMMENT = re.compile(r"^# (?:HELP|TYPE|EOF)\b")
TYPE = re.compile(r"^# TYPE (\S+) (counter|gauge)\b")
TIME_LINE = re.compile(
    r"^#*\s*((?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8}.*20[0-9]{2}"
    r"|20[0-9]{2}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9:.,]{8,15}\S*|1[0-9]{9}(?:\.[0-9]+)?)\s*$"
)


def read(stream: BinaryIO, source: Source) -> Found:
    """Metrics, and events for identities and for Xid and SXid codes that changed."""
    reader = Reader()
    for number, text in lines_of(stream, LONGEST_LINE):
        reader.line(number, text)
        if reader.out.full:
            yield from reader.out.take()
    yield from reader.out.take()


class Who:
    """What the labels of a series, or the entity of a row, say about whose value it is."""

    __slots__ = ("bdf", "device", "driver", "gpu", "host", "labels", "name", "uuid")

    def __init__(self, labels: dict[str, str]) -> None:
        self.labels = labels
        gpu = labels.get("gpu", "")
        self.gpu = int(gpu) if gpu.isdecimal() and len(gpu) < 5 else None
        self.host = labels.get("Hostname") or labels.get("hostname") or None
        self.uuid = labels.get("UUID") or labels.get("uuid") or None
        self.bdf = bus_id(labels.get("pci_bus_id", "")) or None
        self.name = labels.get("modelName") or None
        self.driver = labels.get("DCGM_FI_DRIVER_VERSION") or None
        self.device = self.uuid or self.bdf
        if labels.get("GPU_I_ID"):
            # A slice of a GPU is no further GPU.
            self.device = f"{self.uuid or self.gpu}/mig{labels['GPU_I_ID']}"
        elif labels.get("nvlink"):
            above = f"nvswitch{labels['nvswitch']}/" if labels.get("nvswitch") else ""
            self.device = f"{above}nvlink{labels['nvlink']}"
        elif labels.get("nvswitch"):
            self.device = f"nvswitch{labels['nvswitch'].removeprefix('nvswitch')}"


class Reader:
    """What must be remembered from line to line."""

    def __init__(self) -> None:
        self.out = Rows()
        self.names: list[str] = []
        self.modes: dict[str, str] = {}
        self.labels: dict[str, Who] = {}
        self.entities: dict[tuple[str, str], Who] = {}
        self.time: Time = (None, None)
        self.seen: set[tuple[Any, ...]] = set()
        self.last: dict[tuple[Any, ...], float] = {}

    def line(self, number: int, text: str) -> None:
        """Takes one line of either format."""
        if not text:
            return
        if text[0] == "#" and self._comment(text):
            return
        if text[0].isalpha() and (found := SERIES.match(text)):
            if self._series(number, found):
                return
        elif self.names and (found := ROW.match(text)):
            self._row(number, found)
            return
        if self.names and ((found := ROW.match(text)) or UNITS.match(text)):
            if found:
                self._row(number, found)
            return
        if found := TIME_LINE.match(text):
            self.time = when(found[1])
            return
        (self.out.damaged if text.startswith("DCGM_") else self.out.unread).append(number)

    def _comment(self, text: str) -> bool:
        if found := HEADING.match(text):
            self.names = found[1].split()
            return True
        if COMMENT.match(text):
            if found := TYPE.match(text):
                self.modes[found[1]] = found[2]
            return True
        return False

    def _row(self, number: int, found: re.Match[str]) -> None:
        """A row of dmon."""
        stamp, kind, index, rest = found.groups()
        time = when(stamp.strip("[]")) if stamp else self.time
        cells = rest.split()
        if len(cells) != len(self.names):
            self.out.damaged.append(number)
            return
        who = self.entities.get((kind, index))
        if who is None:
            labels = {"gpu": index} if kind == "GPU" else {}
            who = self.entities[kind, index] = Who(labels)
            who.device = None if kind == "GPU" else f"{kind.lower()} {index}"
        for name, cell in zip(self.names, cells, strict=True):
            value = number_of(cell)
            if value is not None:
                known = KNOWN.get(name) or (f"dcgm.{name.lower()}", None, "gauge")
                self._keep((number, time), who, known, value)

    def _series(self, number: int, found: re.Match[str]) -> bool:
        """A line of the exporter; False if it is only something similar."""
        name, labels, text, stamp = found.groups()
        if labels is None and not name.startswith(("DCGM_", "dcgm_")):
            return False
        value = number_of(text)
        who = self.labels.get(labels or "")
        if who is None:
            parsed = dict(LABEL.findall(labels or ""))
            if labels and not parsed:
                return False
            if len(self.labels) > MOST_LABELS:
                self.labels.clear()
            who = self.labels[labels or ""] = Who(parsed)
            self._identify(number, who)
        if value is None:
            return text in ("NaN", "+Inf", "-Inf") or text.isdecimal()
        time = when(stamp) if stamp else self.time
        if name == "DCGM_EXP_XID_ERRORS_COUNT":
            self._xid((number, time), who, "dcgm.xid", float(who.labels.get("xid") or 0) if value else 0.0)
            return True
        known = KNOWN.get(name) or (name.lower(), None, self.modes.get(name, "gauge"))
        self._keep((number, time), who, known, value)
        return True

    def _keep(self, at: Place, who: Who, known: tuple[str, str | None, str], value: float) -> None:
        name, unit, mode = known
        line, time = at
        self.out.metric(line, name, value, unit, mode, time=time, host=who.host, gpu=who.gpu, device=who.device)
        if name == "violation_time.thermal" and time == (None, None):
            self._heat(at, who, value)
        elif name == "dcgm.last_xid":
            self._xid(at, who, "dcgm.xid", value)
        elif name in ("nvswitch.last_fatal_sxid", "nvswitch.last_nonfatal_sxid"):
            self._xid(at, who, "dcgm.sxid" if "nonfatal" in name else "dcgm.sxid_fatal", value)

    def _heat(self, at: Place, who: Who, total: float) -> None:
        """Whether a GPU was held back for heat since the reading before, as `nvidia-smi dmon` says it.

        For tables without times: where there are some, the view `throttle_times` tells how much of it was so.
        """
        key = ("heat", who.host, who.device or who.gpu)
        before = self.last.get(key)
        self.last[key] = total
        hot = before is not None and total - before >= HELD_BACK
        line, time = at
        self.out.metric(line, "violation.thermal", float(hot), None, "gauge", time=time, host=who.host, gpu=who.gpu, device=who.device)

    def _xid(self, at: Place, who: Who, kind: str, code: float) -> None:
        """The code sticks until the exporter restarts: only a change says that something happened."""
        key = (kind, who.host, who.device or who.gpu)
        before = self.last.get(key)
        self.last[key] = code
        if not code or code == before:
            return
        fields = {
            "code": str(int(code)),
            "before": None if before is None else str(int(before)),
            "text": who.labels.get("err_msg"),
            "grade": {"dcgm.sxid": "nonfatal", "dcgm.sxid_fatal": "fatal"}.get(kind),
            "uuid": who.uuid,
            "bdf": who.bdf,
            "device": who.device,
        }
        what = "Xid" if kind == "dcgm.xid" else "SXid"
        said = f"last {what} of {who.device or f'GPU {who.gpu}'} is {int(code)}" + ("" if before is None else f", was {int(before)}")
        self._event(at, who, kind.removesuffix("_fatal"), 2 if before is None else 3, said, fields)

    def _identify(self, number: int, who: Who) -> None:
        key = (who.host, who.uuid, who.bdf, who.gpu)
        if who.gpu is None or "GPU_I_ID" in who.labels or key in self.seen:
            return
        self.seen.add(key)
        fields = {"uuid": who.uuid, "bdf": who.bdf, "name": who.name, "driver": who.driver, "index_from": "column"}
        said = " ".join(str(part) for part in ("GPU", who.gpu, who.name, who.bdf, who.uuid) if part is not None)
        self._event((number, self.time), who, "gpu.identity", 1, said, fields)

    def _event(self, at: Place, who: Who, kind: str, severity: int, message: str, fields: dict[str, str | None]) -> None:
        line, time = at
        told = {key: value or None for key, value in fields.items()}
        self.out.event(line, kind, severity, message, told, time=time, host=who.host, gpu=who.gpu)


def number_of(text: str) -> float | None:
    """A value, or None for text and for the numbers by which DCGM says that it has none."""
    try:
        value = float(text)
    except ValueError:
        return None
    if not math.isfinite(value) or value >= BLANK_LONG:
        return None
    if value == int(value) and (int(value) in BLANK_INT or int(value) in BLANK_DOUBLE):
        return None
    return value
