"""Streams the members of tar and zip archives; nothing is ever extracted."""

import contextlib
import io
import struct
import tarfile
import tempfile
import zipfile
import zlib
from calendar import timegm
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ncclscope.decompress import CHUNK_BYTES, HEADER_BYTES, Damage, Input, Readable, chunks_of, inflate

BLOCK = 512
TEXT = ("utf-8", "surrogateescape")
PAX = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
LONG = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
SPECIAL = {
    tarfile.LNKTYPE: "a hard link inside an archive",
    tarfile.SYMTYPE: "a symbolic link inside an archive",
    tarfile.CHRTYPE: "a device inside an archive",
    tarfile.BLKTYPE: "a device inside an archive",
    tarfile.FIFOTYPE: "a pipe inside an archive",
}
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
ZIP_HEADER = struct.Struct("<4s5H3L2H")
ZIP_METHODS = {0: None, 12: "bz2", 93: "zst", 95: "xz"}
DEFLATE = 8
SPOOL_BYTES = 16 << 20
SPOOL_LIMIT_BYTES = 16 << 30
DIRECTORY_BYTES = 48 << 20  # half a million members; zipfile takes ten times as much memory


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of an archive: its bytes in `chunks`, or in `skip` why there are none."""

    name: str
    size: int
    mtime_ns: int
    chunks: Iterator[bytes]
    skip: str | None = None


def archive_of(head: bytes) -> str | None:
    """'tar' or 'zip' when the first 512 bytes of a file say so, else None."""
    if head.startswith(ZIP_MAGIC):
        return "zip"
    with contextlib.suppress(tarfile.HeaderError):
        tarfile.TarInfo.frombuf(head[:BLOCK], *TEXT)
        return "tar"
    return None


def members_of(kind: str, raw: Readable) -> Iterator[Member]:
    """Members in the order of the archive, each to be used before the next; directories are left out.

    Raises Damage after the last that can be had.
    """
    return _tar(raw) if kind == "tar" else _zip(raw)


@dataclass(slots=True)
class _Part:
    """The next `left` bytes of an archive, from `position` if it can seek."""

    raw: Any
    left: int
    position: int | None = None

    def read(self, size: int, /) -> bytes:
        if self.position is not None:
            self.raw.seek(self.position)
        data: bytes = self.raw.read(min(size, self.left))
        self.left -= len(data)
        if self.position is not None:
            self.position += len(data)
        return data

    def all(self) -> bytes:
        return b"".join(iter(lambda: self.read(CHUNK_BYTES), b""))

    def skip(self) -> None:
        while self.read(CHUNK_BYTES):
            pass

    def chunks(self) -> Iterator[bytes]:
        while self.left:
            if not (data := self.read(CHUNK_BYTES)):
                raise Damage("the archive stops in the middle of this member")
            yield data


def _tar(raw: Readable) -> Iterator[Member]:
    extra: dict[str, str] = {}
    ended, damaged = False, 0
    while block := _Part(raw, BLOCK).all():
        try:
            info = tarfile.TarInfo.frombuf(block, *TEXT)
        except tarfile.HeaderError:
            # After a damaged block the next whole header is looked for, after the end the next of several archives.
            ended = ended or not block.strip(b"\0")
            damaged += not ended
            continue
        ended = False
        if info.type in PAX or info.type in LONG:
            extra |= _extension(raw, info)
        elif info.type == tarfile.XGLTYPE:
            _Part(raw, _padded(info.size)).skip()
        else:
            yield from () if info.isdir() else _tar_member(raw, block, info, extra)
            extra = {}
    if damaged:
        raise Damage("the archive is damaged, and what could not be read of it was passed over")
    if not ended:
        raise Damage("the archive has no end mark, so members may be missing")


def _padded(size: int) -> int:
    return max(0, size) + -size % BLOCK


def _tar_member(raw: Readable, block: bytes, info: tarfile.TarInfo, extra: dict[str, str]) -> Iterator[Member]:
    skip = SPECIAL.get(info.type)
    size = 0 if skip else max(0, _number(extra.get("size", "").encode()) or info.size)
    if info.type == tarfile.GNUTYPE_SPARSE and block[482]:  # more of the map of holes follows
        while _Part(raw, BLOCK).all()[504:505].strip(b"\0"):
            pass
    part = _Part(raw, size)
    if extra.get("GNU.sparse.major") == "1":
        _skip_map_of_holes(part)
    name = extra.get("GNU.sparse.name") or extra.get("path") or info.name
    yield Member(name, part.left, int(info.mtime) * 10**9, part.chunks(), skip)
    part.skip()
    _Part(raw, -size % BLOCK).skip()


def _skip_map_of_holes(part: _Part) -> None:
    """Passes the count and the pairs of numbers before the data, a line each, padded to whole blocks."""
    text = block = _Part(part, BLOCK).all()
    lines = 1 + 2 * _number(text.partition(b"\n")[0])
    while text.count(b"\n") < lines and len(text) < HEADER_BYTES and block:
        block = _Part(part, BLOCK).all()
        text += block


def _extension(raw: Readable, info: tarfile.TarInfo) -> dict[str, str]:
    part = _Part(raw, _padded(info.size))
    data = part.all()[: info.size] if info.size <= HEADER_BYTES else b""
    part.skip()
    if info.type in PAX:
        return _pax(data)
    return {"path": data.rstrip(b"\0").decode(*TEXT)} if info.type == tarfile.GNUTYPE_LONGNAME and data else {}


def _pax(data: bytes) -> dict[str, str]:
    """Records like b'30 path=some/long/name.log\\n'; the number counts the bytes of the whole record."""
    found: dict[str, str] = {}
    while 0 < (length := _number(data.partition(b" ")[0])) <= len(data):
        key, _, value = data[:length].partition(b" ")[2].rstrip(b"\n").partition(b"=")
        found[key.decode(*TEXT)] = value.decode(*TEXT)
        data = data[length:]
    return found


def _number(digits: bytes) -> int:
    """A decimal number, 0 for anything else and for what no file has."""
    return int(digits) if digits.isdigit() and len(digits) < 20 else 0


def _zip(raw: Readable) -> Iterator[Member]:
    if isinstance(raw, io.IOBase):
        yield from _zip_members(raw)
        return
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES) as spool:
        while spool.tell() < SPOOL_LIMIT_BYTES and (data := raw.read(CHUNK_BYTES)):
            spool.write(data)
        yield from _zip_members(spool)


class _Guard:
    """A file that refuses to be read at once, as zipfile reads the directory whatever its size."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if size > DIRECTORY_BYTES:
            raise zipfile.BadZipFile("its directory is too long")
        data: bytes = self.file.read(size)
        return data


