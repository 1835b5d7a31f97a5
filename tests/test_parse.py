"""Lines become rows, whatever state the lines are in, and the same rows however a file is cut."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ncclscope import check, ingest, lines, packs, parse, sources

PARSER = r"""
title = "a small pack"

[[line]]
split    = "NCCL INFO"
prefix   = '''(?:\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\] )?(?:(?P<host>[\w.-]+):(?P<pid>\d+):(?P<tid>\d+) \[(?P<dev>\d+)\])? ?$'''
level    = { "" = "info", " " = "info" }
other    = "nccl.other"
[[line]]
split    = "NCCL WARN"
prefix   = '''(?x)(?:\[(?P<time>\d{4}-\d\d-\d\d\x20\d\d:\d\d:\d\d)\]\x20)?
   (?:(?P<host>[\w.-]+):(?P<pid>\d+):(?P<tid>\d+)\x20\[(?P<dev>\d+)\])?(?:\x20(?P<at>\S+:\d+))?\x20?$'''
level    = { "" = "warning", " " = "warning" }
other    = "nccl.other"
[[line]]
literal  = "[rank"
prefix   = '''^\[rank(?P<rank>\d+)\]: ?'''
wrapper  = true
[[line]]
literal  = ".cpp:"
prefix   = '''^\[(?P<sev>[IWE])(?P<time>\d{3,4} \d\d:\d\d:\d\d\.\d{6,9}) (?P<at>\w+\.cpp:\d+)\] (?:\[Rank (?P<group_rank>\d+)\] )?'''
severity = { I = "info", W = "warning", E = "error" }
other    = "torch.other"
[[line]]
always   = true
prefix   = '''^(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?) '''
wrapper  = true
[[line]]
always   = true
prefix   = '''^(?P<task>\d{1,4}): '''
wrapper  = true
[[line]]
literal  = '{"log":"'
json     = { message = "log", time = "time", stream = "stream" }
wrapper  = true

[[event]]
kind     = "channel"
table    = "connections"
literal  = [" via P2P/", " via NET/"]
pattern  = '''(?x)^Channel\x20(?P<channel>\d+)\x20:\x20(?P<from_rank>\d+)\x20->\x20(?P<to_rank>\d+)
   (?:\x20\[(?P<direction>\w+)\])?\x20via\x20(?P<via>(?P<transport>NET/IB|P2P/IPC)(?:/(?P<nic>\d+))?(?:/(?P<gdr>GDRDMA))?)$'''
