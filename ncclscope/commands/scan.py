"""`ncclscope scan`: evidence into cases, one or one for each job."""

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ncclscope import analyse, console, scan
from ncclscope import report as reports
from ncclscope.case import CaseError
from ncclscope.commands import DONE, NOTHING, PARTIAL, UsageError, opening
from ncclscope.text import printable
from ncclscope.walk import SourceError

# What one core reads in a second of a dense log; a plan is an estimate.
BYTES_A_SECOND = 40e6


def run(args: argparse.Namespace) -> int:
    """Prints the directory of each case that is now up to date."""
    if args.plan:
        return _plan(args)
    if args.each:
        return _each(args)
    directory = opening.scanned(args.paths, opening.options(args))
    console.emit(f"{directory}\n")
    return _status(directory, args.packs)


def jobs(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Each job's name and path: every argument is one, or every entry of a lone directory. Raises SourceError."""
    found = [Path(path) for path in paths]
    for path in found:
        if not path.exists():
            raise SourceError(f"{path}: No such file or directory")
    if len(found) == 1 and found[0].is_dir():
        found = sorted(entry for entry in found[0].iterdir() if not entry.name.startswith("."))
    return list(_named(found))


def _named(found: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Names that are safe as directories and differ."""
    taken: set[str] = set()
    for path in found:
        stem = re.sub(r"\.(tar|tgz|zip|gz|xz|zst|bz2|tar\.\w+)$", "", path.resolve().name)
        stem = re.sub(r"[^\w.-]", "_", stem).lstrip(".") or "job"
        name, number = stem, 2
        while name in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name)
        yield name, str(path)


def _each(args: argparse.Namespace) -> int:
    if not args.case:
        raise UsageError("--each needs -o DIR: the directory in which the cases are made.")
    todo = jobs(args.paths)
    worst = DONE
    with console.Bar() as bar:
        for number, (name, path) in enumerate(todo, 1):
            bar.say(f"{name} ({number} of {len(todo)})", (number - 1) / len(todo))
            chosen = replace(opening.options(args), case=args.case / name)
            try:
                directory = analyse.scan_case([path], chosen)
                console.emit(f"{directory}\n")
                worst = max(worst, _status(directory, args.packs))
            except (SourceError, CaseError) as error:
                console.note(f"ncclscope: {name}: {error}")
                worst = PARTIAL
    return worst


def _status(directory: Path, extra: Sequence[str]) -> int:
    """Says the verdict on stderr; the status is about what could be read."""
    report = reports.build(opening.open_one(directory, extra))
    verdict = report["verdict"]
    console.note(f"{directory.name}: {verdict['status']}: {verdict['sentence']}")
    if not reports.is_usable(report):
        return NOTHING
    return DONE if reports.is_whole(report) else PARTIAL


def _plan(args: argparse.Namespace) -> int:
    """Lists jobs, files and bytes, and reads no further than the first bytes of each file."""
    todo = jobs(args.paths) if args.each else [("all", path) for path in args.paths]
    workers = args.workers or scan.default_workers()
    total = 0
    for name, path in todo:
        planned = scan.plan([path])
        total += planned.size_bytes
        counts = f"{len(planned.sources)} files\t{console.size(planned.size_bytes)}\t{len(planned.parcels)} parcels"
        label = f"{name}\t" if args.each else ""
        console.emit(f"{label}{printable(path)}\t{counts}\n")
        for problem in planned.problems:
            console.note(f"{printable(problem.source.path)}: {problem.status}: {problem.error}")
    seconds = max(total / BYTES_A_SECOND / workers, 1)
    console.note(f"{console.size(total)} on disk, about {seconds:.0f} s with {workers} workers; compressed files take longer")
    return DONE
