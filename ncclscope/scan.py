"""Plans a scan, runs it on any Executor, reuses what is there, and commits a case."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ncclscope import bounds, executors, schema, sources
from ncclscope.blocks import sentence
from ncclscope.executors import Crew, Done, Lost, Task
from ncclscope.reuse import Index, mark_of
from ncclscope.schema import MANIFEST
from ncclscope.sources import Parcel, Problem, Source
from ncclscope.summaries import PieceSummary, Summary

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
    return planned(paths, *sources.find(paths), parcel_bytes)


def planned(paths: Sequence[str], found: Sequence[Source], problems: Sequence[Problem], parcel_bytes: int = sources.PARCEL_BYTES) -> Plan:
    """A plan for sources that are known already."""
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
) -> list[Summary]:
    """Every parcel's summary, in plan order; parcels read before are not read again."""
    reading = Reading(todo, case, extra)
    with crew_for(reading, workers, (lambda: executor) if executor else None) as crew:
        return reading.run(crew, listener)


def read_parcel(parcel: Parcel, out: str, extra: tuple[str, ...]) -> Summary:
    """The task of a worker. What reads is loaded there: who hands out work starts sooner without."""
    from ncclscope import ingest  # noqa: PLC0415

    return ingest.ingest(parcel, out, extra)


def crew_for(reading: "Reading", workers: int | None = None, start: executors.Start | None = None, memory: int | None = None) -> Crew:
    """Those who read one case: processes of this machine, or this one alone where starting others would cost more."""
    workers = bounds.workers_within(memory, workers or default_workers())
    if start is not None:
        return Crew(workers, start)
    if reading.bytes_left <= IN_PROCESS_BYTES or len(reading.missing) <= 1 or workers == 1:
        bounds.settle(bounds.share_of(memory, 1))
        return Crew()
    return Crew(workers, executors.processes(workers, bounds.settle, (bounds.share_of(memory, workers),)))


class Reading:
    """The parcels of one case while they are read, on a crew that may also work for other cases."""

    def __init__(
        self, todo: Plan, case: Path, extra: tuple[str, ...] = (), seconds: float | None = None, writer: str = "", tag: Any = None
    ) -> None:
        self.todo, self.extra, self.tag = todo, extra, tag
        self.index = Index(case, extra, writer)
        self.out = str(case / "parcels")
        places = {mark_of(piece): n for n, piece in enumerate(piece for parcel in todo.parcels for piece in parcel.pieces)}
        self.places = places
        matched, self.missing = self.index.match(todo.parcels)
        self.known = [(places[mark], summary) for mark, summary in matched]
        self.bytes_total = sum(map(size, todo.parcels))
        self.bytes_left = sum(map(size, self.missing))
        self.left = len(self.missing)
        self.seconds = seconds  # what is left of the time that the job may take

    @property
    def failed(self) -> int:
        """Pieces that could not be read."""
        return sum(piece.status == "failed" for _, summary in self.known for piece in summary.pieces)

    def progress(self) -> Progress:
        """How far it is."""
        total = len(self.known) + self.left
        return Progress(len(self.known), total, self.bytes_total - self.bytes_left, self.bytes_total, self.failed)

    def tasks(self) -> Iterator[Task]:
        """What is still to be done."""
        for parcel in self.missing:
            yield self._task(parcel)

    def _task(self, parcel: Parcel, alone: bool = False) -> Task:
        return Task((self.tag, parcel), read_parcel, (parcel, self.out, self.extra), lambda: self.seconds, alone)

    def took(self, done: Done) -> list[Task]:
        """Keeps what a task brought; what to do next, where its worker died. Raises what is no fault of the input."""
        _, parcel = done.task.tag
        if self.seconds is not None:
            self.seconds = max(self.seconds - done.seconds, 0.0)
        if isinstance(done.error, Lost) and len(parcel.pieces) > 1:
            self.left += len(parcel.pieces) - 1
            return [self._task(Parcel((piece,)), alone=True) for piece in parcel.pieces]
        if isinstance(done.error, TimeoutError):
            self.seconds = 0.0
        elif done.error is not None and not isinstance(done.error, Lost):
            raise done.error
        summary = done.value if done.error is None else unread(parcel, sentence(str(done.error)))
        self.known.append((self.places[mark_of(parcel.pieces[0])], summary))
        if summary.key:
            self.index.add(parcel, summary.key)
        self.bytes_left -= size(parcel)
        self.left -= 1
        return []

    def summaries(self) -> list[Summary]:
        """Of every parcel, in plan order."""
        return [summary for _, summary in sorted(self.known, key=lambda one: one[0])]

    def run(self, crew: Crew, listener: Listener | None = None) -> list[Summary]:
        """Reads everything, with nothing else on the crew."""
        tell = listener or (lambda _: None)
        tell(self.progress())
        for task in self.tasks():
            crew.add(task)
        for done in crew.results():
            for task in self.took(done):
                crew.add(task)
            tell(self.progress())
        return self.summaries()


def unread(parcel: Parcel, reason: str) -> Summary:
    """What is known of a parcel that could not be read."""
    pieces = [
        PieceSummary(
            *(piece.source.file_id, piece.source.argument, piece.source.path, piece.source.member),
            *(piece.source.location, piece.source.size, piece.source.mtime_ns, piece.start),
            status="failed",
            error=reason,
        )
        for piece in parcel.pieces
    ]
    return Summary("", pieces, {})


def share(todo: Plan, number: int, of: int) -> Plan:
    """The part of a plan that shard `number` of `of` reads, from 1: the same for everybody who sees the same files."""
    loads = [0] * of
    mine = set()
    for parcel in sorted(todo.parcels, key=lambda parcel: (-size(parcel), parcel.pieces[0].source.file_id, parcel.pieces[0].start)):
        lightest = loads.index(min(loads))
        loads[lightest] += size(parcel) + 1
        if lightest == number - 1:
            mine.add(parcel)
    return replace(todo, parcels=tuple(parcel for parcel in todo.parcels if parcel in mine))


def size(parcel: Parcel) -> int:
    """Bytes on disk."""
    return sum((piece.end or piece.source.size) - piece.start for piece in parcel.pieces)


def write_manifest(
    case: Path,
    todo: Plan,
    summaries: Sequence[Summary],
    extra: Sequence[str],
    zone_us: int,
    job: Mapping[str, str] | None = None,
) -> None:
    """What the case consists of; the derived tables follow from it. `job` says which job of a batch it is, and why."""
    pieces = [asdict(piece) for summary in summaries for piece in summary.pieces]
    for problem in todo.problems:
        pieces.append(_problem(problem))
    content: dict[str, Any] = {
        "schema": schema.SCHEMA_VERSION,
        "paths": list(todo.paths),
        "packs": list(extra),
        "zone_us": zone_us,
        "job": dict(job or {}),
        "parcels": {summary.key: summary.rows for summary in summaries if summary.key},
        "pieces": pieces,
    }
    half = case / f"{MANIFEST}.{os.getpid()}"
    half.write_text(json.dumps(content, indent=1), "utf-8")
    half.replace(case / MANIFEST)


def _problem(problem: Problem) -> dict[str, Any]:
    source = problem.source
    piece = PieceSummary(
        *(source.file_id, source.argument, source.path, source.member),
        *(source.location, source.size, source.mtime_ns, 0),
        status=problem.status,
        error=problem.error,
    )
    return asdict(piece)
