import bz2
import gzip
import hashlib
import io
import lzma
import os
import pickle
import random
import socket
import struct
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncclscope import archives, blocks, decompress, parcels, sources, walk

LOG = b"".join(b"node%03d:%d:%d [0] NCCL INFO step %d\r\n" % (i % 7, i * 31, i, i * i) for i in range(20_000))
Read = tuple[str, sources.Source, bytes, sources.Outcome]


def compressed_by_arrow(codec: str) -> Callable[[bytes], bytes]:
    def compress(data: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, codec) as stream:
            stream.write(data)
        return bytes(sink.getvalue())

    return compress


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": compressed_by_arrow("zstd"),
    "lz4": compressed_by_arrow("lz4"),
}


def tar(members: dict[str, bytes], mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def scratch() -> Path:
    """A file for one example of a property test, for which tmp_path does not change."""
    handle, name = tempfile.mkstemp(prefix="ncclscope-test-")
    os.close(handle)
    return Path(name)


def read_all(path: Path, size: int = 1 << 30, limits: decompress.Limits = parcels.LIMITS) -> list[Read]:
    found = sources.find([str(path)])[0]
    result = []
    for parcel in sources.cut(found, size):
        for source, pieces, outcome in sources.read(parcel, limits=limits):
            data = b"".join(block.data for block in pieces)
            result.append((source.member or source.path, source, data, outcome))
    return result


def read_one(path: Path, data: bytes, limits: decompress.Limits = parcels.LIMITS) -> Read:
    path.write_bytes(data)
    (only,) = read_all(path, limits=limits)
    return only


def statuses(path: Path, data: bytes, limits: decompress.Limits = parcels.LIMITS) -> dict[str, tuple[str, bytes]]:
    path.write_bytes(data)
    return {name: (outcome.status, content) for name, _, content, outcome in read_all(path, limits=limits)}


# Finding


def test_a_directory_is_walked_in_a_fixed_order(tmp_path: Path) -> None:
    for name in ("b/2.log", "a.log", "b/10.log", "c.log", "b/a/x.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(LOG)
    found, problems = sources.find([str(tmp_path)])
    assert [source.path for source in found] == ["a.log", "c.log", "b/10.log", "b/2.log", "b/a/x.log"]
    assert not problems


def test_a_file_id_is_the_hash_of_argument_path_and_member(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG)
    (first, again), _ = sources.find([str(tmp_path), str(tmp_path / "a.log")])
    assert first.file_id == int.from_bytes(hashlib.sha256(b"0\0a.log\0").digest()[:8], "big")
    assert again.file_id == int.from_bytes(hashlib.sha256(b"1\0a.log\0").digest()[:8], "big")


def test_an_empty_file_is_a_source_without_blocks(tmp_path: Path) -> None:
    name, source, data, outcome = read_one(tmp_path / "empty.log", b"")
    assert (name, source.size, data, outcome.status) == ("empty.log", 0, b"", "ok")
    assert outcome.sha256 == hashlib.sha256(b"").hexdigest()


def test_an_argument_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(sources.SourceError, match=r"nowhere\.log"):
        sources.find([str(tmp_path / "nowhere.log")])


def test_pipes_sockets_and_links_are_skipped_and_never_opened(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret"
    outside.write_bytes(LOG)
    (tmp_path / "a.log").write_bytes(LOG)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    (tmp_path / "out").symlink_to(outside)
    (tmp_path / "same").symlink_to("a.log")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "gone").symlink_to("missing")
    found, problems = sources.find([str(tmp_path)])
    assert [source.path for source in found] == ["a.log"]
    assert {problem.status for problem in problems} == {"skipped"}
    assert {problem.source.path: problem.error.split(":")[0] for problem in problems} == {
        "pipe": "Not a regular file but a device, pipe or socket.",
        "socket": "Not a regular file but a device, pipe or socket.",
        "out": "A link that leads out of the directory",
        "same": "A link to what is read under its own name.",
        "loop": "A link to what is read under its own name.",
        "self": "A link to nothing.",
        "gone": "A link to nothing.",
    }


def test_a_link_that_is_an_argument_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG)
    (tmp_path / "latest").symlink_to("a.log")
    assert read_all(tmp_path / "latest")[0][2] == LOG


def test_a_device_as_argument_is_skipped() -> None:
    _, (problem,) = sources.find(["/dev/null"])
    assert problem.status == "skipped"


def test_what_cannot_be_opened_is_a_failed_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.log").write_bytes(LOG)

    def refuse(location: str) -> None:
        raise PermissionError(13, "Permission denied", location)

    monkeypatch.setattr(walk, "open_file", refuse)
    _, (problem,) = sources.find([str(tmp_path)])
    assert (problem.status, problem.error) == ("failed", "Cannot be read: Permission denied.")


def test_a_file_that_is_gone_when_it_is_read_is_failed(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG)
    found, _ = sources.find([str(tmp_path)])
    (tmp_path / "a.log").unlink()
    ((_, pieces, outcome),) = sources.read(parcels.Parcel((parcels.Piece(found[0]),)))
    assert (list(pieces), outcome.status) == ([], "failed")
    with pytest.raises(sources.SourceError):
        sources.lines_at(found[0], 0)
    with pytest.raises(sources.SourceError):
        sources.head(found[0])


def test_a_file_that_became_a_pipe_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG)
    found, _ = sources.find([str(tmp_path)])
    (tmp_path / "a.log").unlink()
    os.mkfifo(tmp_path / "a.log")
    ((_, pieces, outcome),) = sources.read(parcels.Parcel((parcels.Piece(found[0]),)))
    assert (list(pieces), outcome.status) == ([], "failed")


