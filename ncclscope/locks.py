"""One writer for a directory at a time: the kernel ends the lock with the process that holds it, however it ends."""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

NAME = ".lock"


@contextlib.contextmanager
def hold(directory: Path, waiting: Callable[[], None] | None = None, shared: bool = False, name: str = NAME) -> Iterator[None]:
    """Holds the directory, made if need be; calls `waiting` once before it waits for another scan of it.

    Several may hold it as `shared`, none of them beside one that does not. Where a file system has no locks, goes on
    without: everything is renamed into place whole, so the later one wins.
    """
    directory.mkdir(parents=True, exist_ok=True)
    handle = os.open(directory / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        with contextlib.suppress(OSError):
            _take(handle, waiting, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def is_held(directory: Path, name: str = NAME) -> bool:
    """Does another process hold it?"""
    try:
        handle = os.open(directory / name, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def _take(handle: int, waiting: Callable[[], None] | None, how: int) -> None:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        if waiting:
            waiting()
        fcntl.flock(handle, how)