[[event]]
kind     = "op"
table    = "collectives"
literal  = ": opCount "
pattern  = '''^(?P<op>\w+): opCount (?P<opcount>[0-9a-f]+) count (?P<count>\d+) comm (?P<comm_ptr>0x[0-9a-f]+)$'''
set      = { state = "scheduled" }
[[event]]
kind     = "port"
literal  = "Got async event"
pattern  = '''^NET/IB : (?P<hca>\w+):(?P<port>\d+) Got async event : (?P<event>port error|port active)$'''
types    = { port = "int" }
wrap     = true
[[event]]
kind     = "watchdog"
literal  = "Watchdog caught"
pattern  = '''Watchdog caught collective operation timeout: .*SeqNum=(?P<seq>\d+)(?:, OpType=(?P<op>\w+))?'''
severity = "error"
[[event]]
kind     = "late"
literal  = " stopped at "
pattern  = '''^job (?P<job>\d+) stopped at (?P<time>\S+)$'''
[[event]]
kind     = "traceback"
literal  = "Traceback (most recent call last):"
block    = { more = '''^(?:\s|$)''', last = '''^[A-Za-z_][\w.]*''', max = 50 }
pattern  = '''(?s)^Traceback \(most recent call last\):\n(?P<stack>.*)\n(?P<exception>[A-Za-z_][\w.]*)(?:: (?P<text>[^\n]*))?$'''
[[event]]
kind     = "failure"
literal  = "failed with "
but      = '''^(?:fsck|.* as planned$)'''
pattern  = '''failed with (?P<exception>\w+)'''
severity = "error"
"""

CHANNEL = "node1:11:14 [3] NCCL INFO Channel 07 : 3 -> 2 via P2P/IPC"
PORT = "[2026-11-30 03:13:52] node1:11:14 [3] net_ib.cc:101 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error"
WATCHDOG = "[E618 13:55:49.384372190 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: SeqNum=9"
TRACEBACK = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "    f()", "ValueError: no"]

Row = dict[str, Any]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> parse.Engine:
    path = tmp_path_factory.mktemp("pack") / "small.toml"
    path.write_text(PARSER)
    return parse.Engine.of(packs.Pack({"small": packs.load_parser(path)}))


@pytest.fixture(scope="module", autouse=True)
def small_pack(engine: parse.Engine) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "engine_for", lambda extra: (engine, (), "small"))
        yield


def read(engine: parse.Engine, *lines: str) -> list[Row]:
    return check.rows_of(engine, "\n".join(lines))


def only(engine: parse.Engine, *lines: str) -> Row:
    (row,) = read(engine, *lines)
    return row


def kinds(rows: Sequence[Row]) -> list[tuple[int, int, str]]:
    return [(row["no"], row["part"], row["kind"]) for row in rows]


# ---------------------------------------------------------------- prefixes and tables


def test_a_prefix_names_the_speaker_and_a_dense_event_fills_its_typed_table(engine: parse.Engine) -> None:
    row = only(engine, CHANNEL)
    assert (row["table"], row["host"], row["pid"], row["rank"]) == ("connections", "node1", 11, None)
    assert (row["channel"], row["from_rank"], row["to_rank"], row["transport"], row["nic"]) == (
        7,
        3,
        2,
        "P2P/IPC",
        None,
    )
    assert row["gdr"] is False


def test_constants_and_numbers_of_a_dense_table(engine: parse.Engine) -> None:
    row = only(engine, "node1:11:14 [3] NCCL INFO AllReduce: opCount 1f count 4096 comm 0x55ab")
    assert (row["op"], row["count"], row["comm_ptr"], row["state"]) == ("AllReduce", 4096, "0x55ab", "scheduled")


def test_an_event_keeps_message_fields_severity_and_time(engine: parse.Engine) -> None:
    row = only(engine, PORT)
    assert (row["kind"], row["source"], row["severity"]) == ("port", "small", 2)
    assert row["message"] == "NET/IB : mlx5_1:1 Got async event : port error"
    fields = {"hca": "mlx5_1", "port": "1", "event": "port error", "at": "net_ib.cc:101", "dev": "3"}
    assert {name: row[name] for name in fields} == fields
    assert (row["ts"].isoformat(), row["ts_max"].isoformat(), row["ts_from"]) == (
        "2026-11-30T03:13:52",
        "2026-11-30T03:13:53",
        "line",
    )


def test_fields_hold_only_what_the_line_says(engine: parse.Engine) -> None:
    first, second = read(engine, "Watchdog caught collective operation timeout: SeqNum=1", f"{WATCHDOG}, OpType=ALLREDUCE")
    assert "op" not in first and "at" not in first and "group_rank" not in first
    assert (second["op"], second["at"], second["group_rank"]) == ("ALLREDUCE", "ProcessGroupNCCL.cpp:616", "3")


def test_prefixes_are_peeled_in_any_order_and_the_first_rank_wins(engine: parse.Engine) -> None:
    row = only(engine, f"12: 2024-06-18T13:55:50Z [rank7]: [rank2]:{WATCHDOG}")
    assert (row["rank"], row["task"], row["group_rank"], row["severity"]) == (7, "12", "3", 3)


def test_a_time_with_a_zone_outside_wins_over_one_without_inside(engine: parse.Engine) -> None:
    row = only(engine, f"2024-06-18T13:55:50Z [rank7]:{WATCHDOG}")
    assert (row["ts"].isoformat(), row["ts_clock"]) == ("2024-06-18T13:55:50", 0)
    assert only(engine, WATCHDOG)["ts_clock"] == 2


def test_a_time_in_the_message_is_the_time_of_the_event(engine: parse.Engine) -> None:
    rows = read(engine, "2024-05-01 12:00:09 text", "job 7 stopped at 2024-05-01T12:00:00", "failed with A")
    assert [row["ts"].second for row in rows] == [0, 9]
    said = "2024-05-01T12:00:05Z job 7 stopped at 2024-05-01T12:00:00"
    assert only(engine, said)["ts"].second == 5


def test_a_message_nobody_described_keeps_its_speaker(engine: parse.Engine) -> None:
    row = only(engine, "node1:11:14 [3] NCCL WARN the moon is full")
    assert (row["kind"], row["host"], row["severity"], row["message"]) == ("nccl.other", "node1", 2, "the moon is full")


def test_what_a_pattern_is_not_meant_for_is_no_event(engine: parse.Engine) -> None:
    assert kinds(read(engine, "it failed with Boom", "fsck failed with Boom", "it failed with Boom as planned")) == [(1, 0, "failure")]


def test_lines_without_a_literal_are_no_rows(engine: parse.Engine) -> None:
    assert read(engine, "epoch 1", "", "   ", "[rank3]: step 4") == []


def test_a_message_inside_json(engine: parse.Engine) -> None:
    row = only(engine, r'{"log":"step failed with OSError\n","stream":"stderr","time":"2024-05-01T12:00:00.5Z"}')
    assert (row["kind"], row["exception"], row["stream"]) == ("failure", "OSError", "stderr")
    assert (row["message"], row["ts"].isoformat()) == ("step failed with OSError", "2024-05-01T12:00:00.500000")


# ---------------------------------------------------------------- damaged text


def test_two_lines_that_share_one(engine: parse.Engine) -> None:
    rows = read(engine, CHANNEL + PORT, f"{PORT}{PORT}{PORT}")
    assert kinds(rows) == [
        (1, 0, "connections"),
        (1, 1, "port"),
        (2, 0, "port"),
        (2, 1, "port"),
        (2, 2, "port"),
    ]


def test_a_literal_without_a_speaker_is_a_quotation(engine: parse.Engine) -> None:
    row = only(engine, "node1:11:14 [3] NCCL INFO look for NCCL WARN in the log")
    assert (row["kind"], row["message"]) == ("nccl.other", "look for NCCL WARN in the log")


def test_a_line_glued_behind_a_progress_bar(engine: parse.Engine) -> None:
    row = only(engine, f"epoch 1:  37%|###   | 3/8 [00:12<00:20]  [rank3]:{WATCHDOG}")
    assert (row["kind"], row["rank"], row["no"], row["part"]) == ("watchdog", 3, 1, 1)


def test_a_lone_carriage_return_separates_parts(engine: parse.Engine) -> None:
    rows = read(engine, f"10%\r20%\r{CHANNEL}\r30%\r{PORT}")
    assert kinds(rows) == [(1, 2, "connections"), (1, 4, "port")]


def test_windows_line_ends_are_no_part_of_a_message(engine: parse.Engine) -> None:
    rows = check.rows_of(engine, f"{CHANNEL}\r\n{PORT}\r\nfailed with A")
    assert kinds(rows) == [(1, 0, "connections"), (2, 0, "port"), (3, 0, "failure")]
    assert (rows[1]["offset"], rows[1]["size"], rows[2]["offset"]) == (
        len(CHANNEL) + 2,
        len(PORT) + 2,
        len(CHANNEL + PORT) + 4,
    )


def test_colours_are_stripped_before_patterns_look(engine: parse.Engine) -> None:
    row = only(engine, "\x1b[33mnode1:11:14 [3] NCCL INFO \x1b[0mChannel 07 : 3 -> 2 via P2P/IPC\x1b[0m")
    assert (row["table"], row["host"]) == ("connections", "node1")


def test_bytes_that_are_no_text_become_escapes_and_sizes_stay_true(engine: parse.Engine) -> None:
    data = b"a\xff\xfe\nstep failed with A\n\xc3\nfailed with B \xe2\x82\n" + b"failed with C"
    lines = parse.lines_of(0, data, 0, 1).filter("own")
    assert lines["raw"].to_list() == [
        r"a\xff\xfe",
        "step failed with A",
        r"\xc3",
        r"failed with B \xe2\x82",
        "failed with C",
    ]
    assert lines["bad"].to_list() == [True, False, True, True, False]
    assert lines["size"].to_list() == [4, 19, 2, 17, 13]
    assert lines["offset"].to_list() == [0, 4, 23, 25, 42]


def test_nul_bytes_are_damage_and_stay(engine: parse.Engine) -> None:
    lines = parse.lines_of(0, b"\0\0\0failed with A\nfine\n", 0, 1).filter("own")
    assert lines["bad"].to_list() == [True, False]
    assert only(engine, "\0\0\0failed with A")["exception"] == "A"


def test_a_torn_line_is_not_taken_for_a_shorter_one(engine: parse.Engine) -> None:
    assert only(engine, CHANNEL[:-3])["kind"] == "nccl.other"
    assert only(engine, "14 [3] NCCL INFO Channel 07 : 3 -> 2 via P2P/IPC")["table"] == "connections"


def test_every_prefix_of_a_line_gives_rows_or_nothing(engine: parse.Engine) -> None:
    for line in (CHANNEL, PORT, WATCHDOG):
        rows = read(engine, *(line[:n] for n in range(len(line))), *(line[n:] for n in range(len(line))))
        assert {row["table"] for row in rows} <= {"events", "connections"}


def test_a_line_that_a_terminal_has_broken_is_joined(engine: parse.Engine) -> None:
    in_word = read(engine, PORT[:-3], PORT[-3:], "next")
    at_blank = read(engine, PORT[:-11], PORT[-10:])
    labelled_twice = read(engine, f"2: 5: {PORT[:-3]}", f"2: {PORT[-3:]}")
    for rows in (in_word, at_blank, labelled_twice):
        assert kinds(rows) == [(1, 0, "port")]
        assert (rows[0]["event"], rows[0]["n_lines"]) == ("port error", 2)


# ---------------------------------------------------------------- records of several lines


def test_a_traceback_is_one_event(engine: parse.Engine) -> None:
    row = only(engine, *TRACEBACK, "after")
    assert (row["kind"], row["exception"], row["text"], row["n_lines"]) == ("traceback", "ValueError", "no", 4)


def test_tracebacks_of_ranks_that_interleave(engine: parse.Engine) -> None:
    lines = [f"[rank{rank}]: {line}" for line in TRACEBACK for rank in (0, 1, 2)]
    rows = read(engine, *lines)
    assert [(row["no"], row["rank"], row["exception"], row["n_lines"]) for row in rows] == [
        (1, 0, "ValueError", 4),
        (2, 1, "ValueError", 4),
        (3, 2, "ValueError", 4),
    ]


def test_an_event_inside_a_traceback_has_a_row_of_its_own(engine: parse.Engine) -> None:
    rows = read(engine, TRACEBACK[0], TRACEBACK[1], "    raise E  # failed with E", TRACEBACK[3])
    assert kinds(rows) == [(1, 0, "traceback"), (3, 0, "failure")]


def test_every_line_of_a_record_counts_as_recognised(engine: parse.Engine, tmp_path: Path) -> None:
    summary, _ = scan(tmp_path, "\n".join([*TRACEBACK, "after", "", CHANNEL, ""]).encode())
    (piece,) = summary
    assert (piece.lines, piece.matched, piece.damaged) == (7, 6, 0)


# ---------------------------------------------------------------- carried times


def test_a_line_without_a_time_carries_the_last_above_it(engine: parse.Engine) -> None:
    rows = read(engine, "failed with A", "2024-05-01 12:00:00 text", "failed with B", "text", "2024-05-01 12:00:09 text")
    first, second = rows
    assert (first["ts"], first["ts_from"]) == (None, None)
    assert (second["ts"].isoformat(), second["ts_max"].isoformat(), second["ts_from"]) == (
        "2024-05-01T12:00:00",
        "2024-05-01T12:00:09",
        "carried",
    )


def test_a_stated_time_is_carried_only_where_there_is_no_other(engine: parse.Engine) -> None:
    stated = "job 7 stopped at 2024-05-01T12:00:00"
    alone = read(engine, stated, "failed with A")
    beside = read(engine, "2024-05-01 12:00:05 text", stated, "failed with A")
    assert [row["ts"].second for row in alone] == [0, 0]
    assert [row["ts"].second for row in beside] == [0, 5]


def test_what_no_clock_can_show_is_not_carried(engine: parse.Engine) -> None:
    (row,) = read(engine, "2024-05-01 12:00:00 text", "2024-05-01 27:00:00 text", "failed with A")
    assert row["ts"].isoformat() == "2024-05-01T12:00:00"


def test_a_time_carries_a_megabyte_at_most(engine: parse.Engine) -> None:
    filler = ["x" * 1023] * 1024
    near = read(engine, "2024-05-01 12:00:00 text", *filler[:1000], "failed with A")
    far = read(engine, "2024-05-01 12:00:00 text", *filler, "failed with A")
    assert (near[0]["ts_from"], far[0]["ts_from"]) == ("carried", None)


def test_without_a_time_in_reach_below_nobody_knows_the_latest(engine: parse.Engine) -> None:
    filler = ["x" * 1023] * 200
    (open_end,) = read(engine, "2024-05-01 12:00:00 text", "failed with A", *filler, "2024-05-01 12:00:09 text")
    (at_end,) = read(engine, "2024-05-01 12:00:00 text", "failed with A", *filler[:9])
    assert (open_end["ts"].second, open_end["ts_max"]) == (0, None)
    assert at_end["ts_max"].second == 1


# ---------------------------------------------------------------- slices


def scan(directory: Path, data: bytes, parcel_bytes: int = 1 << 30) -> tuple[list[ingest.PieceSummary], list[Row]]:
    """What the pieces of a file say, and its rows, wherever it is cut."""
    directory.mkdir(exist_ok=True)
    path = directory / "a.log"
    path.write_bytes(data)
    found, _ = sources.find([str(path)])
    out = directory / "parcels"
    out.mkdir()
    pieces, rows = [], []
    for parcel in sources.cut(found, parcel_bytes):
        summary = ingest.ingest(parcel, str(out))
        pieces += summary.pieces
        before = {piece.start: sum(p.lines for p in pieces if p.start < piece.start) for piece in summary.pieces}
        for table in summary.rows:
            frame = pl.read_parquet(out / summary.key / f"{table}.parquet")
            rows += [_absolute(table, row, before) for row in frame.iter_rows(named=True)]
    return pieces, sorted(rows, key=lambda row: (row["line"], row["part"], row["table"]))


def _absolute(table: str, row: Row, before: dict[int, int]) -> Row:
    """Lines count from the piece's start."""
    start = row.pop("piece")
    fields = sorted((row.pop("fields", None) or {}).items())
    return row | {"table": table, "line": row["line"] + before[start], "fields": fields}


