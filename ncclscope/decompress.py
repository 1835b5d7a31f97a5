"""Decompresses streams and gets all that can be had from damaged ones."""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

deflate: ModuleType
try:
    from isal import isal_zlib as deflate  # three times as fast as zlib
except ImportError:
    deflate = zlib

CHUNK_BYTES = 256 << 10
INFLATE_BYTES = 32 << 10  # what one failing call can lose
XZ_MEMORY_BYTES = 512 << 20  # `xz -9` needs 65 MiB
HEADER_BYTES = 1 << 20  # a longer header or file name is damage or malice

MAGIC = {
    "gz": (b"\x1f\x8b\x08",),
    "bz2": tuple(b"BZh%d%s" % (level, mark) for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
    "xz": (b"\xfd7zXZ\x00",),
    "zst": (b"\x28\xb5\x2f\xfd", *(bytes([low]) + b"\x2a\x4d\x18" for low in range(0x50, 0x60))),
    "lz4": (b"\x04\x22\x4d\x18",),
}
MAGIC_BYTES = 10


class Readable(Protocol):
    """Anything with `read`."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; b"" at the end."""
        ...


class Damage(Exception):
    """Why a stream ends here, as a sentence without its full stop. `partial` is false when nothing can be missing."""

    def __init__(self, text: str, partial: bool = True) -> None:
        super().__init__(text)
        self.partial = partial


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one source may decompress; the ratio also holds for all members of an archive together."""

    source_bytes: int = 64 << 30
    ratio: int = 1000
    ratio_free_bytes: int = 64 << 20
    members: int = 1_000_000


@dataclass(slots=True)
class Meter:
    """Counts bytes read from disk and the bytes they became, through all layers of one file."""

    raw: Readable
    limits: Limits
    taken: int = 0
    given: int = 0

    def read(self, size: int, /) -> bytes:
        """Bytes from disk."""
        data = self.raw.read(size)
        self.taken += len(data)
        return data

    def give(self, count: int) -> None:
        """Notes `count` decompressed bytes; raises Damage beyond the ratio."""
        self.given += count
        self.check()

    def check(self) -> None:
        """Raises Damage beyond the ratio."""
        if self.given > self.limits.ratio_free_bytes + self.limits.ratio * self.taken:
            raise Damage(f"the data decompress to more than {self.limits.ratio:,} times their size, so reading stopped")


class Flow:
    """A stream of chunks as a file that never raises: when it ends early, `damage` says why."""

    def __init__(self, chunks: Iterator[bytes], limit_bytes: int | None = None, meter: Meter | None = None) -> None:
        self.chunks = chunks
        self.left = limit_bytes
        self.meter = meter
        self.damage: Damage | None = None
        self.chunk = b""

    def read(self, size: int, /) -> bytes:
        """Between 1 and `size` bytes; b'' at the end."""
        while not self.chunk and self._advance():
            pass
        data, self.chunk = self.chunk[:size], self.chunk[size:]
        return data

    def peek(self, size: int) -> bytes:
        """The next `size` bytes without passing them, fewer only at the end."""
        parts, found = [], 0
        while found < size and (part := self.read(CHUNK_BYTES)):
            parts.append(part)
            found += len(part)
        self.chunk = b"".join(parts) + self.chunk
        return self.chunk[:size]

    def _advance(self) -> bool:
        try:
            chunk = next(self.chunks, None)
            if chunk is None:
                return False
            if self.meter:
                self.meter.give(len(chunk))
            self.chunk = chunk if self.left is None else chunk[: self.left]
            if self.left is not None:
                self.left -= len(self.chunk)
                if len(self.chunk) < len(chunk):
                    raise Damage("the limit of decompressed bytes for one source is reached")
        except Damage as damage:
            self._stop(damage)
        except OSError as error:
            self._stop(Damage(f"reading failed: {error.strerror or error}"))
        return self.damage is None or bool(self.chunk)

    def _stop(self, damage: Damage) -> None:
        self.damage = damage
        self.chunks = iter(())


class Raw(io.RawIOBase):
    """Anything readable as a raw file, for io.BufferedReader and pyarrow; closes `file` with itself."""

    def __init__(self, flow: Readable, file: io.IOBase | None = None) -> None:
        self.flow = flow
        self.file = file

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer as far as one read goes."""
        data = self.flow.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes the file beneath."""
        if self.file:
            self.file.close()
        super().close()


@dataclass(slots=True)
class Input:
    """What has been read of a compressed stream and not yet been used."""

    raw: Readable
    data: bytes = b""

    def more(self) -> bool:
        """Reads a chunk more; false at the end."""
        chunk = self.raw.read(CHUNK_BYTES)
        self.data = self.data + chunk if self.data else chunk
        return bool(chunk)

    def has(self, count: int) -> bool:
        """Whether `count` bytes are there, which are then in `data`."""
        while len(self.data) < count:
            if not self.more():
                return False
        return True

    def another(self, compression: str) -> bool:
        """Whether another stream follows; blocks of zeros, as tapes pad with, are passed over."""
        while not (rest := self.data.lstrip(b"\0")) and self.more():
            pass
        self.data = rest
        self.has(MAGIC_BYTES)
        if self.data and not self.data.startswith(MAGIC[compression]):
            raise Damage(f"the bytes after the end of the {compression} data were ignored", partial=False)
        return bool(self.data)


def compression_of(head: bytes) -> str | None:
    """The compression whose magic bytes `head` starts with, or None."""
    return next((name for name, magic in MAGIC.items() if head.startswith(magic)), None)


def chunks_of(raw: Readable, compression: str | None) -> Iterator[bytes]:
    """The decompressed chunks of a stream, or of several one after another; raises Damage after the last."""
    match compression:
        case "gz":
            return _gzip(Input(raw))
        case "bz2":
            return _bz2_or_xz(Input(raw), compression, bz2.BZ2Decompressor)
        case "xz":
            return _bz2_or_xz(Input(raw), compression, lambda: lzma.LZMADecompressor(memlimit=XZ_MEMORY_BYTES))
        case "zst" | "lz4":
            return _zstd_or_lz4(raw, compression)
        case _:
            return iter(lambda: raw.read(CHUNK_BYTES), b"")


def inflate(source: Input, name: str) -> Iterator[bytes]:
    """Chunks of one raw deflate stream; what follows it stays in the input."""
    stream = deflate.decompressobj(wbits=-15)
    while not stream.eof:
        ended = not source.data and not source.more()
        try:
            data: bytes = stream.decompress(source.data, INFLATE_BYTES)
        except (zlib.error, deflate.error) as error:
            raise Damage(f"the {name} data are damaged ({error})") from None
        source.data = stream.unused_data if stream.eof else stream.unconsumed_tail
        if data:
            yield data
        elif ended and not stream.eof:
            raise Damage(f"the {name} data stop before their end")


def _gzip(source: Input) -> Iterator[bytes]:
    # Header and checksum are read here, since a decompressor that finds the checksum wrong keeps its last bytes back.
    while source.another("gz"):
        if not _skip_gzip_header(source):
            raise Damage("the gz data stop before their end")
        checksum = 0
        for data in inflate(source, "gz"):
            checksum = deflate.crc32(data, checksum)
            yield data
        if not source.has(8):
            raise Damage("the gz data stop before their end", partial=False)
        if checksum != int.from_bytes(source.data[:4], "little"):
            raise Damage("the gz data are damaged (the checksum differs)")
        source.data = source.data[8:]


def _skip_gzip_header(source: Input) -> bool:
    """Passes the header of RFC 1952: ten bytes, then extra field, name, comment and checksum as the flags say."""
    if not source.has(10):
        return False
    flags, at = source.data[3], 10
    if flags & 4:
        if not source.has(at + 2):
            return False
        at += 2 + int.from_bytes(source.data[at : at + 2], "little")
    for flag in (8, 16):
        while flags & flag and (end := source.data.find(b"\0", at)) < 0:
            if len(source.data) > HEADER_BYTES or not source.more():
                return False
        at = end + 1 if flags & flag else at
    at += flags & 2
    if not source.has(at):
        return False
    source.data = source.data[at:]
    return True


def _bz2_or_xz(source: Input, name: str, new: Callable[[], Any]) -> Iterator[bytes]:
    while source.another(name):
        stream = new()
        while not stream.eof:
            if stream.needs_input and not source.data and not source.more():
                raise Damage(f"the {name} data stop before their end")
            try:
                data = stream.decompress(source.data, INFLATE_BYTES)
            except (OSError, ValueError, lzma.LZMAError) as error:
                raise Damage(f"the {name} data are damaged ({error})") from None
            source.data = b""
            if data:
                yield data
        source.data = stream.unused_data


def _zstd_or_lz4(raw: Readable, name: str) -> Iterator[bytes]:
    import pyarrow as pa  # noqa: PLC0415  # slow to import, and few logs need it

    stream = pa.CompressedInputStream(pa.PythonFile(Raw(raw), mode="r"), {"zst": "zstd"}.get(name, name))
    blank = b"\xff" * CHUNK_BYTES  # a byte that UTF-8 never uses
    buffer = bytearray(blank)
    try:
        while count := stream.readinto(buffer):
            yield bytes(memoryview(buffer)[:count])
            buffer[:count] = blank[:count]
    except (OSError, pa.ArrowException) as error:
        # The buffer holds what was decompressed before the error, but nothing says how much of it.
        if data := bytes(buffer).rstrip(b"\xff"):
            yield data
        text = str(error)
        if "Unknown frame" in text or "frameType_unknown" in text:
            raise Damage(f"the bytes after the end of the {name} data were ignored", partial=False) from None
        reason = "stop before their end" if "Truncated" in text else f"are damaged ({text})"
        raise Damage(f"the {name} data {reason}") from None
