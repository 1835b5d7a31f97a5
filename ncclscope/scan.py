"""Plans a scan, runs it on any Executor, reuses what is there, and commits a case."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ncclscope import ingest, schema, sources
from ncclscope.case import MANIFEST
from ncclscope.sources import Parcel, Problem, Source

# Below this a spawned worker costs more than it saves.
IN_PROCESS_BYTES = 24 << 20


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a scan is: parcels and bytes done, of how many."""

    done: int
    total: int
    bytes_done: int
    bytes_total: int
    failed: int


Listener = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a scan will read."""

    paths: tuple[str, ...]
    sources: tuple[Source, ...]
    problems: tuple[Problem, ...]
    parcels: tuple[Parcel, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes on disk."""
        return sum(source.size for source in self.sources)


def plan(paths: Sequence[str], parcel_bytes: int = sources.PARCEL_BYTES) -> Plan:
    """Finds the sources and cuts them. Raises SourceError when a path does not exist."""
    found, problems = sources.find(paths)
    return Plan(tuple(paths), tuple(found), tuple(problems), tuple(sources.cut(found, parcel_bytes)))


def cache_home() -> Path:
    """Where cases live when nobody says where; a temporary directory without HOME."""
    base = os.environ.get("XDG_CACHE_HOME") or (os.path.join(os.environ["HOME"], ".cache") if os.environ.get("HOME") else "")
    return Path(base or tempfile.gettempdir()) / "ncclscope"


def default_case(paths: Sequence[str], options: str = "") -> Path:
    """The case directory for these inputs."""
    named = [os.path.abspath(path) if path != "-" else path for path in paths]
    digest = hashlib.sha256("\0".join([*named, options, str(schema.SCHEMA_VERSION)]).encode("utf-8", "surrogateescape"))
    return cache_home() / digest.hexdigest()[:16]


def default_workers() -> int:
    """CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_parcels(
    todo: Plan,
    case: Path,
    extra: tuple[str, ...] = (),
    workers: int | None = None,
    listener: Listener | None = None,
    executor: Executor | None = None,
) -> list[ingest.Summary]:
    """Every parcel's summary, in plan order; parcels read before are not read again."""
    (case / "parcels").mkdir(parents=True, exist_ok=True)
    index = _Index(case, extra)
    known = {i: found for i, parcel in enumerate(todo.parcels) if (found := index.get(parcel)) is not None}
    missing = [i for i in range(len(todo.parcels)) if i not in known]
    sizes = [_size(parcel) for parcel in todo.parcels]
    report = _Reporter(listener, sizes, known)
    workers = workers or default_workers()
    small = sum(sizes[i] for i in missing) <= IN_PROCESS_BYTES
    out = str(case / "parcels")
    if executor is None and (workers == 1 or len(missing) <= 1 or small):
        finished: Iterator[tuple[int, ingest.Summary]] = ((i, ingest.ingest(todo.parcels[i], out, extra)) for i in missing)
    else:
        finished = _run(todo, missing, out, extra, executor, workers)
    for i, summary in finished:
        known[i] = summary
        index.put(todo.parcels[i], summary)
        report.one(i)
    index.save()
    return [known[i] for i in range(len(todo.parcels))]


def _run(
    todo: Plan, missing: Sequence[int], out: str, extra: tuple[str, ...], executor: Executor | None, workers: int
) -> Iterator[tuple[int, ingest.Summary]]:
    """Results as they complete, a bounded number in flight; a killed worker's parcels are read again, here and alone."""
    own = executor is None
    pool = executor or ProcessPoolExecutor(workers, get_context("spawn"))
    lost: list[int] = []
    try:
        waiting = iter(missing)
        flying: dict[Future[ingest.Summary], int] = {}
        with _one_thread():
            for i in _first(waiting, 2 * workers):
                flying[pool.submit(ingest.ingest, todo.parcels[i], out, extra)] = i
        while flying:
            done, _ = wait(flying, return_when=FIRST_COMPLETED)
            for future in done:
                i = flying.pop(future)
                try:
                    yield i, future.result()
                except (BrokenProcessPool, OSError, MemoryError):
                    lost.append(i)
                    continue
                for j in _first(waiting, 1):
                    flying[pool.submit(ingest.ingest, todo.parcels[j], out, extra)] = j
    except BrokenProcessPool:
        pass
    finally:
        if own:
            pool.shutdown(cancel_futures=True)
    lost += [i for i in waiting if i not in lost] + list(flying.values())
    for i in dict.fromkeys(lost):
        yield from _alone(i, todo.parcels[i], out, extra)


