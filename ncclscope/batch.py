"""Many jobs into a folder of cases: what is new is read and judged on one crew, in whatever order, with the same result."""

import errno
import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ncclscope import analyse, bounds, jobs, ledger, packs, scan
from ncclscope.blocks import sentence
from ncclscope.executors import Crew, Done, Task
from ncclscope.jobs import Job
from ncclscope.ledger import Entry, Ledger
from ncclscope.parcels import Parcel, Piece
from ncclscope.reuse import mark_of
from ncclscope.schema import MANIFEST
from ncclscope.summaries import Summary

VOLUMES = ".volumes"
# A job whose time is up while it is read is still judged by what was read.
JUDGE_S = 60.0
# Without room or rights to write, no further job can succeed.
_HOPELESS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


@dataclass(frozen=True, slots=True)
class State:
    """How far a batch is. `job` is the entry that was just finished, or None; `failures` counts files and jobs."""

    jobs_done: int
    jobs_total: int
    bytes_done: int
    bytes_total: int
    failures: int
    job: Entry | None = None
    unchanged: bool = False


Listener = Callable[[State], None]


def run(found: Sequence[Job], out: Path, options: analyse.Options, crew: Crew, listener: Listener, name: str = ledger.NAME) -> Ledger:
    """Reads and judges the jobs that are new or have changed since the ledger was written. The caller holds the folder."""
    batch = Batch(out, options, crew, listener, Ledger.load(out / name))
    try:
        batch.begin(found)
        for done in crew.results():
            batch.take(done)
        batch.finish()
    finally:
        batch.book.save(out)
    return batch.book


