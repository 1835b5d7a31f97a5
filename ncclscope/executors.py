"""Runs functions on any `concurrent.futures.Executor`: processes of this machine, threads, or a dask cluster."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from ncclscope import overtime

# Tasks handed over for each worker: one that runs and one that waits, so that no worker does.
AHEAD = 2

Start = Callable[[], Executor]


class Lost(Exception):
    """The process that worked on a task died twice, the second time with nothing else to do."""


@dataclass(frozen=True, slots=True)
class Task:
    """A module-level function with plain arguments; `tag` is the caller's.

    `limit` gives its time limit in seconds when it starts. One that is to be run `alone` gets a process of its own.
    """

    tag: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    limit: Callable[[], float | None] = field(default=lambda: None)
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """How a task ended: its value, or its error, and the seconds it took."""

    task: Task
    value: Any = None
    error: Exception | None = None
    seconds: float = 0.0


class Crew:
    """Works off a queue that may grow meanwhile, a bounded number of tasks at once; without `start` in this thread.

    A worker that dies takes what was in flight along: those tasks are run again, each alone in a process of its own,
    and the rest goes to a new executor.
    """

    def __init__(self, workers: int = 1, start: Start | None = None, alone: Start | None = None) -> None:
        self.workers, self.start = workers, start
        self.alone = alone or (lambda: ProcessPoolExecutor(1, get_context("spawn")))
        self.queue: deque[Task] = deque()
        self.suspects: deque[Task] = deque()
        self.flying: dict[Future[Any], Task] = {}
        self.pool: Executor | None = None

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()

    def add(self, task: Task, first: bool = False) -> None:
        """Puts a task at the end of the queue, or at its beginning."""
        queue = self.suspects if task.alone else self.queue
        queue.appendleft(task) if first else queue.append(task)

    def results(self) -> Iterator[Done]:
        """Tasks as they end, until none is left; more may be added while this goes on."""
        while self.queue or self.flying or self.suspects:
            if self.suspects:
                yield self._again(self.suspects.popleft())
            elif self.start is None:
                yield _here(self.queue.popleft())
            else:
                self._fill()
                done, _ = wait(self.flying, return_when=FIRST_COMPLETED)
                yield from self._collect(done)

    def _fill(self) -> None:
        try:
            if self.pool is None and self.start is not None:
                self.pool = self.start()
            while self.queue and self.pool is not None and len(self.flying) < AHEAD * self.workers:
                self.flying[_submit(self.pool, self.queue[0])] = self.queue[0]
                self.queue.popleft()
        except BrokenExecutor:
            self._break()

    def _collect(self, done: set[Future[Any]]) -> Iterator[Done]:
        broken = False
        for future in done:
            task = self.flying.pop(future)
            outcome = _outcome(task, future)
            if outcome is None:
                broken = broken or _is_broken(future)
                self.suspects.append(task)
            else:
                yield outcome
        if broken:
            self._break()

    def _break(self) -> None:
        """Takes leave of an executor whose process died; whatever it finished before is kept."""
        for future, task in self.flying.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self.queue.appendleft(task)  # rare, and what it wrote is found again at once
            else:
                self.suspects.append(task)
        self.flying.clear()
        self._drop()

    def _drop(self) -> None:
        if self.pool is not None:
            for future in self.flying:
                future.cancel()
            if isinstance(self.pool, ProcessPoolExecutor):
                self.pool.shutdown(cancel_futures=True)
            else:
                self.pool.shutdown(wait=False)
            self.pool = None

    def _again(self, task: Task) -> Done:
        with self.alone() as pool:
            outcome = _outcome(task, _submit(pool, task))
        return outcome or Done(task, error=Lost("reading it ended the worker process twice"))


def processes(workers: int, prepare: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()) -> Start:
    """Local processes. They are spawned: polars' threads do not survive a fork."""
    return lambda: ProcessPoolExecutor(workers, get_context("spawn"), prepare, arguments)


def dask(address: str) -> tuple[Start, int]:
    """An executor on a dask cluster, and how many tasks it runs at once; `address` is tcp://host:port or a scheduler file.

    Its workers need this program and the same paths. Raises ValueError where it cannot be reached.
    """
    try:
        import distributed  # noqa: PLC0415
    except ImportError:
        raise ValueError("--dask needs the package distributed: pip install 'ncclscope[dask]'") from None
    where = {"scheduler_file": address} if os.path.exists(address) else {"address": address}
    connect: Any = distributed.Client
    try:
        client = connect(**where, timeout=20, set_as_default=False)
        slots = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
    except (OSError, ValueError, TimeoutError) as error:
        raise ValueError(f"no dask scheduler answers at {address} ({error})") from None
    return lambda: client.get_executor(pure=False, retries=0), max(slots, 1)


def _here(task: Task) -> Done:
    try:
        value, seconds = overtime.limited(task.limit(), task.function, task.arguments)
    except Exception as error:
        return Done(task, error=error)
    return Done(task, value, None, seconds)


def _submit(pool: Executor, task: Task) -> Future[Any]:
    with _environment():
        return pool.submit(overtime.limited, task.limit(), task.function, task.arguments)


def _outcome(task: Task, future: Future[Any]) -> Done | None:
    """None when its worker died, or was too short of memory to go on."""
    try:
        value, seconds = future.result()
    except (BrokenExecutor, CancelledError, MemoryError):
        return None
    except Exception as error:
        # Dask's own word for a task whose workers died; to name its class would mean to import it.
        return None if type(error).__name__ in ("KilledWorker", "FutureCancelledError") else Done(task, error=error)
    return Done(task, value, None, seconds)


def _is_broken(future: Future[Any]) -> bool:
    return not future.cancelled() and isinstance(future.exception(), BrokenExecutor)


# What workers find in their environment, which only counts before a process starts: they share the cores as processes, so
# polars has one thread in each, and memory that was read into is used again instead of being fetched anew for each block.
_ENVIRONMENT = {
    "POLARS_MAX_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(64 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}


@contextmanager
def _environment() -> Iterator[None]:
    """For workers started here."""
    before = {name: os.environ.get(name) for name in _ENVIRONMENT}
    os.environ.update(_ENVIRONMENT)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
