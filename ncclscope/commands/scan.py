"""`ncclscope scan`: evidence into a case, or with --each the jobs found into one case each."""

import argparse
import os
import re
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

from ncclscope import analyse, batch, bounds, console, early, executors, jobs, ledger, locks, narrow, progress, scan, shards
from ncclscope.commands import DONE, NOTHING, PARTIAL, UsageError, opening
from ncclscope.executors import Crew
from ncclscope.jobs import Job
from ncclscope.ledger import Entry
from ncclscope.text import printable

# What one core reads in a second of a dense log; a plan is an estimate.
BYTES_A_SECOND = 40e6
# So many small jobs are judged sooner than a worker has started.
FEW = 2
# Bytes of text in a byte of a compressed log.
EXPANSION = 10


def run(args: argparse.Namespace) -> int:
    """Prints the directory of each case that is now up to date."""
    if args.nice:
        os.nice(args.nice)
    args.many = bool(args.each or args.group_by)
    if args.plan:
        return _plan(args)
    if args.many or args.shard:
        if not args.case:
            raise UsageError(f"{'--shard' if args.shard else '--each'} needs -o DIR: the directory in which the cases are made.")
        return _many(args) if args.many else _shard(args)
    return _one(args)


def _one(args: argparse.Namespace) -> int:
    pace = progress.Pace()
    with console.Bar() as bar:
        draw = opening.listener(bar)

        def tell(now: scan.Progress) -> None:
            draw(now)
            pace.reach(0, 1, now.bytes_done, now.bytes_total, now.failed)
            if args.json_lines and pace.due():
                progress.emit(pace.as_json())

        options = opening.options(args)
        options = opening.on_cluster(options, args.dask)
        judge = early.Early(options, lambda case: console.emit(f"{case}\n")) if args.early else None
        directory = analyse.scan_case(args.paths, options, tell, opening.waiting(bar), judge)
    outcome = analyse.outcome_of(opening.open_one(directory, args.packs))
    if args.json_lines:
        progress.emit(opening.as_event(directory, Entry(directory.name, "", tuple(args.paths), "", outcome=analyse.as_plain(outcome))))
    else:
        console.note(f"case: {directory}")
        console.emit(f"{directory}\n")
        console.note(f"{directory.name}: {outcome.status}: {outcome.sentence}")
        console.note(_files_said(outcome.files))
    return _status(outcome.matched, outcome.files)


def found_jobs(args: argparse.Namespace) -> list[Job]:
    """The jobs that the arguments ask for. Raises UsageError, SourceError."""
    try:
        found = jobs.jobs(args.paths, args.group_by or "auto")
    except re.error as error:
        raise UsageError(f"--group-by {args.group_by}: neither one of {', '.join(jobs.WAYS)} nor a pattern ({error}).") from None
    since, until = (narrow.moment(text).replace(tzinfo=UTC).timestamp() * 1e9 if text else None for text in (args.since, args.until))
    found = [
        job
        for job in jobs.chosen(found, args.job)
        if (since is None or job.written_ns >= since) and (until is None or job.written_ns < until)
    ]
    return [job for job in found if job.sources or _say_left(job)]


def _say_left(job: Job) -> bool:
    """A link or a device alone is no job."""
    for problem in job.problems:
        console.note(f"{printable(problem.source.location)}: {problem.status}: {problem.error}")
    return False


def _many(args: argparse.Namespace) -> int:
    found = found_jobs(args)
    options = opening.on_cluster(opening.options(args), args.dask)
    if args.shard:
        found = list(batch.shard_of(found, *args.shard))
    name = shards.ledger_of(*args.shard) if args.shard else ledger.NAME
    with console.Bar() as bar, locks.hold(args.case, opening.waiting(bar), shared=bool(args.shard)):
        say = _Speaker(bar, args, sum(job.size_bytes for job in found))
        with shards.report(args.case, args.shard, args), crew(found, options) as workers:
            book = batch.run(found, args.case, options, workers, say.state, name)
    named = {name for job in found for name in say.names}
    return say.conclude(book, named)


def crew(found: Sequence[Job], options: analyse.Options) -> Crew:
    """Those who read and judge the jobs: this process alone where there is little to do."""
    workers = bounds.workers_within(options.memory, options.workers or scan.default_workers())
    if options.start is not None:
        return Crew(options.workers or scan.default_workers(), options.start)
    small = len(found) <= FEW and sum(job.size_bytes for job in found) < scan.IN_PROCESS_BYTES
    if small or workers == 1:
        bounds.settle(bounds.share_of(options.memory, 1))
        return Crew()
    return Crew(workers, executors.processes(workers, bounds.settle, (bounds.share_of(options.memory, workers),)))