@dataclass(slots=True)
class Batch:
    """A batch while it goes on; the leader's side, which alone writes the ledger."""

    out: Path
    options: analyse.Options
    crew: Crew
    listener: Listener
    book: Ledger
    readings: dict[str, tuple[Job, scan.Reading]] = field(default_factory=dict)
    bytes_done: int = 0
    bytes_total: int = 0
    done: int = 0
    total: int = 0
    failures: int = 0
    changed: bool = False
    # Of each case that waits for its verdict: what its entry will say.
    waiting: dict[str, Entry] = field(default_factory=dict)

    def begin(self, found: Sequence[Job]) -> None:
        """Puts on the crew's list what is to be done."""
        declared = self._declared()
        self.bytes_total = sum(job.size_bytes for job in found)
        self.total = len(found)
        for job in found:
            mine = self.book.named(job)
            identity = identity_of(mine, declared)
            if mine.is_volume:
                self._begin_volume(mine, identity)
            elif (entry := self.book.jobs.get(mine.name)) and entry.identity == identity and self._is_there(entry):
                self._tell(entry, mine.size_bytes, unchanged=True)
            else:
                self._begin_job(mine, identity)

    def _declared(self) -> str:
        declarations = packs.parsers_digest(self.options.packs)
        return f"{declarations} {analyse.judgement(analyse.load_pack(self.options.packs))} {self.options.zone}"

    def _is_there(self, entry: Entry) -> bool:
        return entry.status == ledger.DONE and (ledger.place(self.out, entry) / MANIFEST).is_file()

    def _begin_job(self, job: Job, identity: str) -> None:
        directory = ledger.bring_back(self.out, job.name)
        planned = scan.planned(job.paths, job.sources, job.problems)
        reading = scan.Reading(planned, directory, self.options.packs, self.options.seconds, tag=job.name)
        self.waiting[job.name] = Entry(job.name, job.how, ledger.full(job.paths), identity, base=jobs.id_in(job.name) or job.name)
        self.readings[job.name] = job, reading
        self.bytes_done += job.size_bytes - reading.bytes_left
        if not reading.missing:
            self._judge_job(job.name)
        for task in reading.tasks():
            self.crew.add(task)

    def _begin_volume(self, job: Job, identity: str) -> None:
        volume = self.book.volumes.get(job.name)
        if volume and volume["identity"] == identity:
            entries = [self.book.jobs[name] for name in volume["jobs"] if name in self.book.jobs]
            if len(entries) == len(volume["jobs"]) and all((ledger.place(self.out, e) / MANIFEST).is_file() for e in entries):
                self._volume_again(job, entries)
                return
        mark = hashlib.sha256(f"{job.name} {identity}".encode()).hexdigest()[:16]
        task = Task(
            ((job, identity), "volume"),
            read_volume,
            (Parcel((Piece(job.sources[0]),)), str(self.out / VOLUMES / mark), self.options.packs),
            lambda: self.options.seconds,
        )
        self.crew.add(task)

    def _volume_again(self, job: Job, entries: Sequence[Entry]) -> None:
        """An archive that was read before: what was not judged then is judged now."""
        self.total += len(entries) - 1
        for number, entry in enumerate(entries):
            size = 0 if number else job.size_bytes
            if self._is_there(entry):
                self._tell(entry, size, unchanged=True)
            else:
                self.bytes_done += size
                self.waiting[entry.name] = replace(entry, status="", error=None)
                self._judge(entry.name, self.options.seconds)

    def take(self, done: Done) -> None:
        """Goes on with what a task brought."""
        who, what = done.task.tag
        if isinstance(done.error, OSError) and done.error.errno in _HOPELESS:
            raise done.error
        if what == "judge":
            self._judged(who, done)
        elif what == "volume":
            job, identity = who
            self._volume_read(job, identity, done)
        elif who in self.readings:
            self._job_read(who, done)

    def _job_read(self, name: str, done: Done) -> None:
        _, reading = self.readings[name]
        before = reading.bytes_left
        try:
            for task in reading.took(done):
                self.crew.add(task)
        except Exception as error:
            self._failed(self.waiting.pop(name), error)
            del self.readings[name]
            return
        self.bytes_done += before - reading.bytes_left
        if reading.left == 0:
            self._judge_job(name)
        else:
            self._tell(None, 0)

    def _judge_job(self, name: str) -> None:
        job, reading = self.readings.pop(name)
        summaries = reading.summaries()
        directory = self.out / name
        analyse.commit(directory, reading.todo, summaries, self.options, {"name": name, "how": job.how})
        reading.index.clean(analyse.kept_parcels(directory))
        entry = replace(self.waiting[name], content=content_of(summaries))
        # What was given up is tried again by the next scan.
        self.waiting[name] = entry if all(summary.key for summary in summaries) else replace(entry, identity="")
        self._judge(name, reading.seconds)

    def _judge(self, name: str, seconds: float | None) -> None:
        threads = 1 if self.crew.start is not None else None
        memory = bounds.share_of(self.options.memory, self.crew.workers)
        arguments = (str(self.out / name), self.options.packs, memory, threads)
        limit = None if seconds is None else max(seconds, JUDGE_S)
        self.crew.add(Task((name, "judge"), analyse.judge, arguments, lambda: limit), first=True)

    def _volume_read(self, job: Job, identity: str, done: Done) -> None:
        self.bytes_done += job.size_bytes
        if done.error is not None:
            self._failed(Entry(job.name, job.how, ledger.full(job.paths), identity, base=job.name), done.error)
            return
        trees: dict[str, list[Summary]] = {}
        for tree, summary in done.value:
            trees.setdefault(tree, []).append(summary)
        left = None if self.options.seconds is None else max(self.options.seconds - done.seconds, 0.0)
        self.total += len(trees) - 1
        names = []
        for tree, summaries in sorted(trees.items()):
            name = f"{job.name}.{jobs.slug(tree.rpartition('/')[2])}" if tree else job.name
            names.append(name)
            self._tree_read(name, tree, job, identity, summaries, Path(done.task.arguments[1]))
            self._judge(name, left)
        shutil.rmtree(done.task.arguments[1], ignore_errors=True)
        self.book.volumes[job.name] = {"identity": identity, "jobs": names}
        self.book.save(self.out)

    def _tree_read(self, name: str, tree: str, job: Job, identity: str, summaries: Sequence[Summary], read: Path) -> None:
        """Commits one tree of an archive, whose parcels are moved to its case."""
        directory = ledger.bring_back(self.out, name)
        (directory / "parcels").mkdir(parents=True, exist_ok=True)
        for summary in summaries:
            place = read / (jobs.slug(tree.replace("/", ".")) if tree else "") / "parcels" / summary.key
            if place.is_dir() and not (directory / "parcels" / summary.key).is_dir():
                place.rename(directory / "parcels" / summary.key)
        path = os.path.join(job.paths[0], tree) if tree else job.paths[0]
        planned = scan.Plan((path,), job.sources, job.problems if not tree else (), ())
        how = "a tree in an archive" if tree else job.how
        analyse.commit(directory, planned, summaries, self.options, {"name": name, "how": how})
        base = jobs.id_in(tree.rpartition("/")[2]) or name
        entry = Entry(name, how, ledger.full((path,)), identity, base=base, content=content_of(summaries))
        self.waiting[name] = self.book.jobs[name] = entry

    def _judged(self, name: str, done: Done) -> None:
        entry = self.waiting.pop(name)
        if done.error is not None:
            self._failed(entry, done.error)
            return
        outcome: analyse.Outcome = done.value
        self.failures += sum(outcome.files.get(status, 0) for status in ("failed", "partial"))
        self.changed = True
        self._keep(replace(entry, status=ledger.DONE, outcome=asdict(outcome)))

    def _failed(self, entry: Entry, error: Exception) -> None:
        """A job of which there is no case now says why; the next scan tries again."""
        said = str(error) or type(error).__name__
        if isinstance(error, TimeoutError):
            said = f"it took longer than {self.options.seconds:g} s"
        elif not isinstance(error, (OSError, ValueError)):
            said = f"{type(error).__name__}: {said}"
        self.failures += 1
        self._keep(replace(entry, status=ledger.FAILED, error=sentence(" ".join(said.split())[:300])))

    def _keep(self, entry: Entry) -> None:
        self.book.jobs[entry.name] = entry
        self.book.save(self.out, sparingly=True)
        self._tell(entry, 0)

    def _tell(self, entry: Entry | None, size: int, unchanged: bool = False) -> None:
        self.bytes_done += size
        self.done += entry is not None
        self.listener(State(self.done, self.total, self.bytes_done, self.bytes_total, self.failures, entry, unchanged))

    def finish(self) -> None:
        """Finds the jobs that are there twice."""
        shutil.rmtree(self.out / VOLUMES, ignore_errors=True)
        if self.changed:
            ledger.mark_same(self.out, self.book)