def test_names_that_are_not_utf8_become_text_and_still_open(tmp_path: Path) -> None:
    name = os.path.join(os.fsencode(tmp_path), b"caf\xe9\n.log")
    with open(name, "wb") as file:
        file.write(LOG)
    ((path, _, data, _),) = read_all(tmp_path)
    assert (path, data) == ("caf\\xe9\n.log", LOG)


def test_standard_input_is_spooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(LOG))))
    (source,), _ = sources.find(["-"])
    ((_, pieces, _),) = sources.read(parcels.Parcel((parcels.Piece(source),)))
    assert (source.path, source.compression) == ("-", "gz")
    assert b"".join(block.data for block in pieces) == LOG


def test_standard_input_does_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(total=1000, free=30))
    monkeypatch.setattr(walk, "MODEST_BYTES", len(LOG) // 2)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG[: len(LOG) // 2])))
    assert len(sources.find(["-"])[0]) == 1
    monkeypatch.setattr(walk, "COPIED_BYTES", len(LOG) // 2)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG)))
    with pytest.raises(sources.SourceError, match="the disk is nearly full; give the file itself, or set TMPDIR"):
        sources.find(["-"])
    assert len(list(tmp_path.iterdir())) == 1, "what was copied in vain is gone"


def test_a_pipe_from_the_shell_is_spooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    reader, writer = os.pipe()
    os.write(writer, LOG[:4000])
    os.close(writer)
    (source,), _ = sources.find([f"/dev/fd/{reader}"])
    os.close(reader)
    assert sources.head(source) == LOG[:4000]


# Cutting


def test_small_files_share_a_parcel_and_large_ones_are_sliced(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"rank{number}.log").write_bytes(b"x\n" * 100)
    (tmp_path / "big.log").write_bytes(LOG)
    (tmp_path / "big.log.gz").write_bytes(gzip.compress(LOG))
    found, _ = sources.find([str(tmp_path)])
    cuts = [[(p.source.path, p.start, p.end) for p in parcel.pieces] for parcel in sources.cut(found, 200_000)]
    assert cuts[0] == [("big.log", 0, 200_000)]
    assert [cut[0][:2] for cut in cuts if cut[0][0] == "big.log"] == [
        ("big.log", start) for start in range(0, len(LOG), 200_000)
    ]
    assert [("big.log.gz", 0, None)] in cuts
    assert cuts[-1] == [(f"rank{number}.log", 0, None) for number in range(10)]


def test_a_parcel_travels_to_another_process(tmp_path: Path) -> None:
    with open(os.path.join(os.fsencode(tmp_path), b"\xe9.log"), "wb") as file:
        file.write(LOG)
    (parcel,) = sources.cut(sources.find([str(tmp_path)])[0])
    assert pickle.loads(pickle.dumps(parcel)) == parcel


TEXTS = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc", b"\r", b"\xff", b"long line " * 3, b"\0"]), max_size=60)


@settings(max_examples=300, deadline=None)
@given(parts=TEXTS, size=st.integers(1, 90), block_bytes=st.integers(1, 90))
def test_slices_of_any_size_are_the_lines_of_the_file_once(parts: list[bytes], size: int, block_bytes: int) -> None:
    data = b"".join(parts)
    path = scratch()
    path.write_bytes(data)
    try:
        (source,), _ = sources.find([str(path)])
        position = 0
        for parcel in sources.cut([source], size):
            (piece,) = parcel.pieces
            ((_, pieces, outcome),) = sources.read(parcel, block_bytes)
            first = position
            position = check_slice(data, piece, list(pieces), position, block_bytes)
            assert outcome.sha256 == hashlib.sha256(data[first:position]).hexdigest()
            assert (outcome.status, outcome.size_bytes) == ("ok", position - first)
        assert position == len(data)
    finally:
        path.unlink()


def check_slice(data: bytes, piece: sources.Piece, found: list[sources.Block], position: int, block_bytes: int) -> int:
    for number, block in enumerate(found):
        assert block.offset == position
        assert block.data == data[position : position + len(block.data)]
        assert block.before == (data[:position] if not number and piece.start else b"")
        position += len(block.data)
        assert block.data.endswith(b"\n") or position == len(data)
        assert len(block.data) <= block_bytes or b"\n" not in block.data[block_bytes : len(block.data) - 1]
        assert block.after == data[position:]
        assert block.last == (number == len(found) - 1)
        start = data.rfind(b"\n", 0, position - 1) + 1
        assert piece.end is None or start < piece.end
    return position


def test_what_comes_before_and_after_a_slice_is_bounded_and_whole(tmp_path: Path) -> None:
    data = b"".join(b"%09d\n" % number for number in range(400_000))
    (tmp_path / "a.log").write_bytes(data)
    (source,), _ = sources.find([str(tmp_path)])
    piece = parcels.Piece(source, 2_000_005, 2_500_000)
    ((_, pieces, _),) = sources.read(parcels.Parcel((piece,)), 200_000)
    first, *others = list(pieces)
    assert first.offset == 2_000_010
    assert first.before == data[2_000_010 - (1 << 20) // 10 * 10 : 2_000_010]
    assert first.after == data[2_200_010 : 2_200_010 + (256 << 10) // 10 * 10]
    assert [block.before for block in others] == [b"", b""]
    assert others[-1].offset + len(others[-1].data) == 2_500_000
    assert [block.last for block in [first, *others]] == [False, False, True]


def test_a_huge_line_is_cut_and_the_next_offset_stays_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LINE_BYTES", 1000)
    data = b"first\n" + b"x" * 600_000 + b"\nlast\n"
    (tmp_path / "a.log").write_bytes(data)
    (source,), _ = sources.find([str(tmp_path)])
    for block_bytes in (10, 4000, 1 << 20):
        ((_, pieces, outcome),) = sources.read(parcels.Parcel((parcels.Piece(source),)), block_bytes)
        assert [(block.offset, block.data) for block in pieces] == [
            (0, b"first\n"),
            (6, b"x" * 999 + b"\n"),
            (600_007, b"last\n"),
        ]
        assert outcome.status == "ok"
        assert outcome.error is not None and outcome.error.startswith("One line is longer than")
        assert outcome.sha256 == hashlib.sha256(data).hexdigest()
        assert outcome.size_bytes == len(data)


def test_a_stream_of_blocks_has_huge_lines_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LINE_BYTES", 1000)
    data = b"first\n" + b"x" * 600_000 + b"\nlast\n" + b"y" * 300_000
    (tmp_path / "a.log").write_bytes(data)
    (source,), _ = sources.find([str(tmp_path)])
    ((_, pieces, outcome),) = sources.read(parcels.Parcel((parcels.Piece(source),)))
    assert sources.stream(pieces).read() == data
    assert outcome.sha256 == hashlib.sha256(data).hexdigest()


def test_a_slice_within_a_huge_line_reads_no_further_than_its_end(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"x" * (4 << 20))
    (source,), _ = sources.find([str(tmp_path)])
    with open(tmp_path / "a.log", "rb", buffering=0) as file:
        start, rest = parcels._first_line(file, parcels.Piece(source, 100, 200))
        assert (start >= 200, rest, file.tell() < 1 << 20) == (True, b"", True)


# Decompression


@pytest.mark.parametrize("name", COMPRESS)
def test_a_compressed_file_is_read_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    _, source, data, outcome = read_one(tmp_path / "misnamed.txt", COMPRESS[name](LOG))
    assert (source.compression, source.archive, data, outcome.status) == (name, None, LOG, "ok")
    assert outcome.sha256 == hashlib.sha256(LOG).hexdigest()
    assert sources.head(source, 100) == LOG[:100]
    with sources.open_stream(source) as stream:
        assert stream.read() == LOG


@pytest.mark.parametrize("name", COMPRESS)
def test_compressed_files_one_after_another_are_one(tmp_path: Path, name: str) -> None:
    parts = COMPRESS[name](LOG[:1000]) + COMPRESS[name](b"") + COMPRESS[name](LOG[1000:])
    assert read_one(tmp_path / "a", parts)[2] == LOG


@pytest.mark.parametrize("name", COMPRESS)
@pytest.mark.parametrize("rubbish", [b"\0" * 1000, b"rubbish", b"\x1f"])
def test_rubbish_after_compressed_data_is_tolerated(tmp_path: Path, name: str, rubbish: bytes) -> None:
    _, _, data, outcome = read_one(tmp_path / "a", COMPRESS[name](LOG) + rubbish)
    assert data == LOG
    assert outcome.status == "ok" or (name in ("zst", "lz4") and len(rubbish) < 4)


@pytest.mark.parametrize("name", COMPRESS)
def test_a_truncated_file_becomes_partial_with_what_it_had(tmp_path: Path, name: str) -> None:
    noisy = random.Random(1).randbytes(3_000_000).replace(b"\xff", b"\n")
    packed = COMPRESS[name](noisy)
    _, _, data, outcome = read_one(tmp_path / "a", packed[: len(packed) * 2 // 3])
    assert noisy.startswith(data)
    assert len(data) > 900_000
    assert (outcome.status, outcome.error) == ("partial", f"The {name} data stop before their end.")
    assert outcome.sha256 == hashlib.sha256(data).hexdigest()


def test_a_truncated_gzip_gives_its_last_byte(tmp_path: Path) -> None:
    for size in (20, 100, 5000, 12_345):
        packed = gzip.compress(LOG)[:size]
        expected = zlib.decompressobj(31).decompress(packed)
        assert read_one(tmp_path / "a", packed)[2] == expected


@pytest.mark.parametrize("size", range(1, 30))
def test_a_gzip_cut_in_its_header_or_trailer_raises_nothing(tmp_path: Path, size: int) -> None:
    file = io.BytesIO()
    with gzip.GzipFile("some-name.log", "wb", fileobj=file) as stream:
        stream.write(b"line\n")
    for part in (file.getvalue()[:size], file.getvalue()[:-size]):
        _, _, data, outcome = read_one(tmp_path / "a", part)
        assert b"line\n".startswith(data) or outcome.status == "ok"


def test_a_wrong_checksum_costs_no_bytes(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(LOG))
    packed[-6] ^= 1
    _, _, data, outcome = read_one(tmp_path / "a", bytes(packed))
    assert (data, outcome.status) == (LOG, "partial")


@pytest.mark.parametrize("name", COMPRESS)
def test_a_flipped_byte_in_the_middle_keeps_what_came_before(tmp_path: Path, name: str) -> None:
    packed = bytearray(COMPRESS[name](random.Random(2).randbytes(1_000_000) + LOG))
    packed[len(packed) // 2] ^= 0xFF
    _, _, _, outcome = read_one(tmp_path / "a", bytes(packed))
    assert outcome.status in ("partial", "failed", "ok")


@settings(max_examples=150, deadline=None)
@given(name=st.sampled_from([*COMPRESS, "tar", "zip"]), seed=st.integers(0, 2**32), cut=st.floats(0, 1))
def test_damage_of_any_kind_never_raises(name: str, seed: int, cut: float) -> None:
    make = COMPRESS | {
        "tar": lambda data: tar({"a": data, "b": data}),
        "zip": lambda data: zipped({"a": data, "b": data}),
    }
    data = bytearray(make[name](LOG[:30_000]))
    chance = random.Random(seed)
    for _ in range(chance.randrange(5)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path = scratch()
    path.write_bytes(data[: int(len(data) * cut)])
    try:
        for _, _, content, outcome in read_all(path):
            assert outcome.size_bytes == len(content)
    finally:
        path.unlink()


def test_without_isal_gzip_reads_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompress, "deflate", zlib)
    assert read_one(tmp_path / "a", gzip.compress(LOG))[2] == LOG
    assert read_one(tmp_path / "b", gzip.compress(LOG)[:3000])[3].status == "partial"


# Limits


@pytest.mark.parametrize("name", COMPRESS)
def test_a_bomb_is_stopped_by_its_ratio(tmp_path: Path, name: str) -> None:
    limits = decompress.Limits(ratio=50, ratio_free_bytes=1 << 20)
    packed = COMPRESS[name](b"\0" * (40 << 20))
    _, _, data, outcome = read_one(tmp_path / "a", packed, limits)
    assert outcome.status == "partial"
    assert outcome.error is not None and "50 times" in outcome.error
    assert len(data) < 30 << 20


def test_a_source_stops_at_its_limit_of_bytes(tmp_path: Path) -> None:
    limits = decompress.Limits(source_bytes=1000)
    _, _, data, outcome = read_one(tmp_path / "a", gzip.compress(LOG), limits)
    assert (data, outcome.status) == (LOG[:1000], "partial")


def test_a_zip_bomb_is_stopped_and_its_other_members_are_not_read(tmp_path: Path) -> None:
    limits = decompress.Limits(ratio=50, ratio_free_bytes=1 << 20)
    members = dict.fromkeys("abc", bytes(20 << 20))
    found = statuses(tmp_path / "a.zip", zipped(members), limits)
    assert list(found) == ["a", "a.zip"]
    assert found["a"][0] == found["a.zip"][0] == "partial"
    assert len(found["a"][1]) < 5 << 20


def test_a_bomb_in_a_tar_in_a_gzip_is_stopped(tmp_path: Path) -> None:
    limits = decompress.Limits(ratio=50, ratio_free_bytes=1 << 20)
    inner = gzip.compress(tar({"zeros": b"\0" * (20 << 20), "after": LOG}))
    found = statuses(tmp_path / "a.tgz", inner, limits)
    assert found["zeros"][0] == found["a.tgz"][0] == "partial"
    assert len(found["zeros"][1]) < 10 << 20


def test_members_are_counted(tmp_path: Path) -> None:
    found = statuses(tmp_path / "a.tar", tar({str(n): b"" for n in range(9)}), decompress.Limits(members=4))
    assert list(found) == ["0", "1", "2", "3", "a.tar"]
    assert found["a.tar"][0] == "partial"


def test_a_tar_header_as_long_as_the_archive_is_not_kept_in_memory(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 8 << 20
    data = info.tobuf() + b"n" * (8 << 20) + tar({"real": LOG})
    assert statuses(tmp_path / "a.tar", data) == {"real": ("ok", LOG)}


# Archives


@pytest.mark.parametrize("name", [None, *COMPRESS])
def test_a_tar_is_read_whatever_compresses_it(tmp_path: Path, name: str | None) -> None:
    data = tar({"logs/a.log": LOG, "empty": b"", "b.log": b"no newline"})
    data = COMPRESS[name](data) if name else data
    path = tmp_path / "logs.bin"
    assert statuses(path, data) == {"logs/a.log": ("ok", LOG), "empty": ("ok", b""), "b.log": ("ok", b"no newline")}
    (source,), _ = sources.find([str(path)])
    assert (source.archive, source.compression) == ("tar", name)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_zip_is_read(tmp_path: Path, method: int) -> None:
    data = zipped({"logs/a.log": LOG, "empty": b"", "b.log": b"no newline"}, method)
    assert statuses(tmp_path / "a", data) == {
        "logs/a.log": ("ok", LOG),
        "empty": ("ok", b""),
        "b.log": ("ok", b"no newline"),
    }


def test_a_member_is_a_source_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.tar").write_bytes(tar({"x/y.log": LOG}))
    ((_, source, _, outcome),) = read_all(tmp_path)
    assert (source.path, source.member, source.size) == ("in/a.tar", "x/y.log", len(LOG))
    assert source.location == str(tmp_path / "in/a.tar")
    assert source.file_id == sources.file_id_of(0, "in/a.tar", "x/y.log")
    assert outcome.sha256 == hashlib.sha256(LOG).hexdigest()


def test_compressed_members_and_nested_archives_are_opened_two_levels_deep(tmp_path: Path) -> None:
    inner = tar({"x.log": LOG, "deep.zip": zipped({"never": LOG})}, "w:gz")
    data = tar({"a.log.xz": lzma.compress(LOG), "inner.tar.gz": inner, "z.zip": zipped({"z.log": LOG})})
    assert statuses(tmp_path / "a.tar", data) == {
        "a.log.xz": ("ok", LOG),
        "inner.tar.gz/x.log": ("ok", LOG),
        "inner.tar.gz/deep.zip": ("skipped", b""),
        "z.zip/z.log": ("ok", LOG),
    }


def test_members_not_used_up_do_not_disturb_the_next(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar({"a": LOG, "b": b"x\n", "in.tar": tar({"c": LOG, "d": b"y\n"}), "e": b"z\n"}))
    (source,), _ = sources.find([str(tmp_path)])
    found = {}
    for one, pieces, _ in sources.read(parcels.Parcel((parcels.Piece(source),))):
        if one.member != "a":
            found[one.member] = next(pieces).data
    assert found == {"b": b"x\n", "in.tar/c": LOG, "in.tar/d": b"y\n", "e": b"z\n"}


def test_links_and_devices_in_archives_are_skipped(tmp_path: Path) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, kind in (("soft", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("tty", tarfile.CHRTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    found = statuses(tmp_path / "a.tar", file.getvalue())
    assert found == {"soft": ("skipped", b""), "hard": ("skipped", b""), "tty": ("skipped", b"")}


def test_hostile_member_names_are_only_labels(tmp_path: Path) -> None:
    names = ["../../etc/cron.d/x", "/etc/passwd", "./a", ".hidden", "x" * 300, "caf\udce9"]
    (tmp_path / "in").mkdir()
    found = statuses(tmp_path / "in/a.tar", tar(dict.fromkeys(names, LOG)))
    assert list(found) == ["../../etc/cron.d/x", "/etc/passwd", "a", ".hidden", "x" * 300, "caf\\xe9"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.tar", "in"]


def test_members_of_the_same_name_stay_apart(tmp_path: Path) -> None:
    data = tar({"a": b"1\n", "./a": b"2\n"})
    assert statuses(tmp_path / "a.tar", data) == {"a": ("ok", b"1\n"), "a#2": ("ok", b"2\n")}
    (_, one, _, _), (_, two, _, _) = read_all(tmp_path)
    assert one.file_id != two.file_id
    assert sources.lines_at(two, 0) == b"2\n"


def test_a_member_named_like_a_second_one_stays_apart_too(tmp_path: Path) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name in ("a", "a#2", "a", "a", "a#2"):
            archive.addfile(tarfile.TarInfo(name))
    assert list(statuses(tmp_path / "a.tar", file.getvalue())) == ["a", "a#2", "a#3", "a#4", "a#2#2"]


def test_a_zip_directory_that_points_nowhere_makes_failed_members(tmp_path: Path) -> None:
    data = bytearray(zipped({"a": LOG, "b": LOG}))
    directory = data.index(b"PK\x01\x02")
    data[directory + 42 : directory + 46] = b"\xff\xff\xff\x7f"
    data[directory + 46] = 0  # and a name of no characters
    found = statuses(tmp_path / "a.zip", bytes(data))
    assert found == {".": ("failed", b""), "b": ("ok", LOG)}


def test_an_archive_without_files_says_so(tmp_path: Path) -> None:
    assert statuses(tmp_path / "a.zip", zipped({})) == {"a.zip": ("skipped", b"")}


@pytest.mark.parametrize("share", [0.3, 0.7, 0.9])
def test_a_truncated_tar_gives_its_beginning(tmp_path: Path, share: float) -> None:
    data = tar({"a": LOG, "b": LOG})
    found = statuses(tmp_path / "a.tar", data[: int(len(data) * share)])
    *whole, cut = [found[name] for name in ("a", "b") if name in found]
    assert whole == ([("ok", LOG)] if share > 0.5 else [])
    assert cut[0] == "partial" and LOG.startswith(cut[1]) and len(cut[1]) > 100_000
    assert found["a.tar"][0] == "partial"


def test_a_tar_cut_between_members_is_partial(tmp_path: Path) -> None:
    data = tar({"a": b"x" * 512, "b": LOG})[:1024]
    assert statuses(tmp_path / "a.tar", data) == {"a": ("ok", b"x" * 512), "a.tar": ("partial", b"")}


def test_a_truncated_tar_gz_gives_its_beginning(tmp_path: Path) -> None:
    data = gzip.compress(tar({"a": LOG, "b": random.Random(3).randbytes(500_000)}))
    found = statuses(tmp_path / "a.tgz", data[:-100_000])
    assert found["a"] == ("ok", LOG)
    assert found["b"][0] == found["a.tgz"][0] == "partial"
    assert len(found["b"][1]) > 300_000


def test_a_damaged_tar_header_costs_only_its_member(tmp_path: Path) -> None:
    data = bytearray(tar({"a": LOG, "b": LOG, "c": LOG}))
    second = 512 + len(LOG) + -len(LOG) % 512
    data[second : second + 100] = b"?" * 100
    found = statuses(tmp_path / "a.tar", bytes(data))
    assert (found["a"], found["c"], found["a.tar"][0]) == (("ok", LOG), ("ok", LOG), "partial")


def test_tars_one_after_another_are_all_read(tmp_path: Path) -> None:
    assert list(statuses(tmp_path / "a.tar", tar({"a": LOG}) + tar({"b": LOG}))) == ["a", "b"]


def numbers(kind: bytes, body: bytes) -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, len(body)
    return info.tobuf() + body + bytes(-len(body) % 512)


@pytest.mark.parametrize(
    "body",
    [
        b"9" * 5000 + b" path=x\n",
        b"6019 size=" + b"9" * 6008 + b"\n",
        "16 size=\u0661\u0662\u0663\n".encode(),
        b"23 GNU.sparse.major=1\n\n",
        b"0 x",
        b"-1 path=x\n",
    ],
)
def test_hostile_numbers_in_tar_headers_do_no_harm(tmp_path: Path, body: bytes) -> None:
    data = numbers(tarfile.XHDTYPE, body) + tar({"a": b"9" * 5000 + b"\n"})
    (tmp_path / "a.tar").write_bytes(data)
    for _, source, _, outcome in read_all(tmp_path):
        assert outcome.status in ("ok", "partial")
        assert 0 <= source.size < 1 << 63


def test_a_member_with_an_absurd_size_and_time_stays_within_64_bits(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a")
    info.size, info.mtime = 1 << 80, 1 << 70
    (tmp_path / "a.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + LOG)
    (_, source, data, outcome), _ = read_all(tmp_path)
    assert (data, outcome.status) == (LOG, "partial")
    assert max(source.size, source.mtime_ns) < 1 << 63


def test_pax_names_and_sizes_are_understood(tmp_path: Path) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("ü" * 200)
        info.size, info.mtime = len(LOG), 1_700_000_000.5
        archive.addfile(info, io.BytesIO(LOG))
        archive.addfile(tarfile.TarInfo("next"))
    assert statuses(tmp_path / "a.tar", file.getvalue()) == {"ü" * 200: ("ok", LOG), "next": ("ok", b"")}


def test_a_truncated_zip_gives_the_members_it_has(tmp_path: Path) -> None:
    data = zipped({"a": LOG, "b": LOG, "c": LOG})
    found = statuses(tmp_path / "a.zip", data[: len(data) // 2])
    assert found["a"] == ("ok", LOG)
    assert found["b"][0] == "partial" and LOG.startswith(found["b"][1]) and found["b"][1]
    assert found["a.zip"][0] == "partial"


def test_a_truncated_zip_that_was_streamed_gives_the_members_it_has(tmp_path: Path) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise io.UnsupportedOperation

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:  # sizes stand behind the members
        archive.writestr("a", LOG)
        archive.writestr("b", LOG)
    found = statuses(tmp_path / "a.zip", pipe.getvalue()[:-30])
    assert (found["a"], found["b"]) == (("ok", LOG), ("ok", LOG))


def test_a_damaged_zip_member_keeps_all_its_bytes(tmp_path: Path) -> None:
    data = bytearray(zipped({"a": LOG, "b": LOG}, zipfile.ZIP_STORED))
    data[100] ^= 1
    found = statuses(tmp_path / "a.zip", bytes(data))
    assert (found["a"][0], len(found["a"][1]), found["b"]) == ("partial", len(LOG), ("ok", LOG))


def test_zip_members_that_cannot_be_read_are_skipped(tmp_path: Path) -> None:
    data = bytearray(zipped({"a": LOG, "b": LOG}))
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1
    second = data.index(b"PK\x01\x02", directory + 4)
    data[second + 10 : second + 12] = struct.pack("<H", 9)
    found = statuses(tmp_path / "a.zip", bytes(data))
    assert {name: status for name, (status, _) in found.items()} == {"a": "skipped", "b": "skipped"}


def test_a_zip_whose_directory_is_too_long_is_read_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "DIRECTORY_BYTES", 100)
    found = statuses(tmp_path / "a.zip", zipped({f"{n}.log": LOG[:9000] for n in range(20)}))
    assert [found[f"{n}.log"] for n in range(20)] == [("ok", LOG[:9000])] * 20


def test_a_sparse_tar_gives_what_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "holes.log"
    with open(path, "wb") as file:
        file.write(LOG[:4096])
        file.seek(8 << 20)
        file.write(LOG[4096:8192])
    for kind in ("gnu", "pax"):
        archive = tmp_path / f"{kind}.tar"
        if os.system(f"tar -C {tmp_path} --format={kind} -Scf {archive} holes.log 2>/dev/null") != 0:
            pytest.skip("tar cannot write sparse members here")
        ((name, _, data, outcome),) = read_all(archive)
        assert (name, data.replace(b"\0", b""), outcome.status) == ("holes.log", LOG[:8192], "ok")


# Finding a line again


def sources_of_the_log(folder: Path) -> Iterator[sources.Source]:
    (folder / "a.log").write_bytes(LOG)
    (folder / "a.log.zst").write_bytes(COMPRESS["zst"](LOG))
    (folder / "a.zip").write_bytes(zipped({"x": b"other\n", "in.tgz": tar({"y": b"no\n", "a.log": LOG}, "w:gz")}))
    for source in sources.find([str(folder)])[0]:
        for one, _, _ in sources.read(parcels.Parcel((parcels.Piece(source),))):
            if (one.member or one.path).split("/")[-1].startswith("a.log"):
                yield one


def test_a_line_is_found_again_with_its_neighbours(tmp_path: Path) -> None:
    lines = LOG.splitlines(keepends=True)
    found = list(sources_of_the_log(tmp_path))
    assert len(found) == 3
    for source in found:
        assert sources.head(source, 50) == LOG[:50]
        for number in (0, 1, 12_345, len(lines) - 1):
            offset = sum(map(len, lines[:number]))
            for at in (offset, offset + 3, offset + len(lines[number]) - 1):
                excerpt = sources.excerpt(source, at, 3, 2)
                assert excerpt.before == lines[max(number - 3, 0) : number]
                assert (excerpt.line, excerpt.after) == (lines[number], lines[number + 1 : number + 3])
        assert sources.lines_at(source, len(lines[0]), 1, 1) == b"".join(lines[:3])
        assert sources.lines_at(source, len(LOG)) == b""


def test_more_lines_before_than_one_window_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG)
    (source,), _ = sources.find([str(tmp_path)])
    assert len(sources.excerpt(source, len(LOG) - 1, 15_000).before) == 15_000


def test_open_stream_refuses_a_member(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar({"x": LOG}))
    ((_, member, _, _),) = read_all(tmp_path)
    with pytest.raises(sources.SourceError):
        sources.open_stream(member)