LINES = st.sampled_from(
    [
        CHANNEL,
        PORT,
        PORT[:-3],
        WATCHDOG,
        f"[rank1]:{WATCHDOG}, OpType=ALLREDUCE",
        "failed with A",
        "job 7 stopped at 2024-05-01T12:00:00",
        "text\r\n\n",
        "10%\r20%\r" + CHANNEL,
        "2024-05-01 12:00:03 text",
        "2024-05-01T12:00:04.5Z failed with B",
        CHANNEL + PORT,
        *(f"[rank{rank}]: {line}" for rank in (0, 1) for line in TRACEBACK),
        *TRACEBACK,
        "caf\u00e9 failed with C",
        "x" * 300,
    ]
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(lines=["job 7 stopped at 2024-05-01T12:00:00", CHANNEL, CHANNEL + PORT], parcel=40, end="")
@given(lines=st.lists(LINES, min_size=1, max_size=30), parcel=st.integers(40, 2000), end=st.sampled_from(["", "\n"]))
def test_any_cut_gives_the_same_rows(tmp_path_factory: pytest.TempPathFactory, lines: list[str], parcel: int, end: str) -> None:
    data = ("\n".join(lines) + end).encode()
    whole, expected = scan(tmp_path_factory.mktemp("whole"), data)
    pieces, rows = scan(tmp_path_factory.mktemp("cut"), data, parcel)
    assert rows == expected
    assert sum(piece.lines for piece in pieces) == whole[0].lines
    assert all(piece.matched + piece.damaged <= piece.lines for piece in pieces)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, min_size=5, max_size=40), block=st.integers(40, 2000))