def _alone(i: int, parcel: Parcel, out: str, extra: tuple[str, ...]) -> Iterator[tuple[int, ingest.Summary]]:
    """One parcel in a process of its own; if that dies too, its pieces are marked failed."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            with _one_thread():
                future = pool.submit(ingest.ingest, parcel, out, extra)
            yield i, future.result()
            return
        except (BrokenProcessPool, OSError, MemoryError) as error:
            reason = f"Reading it ended the worker process twice ({type(error).__name__})."
    pieces = [
        ingest.PieceSummary(
            *(piece.source.file_id, piece.source.argument, piece.source.path, piece.source.member),
            *(piece.source.location, piece.source.size, piece.source.mtime_ns, piece.start),
            status="failed",
            error=reason,
        )
        for piece in parcel.pieces
    ]
    yield i, ingest.Summary("", pieces, {})


@contextmanager
def _one_thread() -> Iterator[None]:
    """Workers started here share the cores as processes: polars must find this in their environment, since to set it there
    needs this module, which imports polars."""
    name = "POLARS_MAX_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        os.environ.pop(name) if before is None else os.environ.update({name: before})


def _first(waiting: Iterator[int], count: int) -> Iterator[int]:
    for _ in range(count):
        i = next(waiting, None)
        if i is None:
            return
        yield i


def _size(parcel: Parcel) -> int:
    return sum((piece.end or piece.source.size) - piece.start for piece in parcel.pieces)


class _Reporter:
    """Tells a listener about progress."""

    def __init__(self, listener: Listener | None, sizes: Sequence[int], known: Iterable[int]) -> None:
        self.listener, self.sizes = listener, sizes
        self.done = set(known)
        self.tell()

    def one(self, i: int) -> None:
        self.done.add(i)
        self.tell()

    def tell(self) -> None:
        if self.listener:
            done = sum(self.sizes[i] for i in self.done)
            self.listener(Progress(len(self.done), len(self.sizes), done, sum(self.sizes), 0))


class _Index:
    """Which parcel directory holds what was read from pieces of a given size and time."""

    def __init__(self, case: Path, extra: tuple[str, ...]) -> None:
        self.path = case / "parcels" / "index.json"
        self.root = case / "parcels"
        _, _, self.declarations = ingest.engine_for(extra)
        try:
            self.keys: dict[str, str] = json.loads(self.path.read_text())
        except (OSError, ValueError):
            self.keys = {}

    def _identity(self, parcel: Parcel) -> str:
        said = [self.declarations]
        for piece in parcel.pieces:
            source = piece.source
            said.append(f"{source.file_id} {source.location} {source.size} {source.mtime_ns} {piece.start} {piece.end}")
        return hashlib.sha256("\n".join(said).encode("utf-8", "surrogateescape")).hexdigest()

    def get(self, parcel: Parcel) -> ingest.Summary | None:
        key = self.keys.get(self._identity(parcel))
        return read_summary(self.root / key) if key else None

    def put(self, parcel: Parcel, summary: ingest.Summary) -> None:
        if summary.key:
            self.keys[self._identity(parcel)] = summary.key

    def save(self) -> None:
        half = self.path.with_suffix(f".{os.getpid()}")
        half.write_text(json.dumps(self.keys))
        half.replace(self.path)


def read_summary(directory: Path) -> ingest.Summary | None:
    """The summary of a finished parcel, or None."""
    try:
        content = json.loads((directory / "summary.json").read_text())
        return ingest.Summary(content["key"], [ingest.PieceSummary(**piece) for piece in content["pieces"]], content["rows"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_manifest(case: Path, todo: Plan, summaries: Sequence[ingest.Summary], extra: Sequence[str], zone_us: int) -> None:
    """What the case consists of; the derived tables follow from it."""
    pieces = [asdict(piece) for summary in summaries for piece in summary.pieces]
    for problem in todo.problems:
        pieces.append(_problem(problem))
    content: dict[str, Any] = {
        "schema": schema.SCHEMA_VERSION,
        "paths": list(todo.paths),
        "packs": list(extra),
        "zone_us": zone_us,
        "parcels": {summary.key: summary.rows for summary in summaries if summary.key},
        "pieces": pieces,
    }
    half = case / f"{MANIFEST}.{os.getpid()}"
    half.write_text(json.dumps(content, indent=1))
    half.replace(case / MANIFEST)


def _problem(problem: Problem) -> dict[str, Any]:
    source = problem.source
    piece = ingest.PieceSummary(
        *(source.file_id, source.argument, source.path, source.member),
        *(source.location, source.size, source.mtime_ns, 0),
        status=problem.status,
        error=problem.error,
    )
    return asdict(piece)