def _zip_members(file: Any) -> Iterator[Member]:
    try:
        infos = zipfile.ZipFile(_Guard(file)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, struct.error):
        yield from _zip_without_directory(file)
        return
    for info in infos:
        header = _zip_header(file, info.header_offset)
        if info.filename.endswith("/"):
            continue
        part = _Part(file, info.compress_size if header else 0, header[1] if header else 0)
        chunks = _unzip(Input(part), info.compress_type, info.CRC)
        yield Member(info.filename, info.file_size, _mtime_ns(info), chunks, _unreadable(info))


def _unreadable(info: zipfile.ZipInfo) -> str | None:
    if info.flag_bits & 1:
        return "an encrypted member of an archive"
    if info.external_attr >> 28 == 0xA:
        return SPECIAL[tarfile.SYMTYPE]
    if info.compress_type != DEFLATE and info.compress_type not in ZIP_METHODS:
        return f"a member compressed by a method that cannot be read ({info.compress_type})"
    return None


def _mtime_ns(info: zipfile.ZipInfo) -> int:
    with contextlib.suppress(ValueError):
        return timegm((*info.date_time, 0, 0, 0)) * 10**9
    return 0


def _unzip(source: Input, method: int, checksum: int | None) -> Iterator[bytes]:
    found = 0
    chunks = inflate(source, "zip") if method == DEFLATE else chunks_of(source.raw, ZIP_METHODS[method])
    for data in chunks:
        found = zlib.crc32(data, found)
        yield data
    if checksum is not None and found != checksum:
        raise Damage("this member of the archive is cut short or damaged (the checksum differs)")


def _zip_header(file: Any, offset: int) -> tuple[zipfile.ZipInfo, int] | None:
    """The header before the bytes of a member, and the position of those; None if none is there."""
    if not 0 <= offset < 1 << 62:
        return None
    file.seek(offset)
    header = file.read(ZIP_HEADER.size)
    if len(header) < ZIP_HEADER.size or not header.startswith(ZIP_MAGIC[0]):
        return None
    _, _, flags, method, time, date, checksum, packed, size, name_bytes, extra_bytes = ZIP_HEADER.unpack(header)
    name = file.read(name_bytes).decode("utf-8" if flags & 0x800 else "cp437", "backslashreplace")
    day = (1980 + (date >> 9), date >> 5 & 15, date & 31)
    info = zipfile.ZipInfo(name or "?", (*day, time >> 11, time >> 5 & 63, (time & 31) * 2))
    info.flag_bits, info.compress_type, info.CRC = flags, method, checksum
    info.compress_size, info.file_size = packed, size
    return info, offset + ZIP_HEADER.size + name_bytes + extra_bytes


def _zip_without_directory(file: Any) -> Iterator[Member]:
    """Members found by the headers before them, for an archive that was cut short."""
    position = 0
    while (position := _find(file, ZIP_MAGIC[0], position)) >= 0:
        header = _zip_header(file, position)
        position += 4
        if not header or header[0].filename.endswith("/"):
            continue
        info, start = header
        sized = not info.flag_bits & 8 and info.compress_size < 0xFFFFFFFF  # else the sizes stand elsewhere
        source = Input(_Part(file, info.compress_size if sized else 1 << 62, start))
        skip = _unreadable(info)
        if not sized and info.compress_type != DEFLATE:
            skip = skip or "a member of a damaged archive whose length is unknown"
        chunks = _unzip(source, info.compress_type, info.CRC if sized else None)
        yield Member(info.filename, info.file_size, _mtime_ns(info), chunks, skip)
        position = start + info.compress_size if sized else position
    raise Damage("the zip archive has lost its directory, so members may be missing")


def _find(file: Any, magic: bytes, position: int) -> int:
    file.seek(position)
    data = b""
    while more := file.read(CHUNK_BYTES):
        data = data[-len(magic) + 1 :] + more
        found: int = data.find(magic)
        if found >= 0:
            return int(file.tell()) - len(data) + found
    return -1