def test_any_batch_gives_the_same_rows(tmp_path_factory: pytest.TempPathFactory, lines: list[str], block: int) -> None:
    data = "\n".join(lines).encode()
    whole, expected = scan(tmp_path_factory.mktemp("whole"), data)
    read_parcel = sources.read
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "BATCH_BYTES", 1)
        patch.setattr(sources, "read", lambda parcel: read_parcel(parcel, block))
        pieces, rows = scan(tmp_path_factory.mktemp("batches"), data)
    assert rows == expected
    assert pieces[0].lines == whole[0].lines


@given(texts=st.lists(st.binary(max_size=12), max_size=20), most=st.integers(1, 5), after=st.sampled_from([b"", b"a\nb\n"]))
def test_parts_of_a_chunk_are_its_lines(texts: list[bytes], most: int, after: bytes) -> None:
    data = b"\n".join(texts) + (b"\n" if after else b"")
    chunk = lines.Chunk(3, data, 100, 7, after)
    whole, parts = lines.frame_of([chunk]), lines.frame_of(list(lines.cut(chunk, most)))
    assert parts.filter("own").equals(whole.filter("own"))
    assert whole.filter("own")["size"].sum() == len(data)


def test_a_file_with_rows_beyond_one_batch_keeps_times_in_order(tmp_path: Path) -> None:
    """Lines read ahead to finish a record must not lend their time to the batch that follows."""
    data = b"2024-05-01 12:00:00 a\n" + b"failed with A\n" * 40 + b"2024-05-01 12:00:09 b\n" + b"failed with B\n" * 40
    read_parcel = sources.read
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "BATCH_BYTES", 1)
        patch.setattr(sources, "read", lambda parcel: read_parcel(parcel, 200))
        _, rows = scan(tmp_path, data)
    assert len(rows) == 80
    assert all(row["ts"].second == (0 if row["line"] < 42 else 9) for row in rows)


def test_many_small_files_in_one_parcel(tmp_path: Path) -> None:
    for n in range(20):
        (tmp_path / f"{n:02}.log").write_text(f"2024-05-01 12:00:{n:02} text\nfailed with A{n}\n{CHANNEL}")
    found, _ = sources.find([str(tmp_path)])
    out = tmp_path / "out"
    out.mkdir()
    (parcel,) = sources.cut(found)
    summary = ingest.ingest(parcel, str(out))
    assert [(piece.lines, piece.matched) for piece in summary.pieces] == [(3, 2)] * 20
    events = pl.read_parquet(out / summary.key / "events.parquet").sort("ts")
    assert events["ts"].dt.second().to_list() == list(range(20))
    assert events["file_id"].to_list() == [piece.file_id for piece in summary.pieces]
    assert set(events["line"]) == {2}
