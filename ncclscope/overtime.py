"""A time limit for work: an exception in the thread that works, and where that does not help, the end of its process."""

import ctypes
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from typing import Any

# A call into a library that does not return within this after the limit takes its worker process along.
GRACE_S = 20.0
EXIT_STATUS = 75


class _Overtime(BaseException):
    """Passes through handlers of errors, which would take it for a fault of one source or rule."""


def limited(seconds: float | None, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, float]:
    """The function's result and the seconds it took. Raises TimeoutError after `seconds`; None is no limit."""
    began = time.monotonic()
    if seconds is None:
        return function(*arguments), time.monotonic() - began
    watch = _Watch(max(seconds, 0.0))
    try:
        watch.start()
        result = function(*arguments)
        watch.stop()
    except _Overtime:
        raise TimeoutError("the time limit is reached") from None
    finally:
        watch.stop()
    return result, time.monotonic() - began


class _Watch:
    """Ends the work of the thread that made it, once, unless it is stopped before."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.thread = threading.get_ident()
        self.done = threading.Event()
        self.lock = threading.Lock()
        self.timer = threading.Thread(target=self._wait, daemon=True)

    def start(self) -> None:
        self.timer.start()

    def stop(self) -> None:
        with self.lock:
            self.done.set()

    def _wait(self) -> None:
        if self.done.wait(self.seconds):
            return
        with self.lock:
            if self.done.is_set():
                return
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(_Overtime))
        if not self.done.wait(GRACE_S) and multiprocessing.parent_process() is not None:
            os._exit(EXIT_STATUS)
