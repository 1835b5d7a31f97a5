"""Readers of GPU and NIC telemetry: nvidia-smi CSV and text, DCGM, NIC counters."""

import csv
import io
import re
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ncclscope import packs, readers, schema
from ncclscope.dialect import ascii_pattern

PARSERS = packs.shipped() / "parsers"
NAMES = ("nvidia_smi", "nvidia_smi_text", "dcgm", "nic_counters")
SAMPLES = [(name, sample) for name in NAMES for sample in packs.load_parser(PARSERS / f"{name}.toml").samples]
FUZZ = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@cache
def reader_module(name: str) -> ModuleType:
    """The Python half of a reader, loaded by path as the engine does."""
    declared = packs.load_parser(PARSERS / f"{name}.toml").reader
    assert declared is not None
    return readers.load_module(str(declared.module))


class Slow(io.RawIOBase):
    """A stream that gives a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self.size = data, size

    def read(self, size: int = -1) -> bytes:
        wanted = min(self.size, size) if size > 0 else self.size
        given, self.data = self.data[:wanted], self.data[wanted:]
        return given


class Got:
    """What a reader yielded, row by row."""

    def __init__(self, name: str, data: bytes | str, path: str = "node01/file.txt", step: int = 0) -> None:
        raw = data.encode() if isinstance(data, str) else data
        stream = Slow(raw, step) if step else io.BytesIO(raw)
        self.rows: dict[str, list[dict[str, Any]]] = {}
        for table, frame in reader_module(name).read(stream, SimpleNamespace(path=path, member=None)):
            assert frame.schema["line"] == pl.UInt64
            if table not in ("unread", "damaged"):
                known = {column.name for column in schema.BY_NAME[table].columns} | {"ts_clock"}
                assert set(frame.columns) <= known
            self.rows.setdefault(table, []).extend(self._plain(frame))

    @staticmethod
    def _plain(frame: pl.DataFrame) -> list[dict[str, Any]]:
        out = []
        for row in frame.iter_rows(named=True):
            fields = row.pop("fields", None) or {}
            if isinstance(fields, list):
                fields = {pair["key"]: pair["value"] for pair in fields}
            out.append({k: v for k, v in fields.items() if v is not None} | row)
        return out

    def lines(self, table: str) -> list[int]:
        return sorted(row["line"] for row in self.rows.get(table, []))

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [row for row in self.rows.get("events", []) if row["kind"] == kind]

    def values(self, name: str) -> list[float]:
        rows = [row for row in self.rows.get("metrics", []) if row["name"] == name]
        return [row["value"] for row in sorted(rows, key=lambda row: row["line"])]

    def metric(self, name: str) -> list[dict[str, Any]]:
        return [row for row in self.rows.get("metrics", []) if row["name"] == name]

    def key(self) -> list[tuple[str, str]]:
        return sorted((table, repr(sorted(row.items(), key=str))) for table, rows in self.rows.items() for row in rows)


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=[sample.where for _, sample in SAMPLES])
def test_a_sample_gives_what_it_declares(name: str, sample: packs.Sample) -> None:
    got = Got(name, sample.text)
    rows = got.rows.get(sample.table, []) if sample.table else got.events(sample.kind)
    assert len(rows) == sample.rows
    assert sample.fields.items() <= rows[0].items()


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=[sample.where for _, sample in SAMPLES])
def test_a_sample_is_sniffed_by_its_own_reader_only(name: str, sample: packs.Sample) -> None:
    for other in NAMES:
        reader = packs.load_parser(PARSERS / f"{other}.toml").reader
        assert reader is not None
        by_rust = pl.Series([sample.text]).str.contains(ascii_pattern(reader.sniff))[0]
        assert by_rust == (other == name)
        assert (re.search(reader.sniff, sample.text) is not None) == by_rust


@pytest.mark.parametrize("name", NAMES)
def test_every_event_of_a_sample_is_a_declared_kind_with_declared_fields(name: str) -> None:
    reader = packs.load_parser(PARSERS / f"{name}.toml").reader
    assert reader is not None
    columns = {column.name for column in schema.EVENTS.columns} | {"ts_clock"}
    for row in [row for owner, sample in SAMPLES if owner == name for row in Got(name, sample.text).rows.get("events", [])]:
        assert set(row) - columns <= set(reader.kinds[row["kind"]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "2024-05-01 12:00:00,123 INFO step 10, loss 2.31, mem 71200 MiB\n",
        "node01:4121:4390 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>\n",
        "[rank0]: Traceback (most recent call last):\n[rank0]:   File 'train.py', line 1, in <module>\n",
        "GPU 0 is fine, temperature 50, power 300 W, and so on\n",
        "Tue Sep 10 04:22:23 2024\n+ python train.py --link 1 --port 2\n",
        "| NVIDIA-SMI 550.90.07    Driver Version: 550.90.07    CUDA Version: 12.4     |\n",
        "",
    ],
)
def test_other_logs_are_not_sniffed(name: str, text: str) -> None:
    reader = packs.load_parser(PARSERS / f"{name}.toml").reader
    assert reader is not None
    assert not re.search(reader.sniff, text * 20)


# --- nvidia-smi CSV


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nvidia_smi", "timestamp, index, power.draw [W]\n2024/05/01 12:00:01.100, 0, 301234.00 W\n2024/05/01 12:00:01.101, 1, 301.23 W\n"),
        ("nvidia_smi", "timestamp, index, power.draw [mW]\n2024/05/01 12:00:01.100, 0, 301234 mW\n2024/05/01 12:00:01.101, 1, 301230 mW\n"),
        ("nvidia_smi_text", "# gpu    pwr  gtemp\n# Idx      W      C\n    0 301234     41\n    1    301     42\n"),
        ("dcgm", 'DCGM_FI_DEV_POWER_USAGE{gpu="0"} 301234.0\nDCGM_FI_DEV_POWER_USAGE{gpu="1"} 301.2\n'),
    ],
)
def test_power_is_in_watts_also_where_a_tool_prints_milliwatts(name: str, text: str) -> None:
    frames = reader_module(name).read(io.BytesIO(text.encode()), SimpleNamespace(path="node01/file.txt", member=None))
    whole = [readers.complete(schema.BY_NAME["metrics"], name, frame) for table, frame in frames if table == "metrics"]
    power = [one for frame in whole for one in frame.filter(pl.col("name") == "power.draw").iter_rows(named=True)]
    assert [round(one["value"]) for one in power] == [301, 301]
    assert {one["unit"] for one in power} == {"W"}


def test_what_is_large_but_no_power_of_a_gpu_keeps_its_number() -> None:
    frame = pl.DataFrame(
        {"name": ["energy.total", "chassis.power", "power.draw"], "value": [9e9, 6500.0, 3900.0], "unit": ["mJ", "W", "W"]}
    )
    assert readers.in_watts(frame).rows() == frame.rows()


HEADER = "timestamp, index, name, pci.bus_id, temperature.gpu, power.draw [W], clocks_throttle_reasons.active\n"


def row(second: int, index: int, temperature: str = "31", power: str = "70.10 W") -> str:
    bus = f"00000000:{index}A:00.0"
    return f"2024/05/01 12:00:{second:02d}.10{index}, {index}, NVIDIA H200, {bus}, {temperature}, {power}, 0x0000000000000004\n"


TWO_POLLS = HEADER + "".join(row(second, index) for second in (1, 2) for index in (0, 1))


def test_every_numeric_column_is_a_metric_under_its_present_name() -> None:
    got = Got("nvidia_smi", TWO_POLLS)
    assert got.values("temperature.gpu") == [31.0] * 4
    assert got.values("power.draw") == [70.1] * 4
    assert got.values("clocks_event_reasons.active") == [4.0] * 4
    assert {one["unit"] for one in got.metric("power.draw")} == {"W"}
    assert [one["gpu"] for one in got.metric("power.draw")] == [0, 1, 0, 1]
    assert str(got.metric("power.draw")[0]["ts"]) == "2024-05-01 12:00:01.100000"


@pytest.mark.parametrize(
    "same",
    [
        TWO_POLLS.replace("\n", "\r\n"),
        "\ufeff" + TWO_POLLS,
        TWO_POLLS.replace(" W,", ","),
        TWO_POLLS.replace(", ", ","),
        TWO_POLLS.replace("throttle", "event"),
    ],
    ids=["crlf", "bom", "nounits", "no blanks", "new name"],
)
def test_spelling_makes_no_difference(same: str) -> None:
    assert Got("nvidia_smi", same).key() == Got("nvidia_smi", TWO_POLLS).key()


def test_columns_may_stand_in_any_order() -> None:
    turned = "power.draw [W], index, timestamp\n70.10 W, 0, 2024/05/01 12:00:01.100\n"
    got = Got("nvidia_smi", turned)
    assert (got.values("power.draw"), got.metric("power.draw")[0]["gpu"]) == ([70.1], 0)


def test_a_repeated_header_and_other_lines_between_rows_are_no_rows() -> None:
    error = "Unable to determine the device handle for GPU0000:91:00.0: Unknown Error\n"
    got = Got("nvidia_smi", HEADER + row(1, 0) + HEADER + "\n" + error + row(2, 0))
    assert got.lines("unread") == [5]
    assert [one["line"] for one in got.metric("power.draw")] == [2, 6]
    assert "damaged" not in got.rows


def test_torn_rows_are_damaged() -> None:
    got = Got("nvidia_smi", HEADER + row(1, 0) + row(1, 1)[:45] + "\n" + row(2, 0) + "2024/05/01 12:0")
    assert got.lines("damaged") == [3, 5]
    assert len(got.values("power.draw")) == 2


def test_two_formats_in_one_file() -> None:
    other = "uuid, memory.used [MiB]\nGPU-00000000-0000-4000-8000-000000000000, 5 MiB\n"
    got = Got("nvidia_smi", TWO_POLLS + other + HEADER + row(9, 0))
    assert got.values("memory.used") == [5.0]
    assert len(got.values("power.draw")) == 5
    assert "unread" not in got.rows


def test_missing_values_give_no_metric_and_no_event() -> None:
    words = ["N/A", "[N/A]", "[Not Supported]", "[Requested functionality has been deprecated]", "[Insufficient Permissions]", "-", ""]
    got = Got("nvidia_smi", HEADER + "".join(row(at, 0, word) for at, word in enumerate(words)))
    assert got.values("temperature.gpu") == []
    assert len(got.values("power.draw")) == len(words)
    assert not got.events("gpu.fault")


@pytest.mark.parametrize("word", ["[GPU is lost]", "ERR!", "[Unknown Error]", "[GPU requires reset]"])
def test_a_fault_cell_is_an_event(word: str) -> None:
    got = Got("nvidia_smi", TWO_POLLS + row(3, 1, word, word) + row(3, 0))
    (fault,) = got.events("gpu.fault")
    assert (fault["gpu"], fault["bdf"], fault["field"], fault["value"]) == (1, "0000:1a:00.0", "temperature.gpu,power.draw", word)
    assert (fault["cells"], fault["columns"], fault["line"]) == ("2", "3", 6)
    assert len(got.values("power.draw")) == 5


def test_identity_is_told_once_for_each_gpu() -> None:
    assert [(one["gpu"], one["bdf"]) for one in Got("nvidia_smi", TWO_POLLS * 3).events("gpu.identity")] == [
        (0, "0000:0a:00.0"),
        (1, "0000:1a:00.0"),
    ]


def test_rows_without_a_header_are_named_by_their_shape() -> None:
    got = Got("nvidia_smi", TWO_POLLS.removeprefix(HEADER))
    assert got.events("gpu.columns_guessed")
    assert (got.values("temperature.gpu"), got.values("power.draw")) == ([31.0] * 4, [70.1] * 4)


def test_without_an_index_the_position_in_the_poll_counts() -> None:
    polls = "".join(f"2024/05/01 12:00:{second:02d}.{100 + 7 * gpu}, {40 + gpu}\n" for second in range(0, 50, 10) for gpu in range(4))
    got = Got("nvidia_smi", "timestamp, temperature.gpu\n" + polls)
    assert [one["gpu"] for one in got.metric("temperature.gpu")] == [0, 1, 2, 3] * 5
    assert got.events("gpu.index_inferred")[0]["how"] == "time"


def test_an_index_is_not_guessed_where_nothing_repeats() -> None:
    got = Got("nvidia_smi", "temperature.gpu, memory.used [MiB]\n" + "".join(f"{30 + n}, {n * n} MiB\n" for n in range(20)))
    assert {one["gpu"] for one in got.metric("temperature.gpu")} == {None}
    assert not got.events("gpu.index_inferred")


def test_one_gpu_without_index_is_not_called_zero() -> None:
    got = Got("nvidia_smi", "uuid, temperature.gpu\nGPU-00000000-0000-4000-8000-000000000000, 40\n")
    assert got.metric("temperature.gpu")[0]["gpu"] is None


def test_prose_with_as_many_commas_is_left_to_others() -> None:
    got = Got("nvidia_smi", "index, temperature.gpu\n0, 40\nHello, world\n[ 12.3] NVRM: Xid 79, GPU has fallen off\n1, 41\n")
    assert got.lines("unread") == [3, 4]
    assert got.values("temperature.gpu") == [40.0, 41.0]


def test_hosts_before_each_line() -> None:
    got = Got("nvidia_smi", "n1: index, power.draw [W]\nn1: 0, 50.00 W\nn2: index, power.draw [W]\nn2: 0, 51.00 W\nelse\n")
    assert [(one["host"], one["value"]) for one in got.metric("power.draw")] == [("n1", 50.0), ("n2", 51.0)]
    assert got.lines("unread") == [5]


def test_state_words_are_told_when_they_change() -> None:
    got = Got("nvidia_smi", "index, gpu_recovery_action\n0, None\n0, None\n0, Reset\n0, Reset\n")
    assert [(one["line"], one["value"], one["severity"]) for one in got.events("gpu.state")] == [(2, "None", 1), (4, "Reset", 2)]


@pytest.mark.parametrize("size", [60, 200, 1000])
def test_chunks_make_no_difference(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    data = TWO_POLLS * 5 + row(3, 1, "[GPU is lost]") + "other line\n" + row(4, 0)[:30] + "\n" + row(5, 1)
    whole = Got("nvidia_smi", data)
    module = reader_module("nvidia_smi").blocks
    monkeypatch.setattr(module, "CHUNK_BYTES", size)
    monkeypatch.setattr(module, "FIRST_BYTES", size)
    assert Got("nvidia_smi", data).key() == whole.key()


def test_a_line_too_long_to_hold_is_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    module = reader_module("nvidia_smi").blocks
    monkeypatch.setattr(module, "CHUNK_BYTES", 300)
    monkeypatch.setattr(module, "FIRST_BYTES", 300)
    monkeypatch.setattr(module, "LONGEST_LINE_BYTES", 500)
    got = Got("nvidia_smi", TWO_POLLS + "x" * 3000 + "\n" + row(7, 0))
    assert got.lines("damaged") == [6]
    assert [one["line"] for one in got.metric("power.draw")] == [2, 3, 4, 5, 7]


# --- text forms of nvidia-smi


def test_gpus_of_a_complete_query_are_numbered_and_those_of_an_excerpt_are_not() -> None:
    log = "=====NVSMI LOG=====\n\nAttached GPUs                             : {}\n"
    gpu = "GPU 00000000:{}:00.0\n    Temperature\n        GPU Current Temp                  : 50 C\n"
    gpus = gpu.format("1B") + gpu.format("43")
    assert [one["gpu"] for one in Got("nvidia_smi_text", log.format(2) + gpus).metric("temperature.gpu")] == [0, 1]
    assert [one["gpu"] for one in Got("nvidia_smi_text", log.format(8) + gpus).metric("temperature.gpu")] == [None, None]


def test_links_of_a_gpu_that_the_excerpt_cuts_off_are_not_counted() -> None:
    gpu = "GPU {0}: NVIDIA A100 (UUID: GPU-00000000-0000-4000-8000-00000000000{0})\n"
    links = "".join(f"\t Link {n}: 25 GB/s\n" for n in range(12))
    got = Got("nvidia_smi_text", gpu.format(0) + links + gpu.format(1) + links[:40])
    assert [(one["gpu"], one["value"]) for one in got.metric("nvlink.links_active")] == [(0, 12.0)]


def test_a_matrix_names_nics_by_their_legend() -> None:
    matrix = "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\x1b[0m\nGPU0\t X \tNV18\tPIX\t0-47\nGPU1\tNV18\t X \tSYS\t48-95\n"
    got = Got("nvidia_smi_text", matrix + "\nNIC Legend:\n\n  NIC0: mlx5_7\n")
    assert [(one["a"], one["b"], one["path"]) for one in got.events("topo.link")] == [
        ("GPU0", "GPU1", "NV18"),
        ("GPU0", "mlx5_7", "PIX"),
        ("GPU1", "mlx5_7", "SYS"),
    ]


def test_dmon_columns_are_found_by_name() -> None:
    old = "# gpu   pwr  temp    sm\n# Idx     W     C     %\n    0    70    31     -\nhello\n    1    71    33     5\n    1    71\n"
    got = Got("nvidia_smi_text", old)
    assert (got.values("temperature.gpu"), got.values("utilization.gpu")) == ([31.0, 33.0], [5.0])
    assert (got.lines("unread"), got.lines("damaged")) == ([4], [6])


def test_other_text_around_is_left_to_others() -> None:
    got = Got("nvidia_smi_text", "$ nvidia-smi nvlink -s\nGPU 0: A (UUID: GPU-00000000)\n\t Link 0: <inactive>\nTraceback:\n  File x\n")
    assert got.lines("unread") == [1, 4, 5]


# --- DCGM


def test_dcgm_and_nvidia_smi_share_names() -> None:
    text = '#Entity   SMCLK  TMPTR\nID                C\nGPU 0     1980   52\nDCGM_FI_DEV_SM_CLOCK{gpu="1",Hostname="n1"} 1755\n'
    got = Got("dcgm", text)
    assert [(one["gpu"], one["host"], one["value"]) for one in got.metric("clocks.current.sm")] == [(0, None, 1980.0), (1, "n1", 1755.0)]


@pytest.mark.parametrize("blank", ["N/A", "9223372036854775792", "9223372036854775794", "2147483632", "140737488355328.000", "<<<NULL>>>"])
def test_blank_numbers_of_dcgm_are_no_values(blank: str) -> None:
    assert Got("dcgm", f"#Entity  TMPTR SMCLK\nGPU 0  {blank} 5\n").values("temperature.gpu") == []


def test_a_sticky_xid_is_told_once() -> None:
    text = "#Entity  XIDER\n" + "GPU 0  0\nGPU 1  13\n" * 2 + "GPU 0  79\nGPU 0  79\n"
    found = [(one["gpu"], one["code"], one.get("before")) for one in Got("dcgm", text).events("dcgm.xid")]
    assert found == [(1, "13", None), (0, "79", "0")]


def test_a_mig_slice_is_no_further_gpu() -> None:
    got = Got("dcgm", 'DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-1",GPU_I_ID="3"} 50\n')
    assert got.metric("temperature.gpu")[0]["device"] == "GPU-1/mig3"
    assert not got.events("gpu.identity")


# --- NIC counters

BANNER = (
    "##### {} job node001 Tue Sep 10 04:{}:23 2024\n##### ethtool -S enp26s0np0   (mlx5_1)\nNIC statistics:\n     rx_discards_phy: {}\n"
)


def test_banners_give_host_time_device_and_snapshot() -> None:
    got = Got("nic_counters", BANNER.format("before", "10", 0) + BANNER.format("after", "40", 7))
    found = [(one["host"], one["device"], one["netdev"], one["snapshot"], one["ts"].minute) for one in got.events("counters.snapshot")]
    assert found == [("node001", "mlx5_1", "enp26s0np0", "before", 10), ("node001", "mlx5_1", "enp26s0np0", "after", 40)]
    assert got.values("rx_discards_phy") == [0.0, 7.0]


@pytest.mark.parametrize(
    ("path", "snapshot", "order"),
    [
        ("counters/node001/before.txt", "before", "0"),
        ("hosts/node001/nic_counters.after", "after", "1"),
        ("gpu-a09_after.txt", "after", "1"),
        ("counters_t0.txt", "before", "0"),
        ("counters_t3.txt", "after", "3"),
        ("before/node001.txt", "before", "0"),
        ("vlm-pretrain_12/counters.20240910T042223.txt", "", "20240910042223"),
        ("llama3-70b-pt_1/counters.txt", "", None),
        ("ethtool.2.txt", "", "2"),
    ],
)
def test_the_path_tells_which_snapshot_it_is(path: str, snapshot: str, order: str | None) -> None:
    (one,) = Got("nic_counters", "link mlx5_0/1 out_of_sequence 3\n", path).events("counters.snapshot")
    assert (one["snapshot"], one.get("order")) == (snapshot, order)


def test_counters_of_one_device_from_two_tools_are_one_snapshot() -> None:
    sysfs = "/sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence:4\n"
    got = Got("nic_counters", BANNER.format("before", "10", 0) + sysfs + "link mlx5_1/1 packet_seq_err 2\n")
    (one,) = got.events("counters.snapshot")
    assert (one["tools"], one["counters"], one["last_line"]) == ("ethtool,sysfs,rdma", "3", "6")


def test_a_netdev_takes_the_name_of_its_rdma_device() -> None:
    got = Got("nic_counters", "$ ethtool -S ens1f0\nNIC statistics:\n     rx_discards_phy: 5\nmlx5_4 port 1 ==> ens1f0 (Up)\n")
    assert got.metric("rx_discards_phy")[0]["device"] == "mlx5_4"
    assert got.events("nic.identity")[0]["netdev"] == "ens1f0"


def test_both_forms_of_rdma_statistic_say_the_same() -> None:
    old = Got("nic_counters", "link mlx5_0/1 rx_write_requests 10 out_of_sequence 3\n")
    new = Got("nic_counters", "link mlx5_0/1\n    rx_write_requests 10\n    out_of_sequence 3\n")
    for name in ("rx_write_requests", "out_of_sequence"):
        assert old.values(name) == new.values(name) != []


def test_perfquery_names_are_those_of_sysfs_and_full_counters_are_told() -> None:
    head = "# Port {}counters: Lid 1 port 1 (CapMask: 0x5A00)\n"
    classic = Got("nic_counters", head.format("") + "LinkDownedCounter:...............255\n")
    wide = Got("nic_counters", head.format("extended ") + "LinkDownedCounter:...............255\n")
    assert classic.values("link_downed") == wide.values("link_downed") == [255.0]
    assert (len(classic.events("counters.saturated")), len(wide.events("counters.saturated"))) == (1, 0)


def test_one_file_for_each_counter() -> None:
    got = Got("nic_counters", "17\n", "node01/infiniband/mlx5_0/ports/1/counters/link_downed")
    assert [(one["device"], one["name"], one["value"]) for one in got.rows["metrics"]] == [("mlx5_0", "link_downed", 17.0)]
    assert Got("nic_counters", "17\n", "node01/pid").lines("unread") == [1]


@pytest.mark.parametrize(("state", "severity"), [("Active", 1), ("Down", 2), ("Initializing", 2), ("Armed", 2)])
def test_a_port_that_is_not_active_is_a_warning(state: str, severity: int) -> None:
    (one,) = Got("nic_counters", f"CA 'mlx5_0'\n\tPort 1:\n\t\tState: {state}\n\t\tRate: 400\n").events("nic.port_state")
    assert (one["device"], one["state"], one["rate"], one["severity"]) == ("mlx5_0", state, "400", severity)


def test_a_shell_trace_is_left_to_others() -> None:
    got = Got("nic_counters", "link mlx5_0/1 out_of_sequence 3\n+ python train.py\n- item\n# a comment\n")
    assert got.lines("unread") == [2, 3, 4]


def test_the_table_of_counters_is_sound() -> None:
    with open(PARSERS / "data" / "counters.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {one["class"] for one in rows} == {"loss", "congestion", "link", "error", "traffic", "info"}
    assert {one["level"] for one in rows} == {"", "info", "warning", "critical"}
    assert all(bool(one["alert"]) == bool(one["level"]) for one in rows)
    assert len({one["name"] for one in rows}) == len(rows)


# --- damage


SCRAPS = [b"", b"\n", b",", b", ", b"\x00", b"\xff", b"[Unknown Error]", b"\r", b"  ", b"9" * 30, b"-", b":"]


def _sound(name: str, data: bytes) -> None:
    got = Got(name, data)
    count = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    lines = [one["line"] for rows in got.rows.values() for one in rows]
    assert all(1 <= line <= count for line in lines)
    assert not set(got.lines("unread")) & set(got.lines("damaged"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\r\n", b"\x00", b"\xff\xfe\n", b",\n,,\n", b"#\n# gpu\n", b": \n", b" \t\n" * 5])
def test_almost_nothing_is_read(name: str, data: bytes) -> None:
    _sound(name, data)


@pytest.mark.parametrize("name", NAMES)
@FUZZ
@given(data=st.binary(max_size=400))
def test_any_bytes_are_read(name: str, data: bytes) -> None:
    _sound(name, data)


@pytest.mark.parametrize("name", NAMES)
@FUZZ
@given(data=st.data())
def test_damaged_samples_are_read(name: str, data: st.DataObject) -> None:
    texts = [sample.text for owner, sample in SAMPLES if owner == name]
    raw = bytearray("".join(data.draw(st.lists(st.sampled_from(texts), min_size=1, max_size=2))).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        until = at + data.draw(st.integers(0, 30))
        raw[at:until] = data.draw(st.sampled_from(SCRAPS))
    _sound(name, bytes(raw))


@pytest.mark.parametrize("name", NAMES)
@FUZZ
@given(data=st.data())
def test_a_truncated_sample_loses_only_its_end(name: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([sample.text for owner, sample in SAMPLES if owner == name])).encode()
    _sound(name, text[: data.draw(st.integers(0, len(text)))])


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=[sample.where for _, sample in SAMPLES])
@pytest.mark.parametrize("step", [1, 7])
def test_short_reads_make_no_difference(name: str, sample: packs.Sample, step: int) -> None:
    assert Got(name, sample.text, step=step).key() == Got(name, sample.text).key()


def test_shipped_telemetry_parsers_exist() -> None:
    assert all(callable(reader_module(name).read) for name in NAMES)
