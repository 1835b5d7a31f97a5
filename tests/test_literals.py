"""Which lines hold a literal: by Hyperscan on the bytes, and by one regex, the same lines."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncclscope import lines, literals, packs, parse

TEXTS = ["a", "ab", "NCCL", "Xid (", "é", ": ", "\\"]
PIECES = st.sampled_from([b"a", b"b", b"NCC", b"L", b"Xid ", b"(", b": ", b" ", b"\r", b"\0", b"\xff", "é".encode(), b"\n", b"\\", b"zzz"])
CONTENTS = st.lists(st.lists(PIECES, max_size=12).map(b"".join), min_size=1, max_size=5)


def chunks_of(contents: list[bytes], after: bytes) -> list[lines.Chunk]:
    """Each content twice, as two neighbours in one source."""
    chunks = []
    for src, content in enumerate(contents):
        half = content + b"\n"
        last = half if after else content
        chunks += [lines.Chunk(src, half, 0, 1), lines.Chunk(src, last, len(half), 1 + half.count(b"\n"), after)]
    return chunks


@given(contents=CONTENTS, after=st.sampled_from([b"", b"NCCL\nab"]))
def test_both_ways_find_the_same_lines(contents: list[bytes], after: bytes) -> None:
    chunks = chunks_of(contents, after)
    frame = lines.frame_of(chunks)
    # An escape stands where a byte was no text, so no literal holds a backslash.
    known = literals.Literals(text for text in TEXTS if text != "\\")
    fast = known.stand_in_lines(chunks, frame)
    assert (fast & frame["own"]).to_list() == (known.stand_in(frame["raw"]).fill_null(False) & frame["own"]).to_list()


@given(data=st.lists(PIECES, max_size=40).map(b"".join))
def test_a_share_is_of_the_lines(data: bytes) -> None:
    known = literals.Literals(["NCCL"])
    every = data.split(b"\n")[: data.count(b"\n") + (not data.endswith(b"\n"))] if data else []
    assert known.share(data) == pytest.approx(sum(b"NCCL" in line for line in every) / max(len(every), 1))


def test_without_hyperscan_the_regex_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = lines.Chunk(0, b"NCCL\nnothing\n", 0, 1)
    fast = literals.Literals(["NCCL"]).stand_in_lines([chunk], lines.frame_of([chunk]))
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    slow = literals.Literals(["NCCL"])
    assert slow.stand_in_lines([chunk], lines.frame_of([chunk])).fill_null(False).to_list() == fast.to_list()
    assert slow.share(chunk.data) == 0.5


def test_no_literal_is_an_escape_of_a_byte() -> None:
    """Such a one would stand in the text of a line and not in its bytes."""
    assert not [text for text in parse.Engine.of(packs.load(rules=False)).wanted.texts if "\\" in text]
