"""Every reader, whatever it is fed: cut, empty, mixed up, binary. Nothing raises, and every line is accounted for once."""

import io
import re
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import case_of

from ncclscope import packs, readers, schema

READERS = {name: parser for name, parser in packs.load(rules=False).parsers.items() if parser.reader}
SAMPLES = [(name, sample.text.encode("utf-8", "surrogateescape")) for name, parser in READERS.items() for sample in parser.samples]
IDS = [f"{name}-{nth}" for nth, (name, _) in enumerate(SAMPLES)]
FUZZ = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def columns_of(table: str) -> frozenset[str]:
    return frozenset(column.name for column in schema.BY_NAME[table].columns) | {"ts_clock"}


def module_of(name: str) -> ModuleType:
    declared = READERS[name].reader
    assert declared is not None
    return readers.load_module(str(declared.module))


def fed(name: str, data: bytes) -> dict[str, list[int]]:
    """The lines that a reader speaks of, table by table; each within the file, in columns that the table has."""
    found: dict[str, list[int]] = {}
    last = max(data.count(b"\n") + 1, 1)
    source = SimpleNamespace(path="node01/trace_rank_0", member=None)
    for table, frame in module_of(name).read(io.BytesIO(data), source):
        assert frame.schema["line"] == pl.UInt64
        if table not in ("unread", "damaged"):
            assert set(frame.columns) <= columns_of(table)
        lines = frame["line"].to_list()
        assert all(1 <= line <= last for line in lines)
        found.setdefault(table, []).extend(lines)
    return found


def honest(found: dict[str, list[int]]) -> bool:
    """No line is both used and left to others, and none is left twice."""
    unread, damaged = found.get("unread", []), found.get("damaged", [])
    return len(unread) == len(set(unread)) and not set(unread) & set(damaged)


@pytest.mark.parametrize(("name", "text"), SAMPLES, ids=IDS)
@FUZZ
@given(st.data())
def test_a_sample_cut_anywhere_is_read(name: str, text: bytes, data: st.DataObject) -> None:
    assert honest(fed(name, text[: data.draw(st.integers(0, len(text)))]))


@pytest.mark.parametrize(("name", "text"), SAMPLES, ids=IDS)
@FUZZ
@given(st.data())
def test_bytes_in_the_middle_are_survived(name: str, text: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 60))
    assert honest(fed(name, text[:at] + data.draw(st.binary(max_size=40)) + text[at + length :]))


@pytest.mark.parametrize(("name", "text"), SAMPLES, ids=IDS)
@FUZZ
@given(st.data())
def test_columns_that_are_missing_or_too_many_are_survived(name: str, text: bytes, data: st.DataObject) -> None:
    lines = text.split(b"\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    words = lines[at].split(b" ")
    words[data.draw(st.integers(0, len(words) - 1))] = data.draw(
        st.sampled_from([b"", b",", b"N/A", b"-1", b"9" * 40, b"a, b, c", b'"', b"{", b"\xff"])
    )
    assert honest(fed(name, b"\n".join([*lines[:at], b" ".join(words), *lines[at + 1 :]])))


@pytest.mark.parametrize(("name", "text"), SAMPLES, ids=IDS)
def test_a_sample_is_given_to_one_reader(name: str, text: bytes) -> None:
    head = text.decode("utf-8", "replace")
    sniffed = [other for other, parser in READERS.items() if parser.reader and re.search(parser.reader.sniff, head)]
    assert name in sniffed
    assert [other for other in sniffed if other != name and not READERS[other].reader.name] == []


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "other", [b"", b"\n", b"\0" * 5000, bytes(range(256)) * 40, b"\xff\xfe" + b"a\0" * 200, b"{" * 3000, b"x" * 200_000, b"[1, 2]\n"]
)
def test_what_is_no_format_at_all_is_survived(name: str, other: bytes) -> None:
    assert honest(fed(name, other))


@pytest.mark.parametrize("name", READERS)
def test_another_format_in_the_same_file_is_left_to_its_own_parser(name: str, tmp_path: Path) -> None:
    """The kernel's line stands behind each sample of a reader, and is found by the kernel's parser."""
    whole = tmp_path / "in"
    whole.mkdir()
    texts = [text for owner, text in SAMPLES if owner == name and not text.startswith(b"\x80")]
    for nth, text in enumerate(texts):
        stem = "trace_rank" if name == "flight_recorder" else "file"
        xid = b"\n[  100.5] NVRM: Xid (PCI:0000:91:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n"
        (whole / f"{stem}_{nth}").write_bytes(text.rstrip(b"\n") + xid)
    case = case_of(whole, tmp_path / "case")
    assert case.sql("SELECT count(DISTINCT file_id) FROM gpu_xid")[0][0] == len(texts)


def test_each_bad_file_has_its_row_and_its_sentence(tmp_path: Path) -> None:
    whole = tmp_path / "in"
    whole.mkdir()
    for nth, (name, text) in enumerate(SAMPLES):
        stem = "trace_rank" if name == "flight_recorder" else name
        (whole / f"{stem}_{nth}.cut").write_bytes(text[: len(text) * 2 // 3])
        (whole / f"{stem}_{nth}.nul").write_bytes(text[: len(text) // 2] + b"\0\x01\xfe" * 30)
    (whole / "empty.csv").write_bytes(b"")
    case = case_of(whole, tmp_path / "case")
    rows = case.sql("SELECT path, status, error, lines, matched + unknown + damaged FROM files")
    assert len(rows) == 2 * len(SAMPLES) + 1
    assert all(lines == told for _, _, _, lines, told in rows)
    assert all((status == "ok") or (error and error.endswith(".") and "\n" not in error) for _, status, error, _, _ in rows)
    assert not [error for _, _, error, _, _ in rows if error and "Traceback" in error]


def test_what_is_whole_of_a_flight_recorders_json_that_was_cut_is_read(tmp_path: Path) -> None:
    entry = (
        '{"record_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 7, "profiling_name": "nccl:all_reduce",'
        ' "time_created_ns": 1796040030328748216, "state": "started", "is_p2p": false}'
    )
    head = '{"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}, "entries": ['
    whole = tmp_path / "in"
    whole.mkdir()
    # No name says what it is, and the third entry is torn.
    (whole / "from_the_ticket.json").write_text(f"{head}{entry}, {entry}, {entry[:60]}")
    case = case_of(whole, tmp_path / "case")
    assert case.sql("SELECT seq, op, state FROM collectives") == [(7, "all_reduce", "started")] * 2