def identity_of(job: Job, declared: str) -> str:
    """Changes whenever the case of a job could, told without reading."""
    said = [declared, *(repr(mark_of(Piece(source))) for source in job.sources)]
    said += [f"{problem.source.file_id} {problem.status} {problem.error}" for problem in job.problems]
    return hashlib.sha256("\n".join(said).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def read_volume(parcel: Parcel, out: str, extra: tuple[str, ...]) -> list[tuple[str, Summary]]:
    """The task of a worker; see `scan.read_parcel`."""
    from ncclscope import ingest  # noqa: PLC0415

    return ingest.ingest_trees(parcel, out, extra)


def content_of(summaries: Iterable[Summary]) -> str:
    """A digest of everything that is not empty in a job, whatever the files are called; "" where all is empty."""
    pieces = sorted({(p.digest, p.size_bytes) for summary in summaries for p in summary.pieces if p.size_bytes and p.digest})
    return hashlib.sha256(json.dumps(pieces).encode()).hexdigest()[:32] if pieces else ""


def counts(entries: Iterable[Entry]) -> dict[str, dict[str, int]]:
    """How many jobs have which verdict, and how many files which status. A job that is there twice counts once."""
    verdicts: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for entry in entries:
        if entry.same_as:
            verdicts["same as another"] += 1
        elif entry.status != ledger.DONE:
            verdicts["failed"] += 1
        else:
            outcome: Mapping[str, Any] = entry.outcome
            verdicts[outcome["status"]] += 1
            files.update(outcome["files"])
    return {"jobs": dict(sorted(verdicts.items())), "files": dict(sorted(files.items()))}


def shard_of(found: Sequence[Job], number: int, of: int) -> Iterator[Job]:
    """The jobs of shard `number` of `of`, from 1: told by their names alone, so that a new one moves no other."""
    for job in found:
        if int(hashlib.sha256(job.name.encode()).hexdigest(), 16) % of == number - 1:
            yield job