class _Speaker:
    """Says what goes on: a line on stderr and one for each job, or JSON lines on stdout."""

    def __init__(self, bar: console.Bar, args: argparse.Namespace, size: int) -> None:
        self.bar, self.args = bar, args
        self.pace = progress.Pace()
        self.pace.bytes_total = size
        self.names: set[str] = set()
        self.unchanged: set[str] = set()
        bar.say_whole(self.pace.line)

    def state(self, state: batch.State) -> None:
        """Notes how far the batch is, and says what came of a job."""
        self.pace.reach(state.jobs_done, state.jobs_total, state.bytes_done, state.bytes_total, state.failures)
        if state.job is not None:
            self.names.add(state.job.name)
            if state.unchanged:
                self.unchanged.add(state.job.name)
            else:
                self._job(state.job)
        if self.args.json_lines and self.pace.due():
            progress.emit(self.pace.as_json())

    def _job(self, entry: Entry) -> None:
        if not self.args.json_lines:
            said = f"{entry.outcome['status']}: {entry.outcome['sentence']}" if entry.outcome else f"failed: {entry.error}"
            self.bar.note(printable(f"{entry.name}: {said}"))

    def conclude(self, book: ledger.Ledger, names: set[str]) -> int:
        """The summary, and the exit status."""
        entries = [book.jobs[name] for name in sorted(names)]
        for entry in entries:
            if self.args.json_lines:
                event = opening.as_event(ledger.place(self.args.case, entry), entry, entry.name in self.unchanged)
                progress.emit(event)
            elif entry.status == ledger.DONE and not entry.same_as and not (self.args.new and entry.name in self.unchanged):
                console.emit(f"{self.args.case / entry.name}\n")
            if entry.same_as and entry.name not in self.unchanged:
                console.note(f"{entry.name}: the same job as {entry.same_as}, counted once")
        counts = batch.counts(entries)
        if self.args.json_lines:
            progress.emit({"event": "summary", **counts, "unchanged": len(self.unchanged)})
        told = ", ".join(f"{count} {status}" for status, count in counts["jobs"].items())
        console.note(f"{len(entries)} jobs: {told or 'none'}; {len(self.unchanged)} unchanged since the last scan")
        console.note(_files_said(counts["files"]))
        return self._status(entries, counts["files"])

    def _status(self, entries: Sequence[Entry], files: dict[str, int]) -> int:
        if any(entry.status == ledger.FAILED for entry in entries):
            return PARTIAL
        matched = sum(entry.outcome["matched"] for entry in entries)
        return _status(matched, files)


def _status(matched: int, files: dict[str, int]) -> int:
    if not matched:
        return NOTHING
    return PARTIAL if files.get("failed", 0) + files.get("partial", 0) else DONE


def _files_said(files: dict[str, int]) -> str:
    return f"{sum(files.values())} files: " + (", ".join(f"{count} {status}" for status, count in files.items()) or "none")


def _shard(args: argparse.Namespace) -> int:
    """Reads its share of one case, which `merge` commits."""
    number, of = args.shard
    options = opening.options(args)
    mine = scan.share(scan.plan(args.paths), number, of)
    with console.Bar() as bar, locks.hold(args.case, opening.waiting(bar), shared=True), shards.report(args.case, args.shard, args):
        reading = scan.Reading(mine, args.case, options.packs, options.seconds, writer=shards.writer_of(number, of))
        options = opening.on_cluster(options, args.dask)
        with scan.crew_for(reading, options.workers, options.start, options.memory) as workers:
            summaries = reading.run(workers, opening.listener(bar))
    failed = sum(piece.status == "failed" for summary in summaries for piece in summary.pieces)
    console.note(f"shard {number} of {of}: {len(mine.parcels)} parcels, {failed} failed; ncclscope merge {args.case} commits them")
    console.emit(f"{args.case}\n")
    return PARTIAL if failed else DONE


def _plan(args: argparse.Namespace) -> int:
    """Lists jobs, files and bytes, and reads no further than the beginning of each file."""
    found = found_jobs(args) if args.many else [_whole(path) for path in args.paths]
    workers = args.workers or scan.default_workers()
    total = 0.0
    for job in found:
        seconds = estimate(job)
        total += seconds
        counts = f"{len(job.sources)} files\t{console.size(job.size_bytes)}\tabout {progress.clock(max(seconds, 1))}"
        label = f"{job.name}\t{job.how}\t" if args.many else ""
        console.emit(f"{label}{printable(' '.join(job.paths))}\t{counts}\n")
        for problem in job.problems:
            console.note(f"{printable(problem.source.path)}: {problem.status}: {problem.error}")
    size = console.size(sum(job.size_bytes for job in found))
    count = f"{len(found)} jobs, " if args.many else ""
    console.note(f"{count}{size} on disk, about {progress.clock(max(total / workers, 1))} with {workers} workers; an estimate")
    return DONE


def estimate(job: Job) -> float:
    """Seconds that one worker may need for a job."""
    packed = sum(source.size for source in job.sources if source.compression or source.archive == "zip")
    return (job.size_bytes - packed + EXPANSION * packed) / BYTES_A_SECOND


def _whole(path: str) -> Job:
    planned = scan.plan([path])
    return Job(Path(path).name, "as given", (path,), planned.sources, planned.problems)
