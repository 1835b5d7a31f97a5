"""Finds sources: walks the arguments and tells archives and compressed files from plain ones."""

import errno
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from ncclscope.archives import BLOCK, archive_of
from ncclscope.decompress import Flow, chunks_of, compression_of

# Of the disk to which a pipe is copied a twentieth stays free for everybody else, unless there is less in the pipe than this.
SPARED = 20
MODEST_BYTES = 64 << 20
COPIED_BYTES = 16 << 20  # at once
PIPES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")  # what `<(command)` becomes


class SourceError(Exception):
    """An argument does not exist, or a source cannot be opened any more."""


@dataclass(frozen=True, slots=True)
class Source:
    """Named bytes: a file, a member of an archive, or an archive before it is read.

    `path` is relative to the argument and valid text; `location` is the file on disk, or that of the outermost
    archive. `size` is in bytes as they are stored, for a member as the archive states them.
    """

    file_id: int
    argument: int
    path: str
    member: str | None
    location: str
    size: int
    mtime_ns: int
    compression: str | None
    archive: str | None


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that is not read: `status` is 'skipped' or 'failed', `error` one sentence."""

    source: Source
    status: str
    error: str


def file_id_of(argument: int, path: str, member: str | None) -> int:
    """64 bits that are the same whenever the same command scans again."""
    text = f"{argument}\0{path}\0{member or ''}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def text_of(name: str) -> str:
    """A file name as valid text: bytes that are not UTF-8 become \\xNN."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def reason(error: OSError) -> str:
    """Why a file cannot be read, as a sentence."""
    return f"Cannot be read: {error.strerror or error}."


def find(paths: Sequence[str]) -> tuple[list[Source], list[Problem]]:
    """Every source under the arguments, in a fixed order, and what is not read. '-' is standard input.

    Reads the first bytes of each file. Raises SourceError when an argument does not exist.
    """
    found = [one for argument, path in enumerate(paths) for one in _look(argument, path)]
    return [one for one in found if isinstance(one, Source)], [one for one in found if isinstance(one, Problem)]


def open_file(location: str) -> BinaryIO:
    """Opens a regular file, unbuffered. What has become a pipe since it was found would hang, and is an OSError."""
    handle = os.open(location, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("it is not a regular file any more")
    return open(handle, "rb", buffering=0)


def sniff(source: Source) -> Source:
    """The source with its compression and kind of archive, by its first bytes. Raises OSError."""
    with open_file(source.location) as file:
        start = file.read(BLOCK)
        compression = compression_of(start)
        if compression:
            file.seek(0)
            start = Flow(chunks_of(file, compression)).peek(BLOCK)
    return replace(source, compression=compression, archive=archive_of(start))


def _source(argument: int, path: str, location: str, info: os.stat_result | None = None) -> Source:
    path = text_of(path)
    size, mtime_ns = (info.st_size, info.st_mtime_ns) if info else (0, 0)
    return Source(file_id_of(argument, path, None), argument, path, None, location, size, mtime_ns, None, None)


def _look(argument: int, path: str) -> Iterator[Source | Problem]:
    if path == "-":
        yield _spooled(argument, "-", sys.stdin.buffer)
        return
    try:
        info = os.stat(path)
    except OSError as error:
        raise SourceError(f"{text_of(path)}: {error.strerror}") from None
    location = os.path.abspath(path)
    if stat.S_ISDIR(info.st_mode):
        yield from _walk(argument, location)
    elif stat.S_ISFIFO(info.st_mode) and location.startswith(PIPES):
        with open(path, "rb") as pipe:
            yield _spooled(argument, os.path.basename(location), pipe)
    else:
        yield _judge(argument, os.path.basename(location), location, info)


def _spooled(argument: int, path: str, stream: BinaryIO) -> Source:
    """Copies a pipe to a temporary file, which other processes can read, and which stays for its evidence."""
    with tempfile.NamedTemporaryFile(prefix="ncclscope-stdin-", delete=False) as file:
        try:
            while data := stream.read(COPIED_BYTES):
                disk = shutil.disk_usage(file.name)
                if file.tell() >= MODEST_BYTES and disk.free - len(data) < disk.total // SPARED:
                    raise OSError(errno.ENOSPC, "the disk is nearly full; give the file itself, or set TMPDIR")
                file.write(data)
            file.flush()
        except OSError as error:
            os.unlink(file.name)
            raise SourceError(f"{path}: cannot be copied to {file.name}: {error.strerror}") from None
    return sniff(_source(argument, path, file.name, os.stat(file.name)))


def _walk(argument: int, root: str) -> Iterator[Source | Problem]:
    pending = [""]
    while pending:
        folder = pending.pop()
        location = os.path.join(root, folder)
        try:
            with os.scandir(location) as entries:
                names = sorted((os.fsencode(entry.name), entry.name) for entry in entries)
        except OSError as error:
            yield Problem(_source(argument, folder or ".", location), "failed", reason(error))
            continue
        folders = []
        for _, name in names:
            path = f"{folder}/{name}" if folder else name
            found = _entry(argument, path, root)
            if found:
                yield found
            else:
                folders.append(path)
        pending += reversed(folders)


def _entry(argument: int, path: str, root: str) -> Source | Problem | None:
    """What a name in a directory is; None for a directory."""
    location = os.path.join(root, path)
    try:
        info = os.lstat(location)
    except OSError as error:
        return Problem(_source(argument, path, location), "failed", reason(error))
    if stat.S_ISLNK(info.st_mode):
        return Problem(_source(argument, path, location, info), "skipped", _about_link(location, root))
    return None if stat.S_ISDIR(info.st_mode) else _judge(argument, path, location, info)


def _about_link(location: str, root: str) -> str:
    root, target = os.path.realpath(root), os.path.realpath(location)
    if not os.path.exists(location):
        return "A link to nothing."
    if target == root or target.startswith(os.path.join(root, "")):
        return "A link to what is read under its own name."
    return "A link that leads out of the directory: name its target to have it read."


def _judge(argument: int, path: str, location: str, info: os.stat_result) -> Source | Problem:
    source = _source(argument, path, location, info)
    if not stat.S_ISREG(info.st_mode):
        return Problem(source, "skipped", "Not a regular file but a device, pipe or socket.")
    try:
        return sniff(source)
    except OSError as error:
        return Problem(source, "failed", reason(error))
