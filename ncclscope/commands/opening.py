"""Arguments to open cases: scans what is no case yet, with a bar on stderr."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ncclscope import analyse, case, console, executors, jobs, ledger, narrow, packs, scan, schema, views
from ncclscope.case import Case
from ncclscope.commands import UsageError
from ncclscope.ledger import Entry


def options(args: argparse.Namespace) -> analyse.Options:
    """What the common options say."""
    return analyse.Options(
        case=args.case,
        packs=tuple(args.packs),
        workers=args.workers,
        zone=args.timezone,
        seconds=getattr(args, "timeout", None),
        memory=getattr(args, "memory", None),
    )


def on_cluster(chosen: analyse.Options, address: str | None) -> analyse.Options:
    """The options with a dask cluster instead of processes of this machine, if one is named. Raises UsageError."""
    if not address:
        return chosen
    try:
        start, slots = executors.dask(address)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return replace(chosen, start=start, workers=chosen.workers or slots)


def waiting(bar: console.Bar) -> Callable[[], None]:
    """Says that another scan is at work here."""
    return lambda: bar.note("ncclscope: another scan writes there; waiting until it is done")


def part(args: argparse.Namespace) -> narrow.Narrow:
    """The part of a case that the options ask for."""
    since, until = (narrow.moment(text) if text else None for text in (args.since, args.until))
    ranks = narrow.ranks(args.rank) if args.rank else ()
    return narrow.Narrow(since, until, ranks, tuple(host.lower() for host in args.host))


def as_event(directory: Path, entry: Entry, unchanged: bool = False) -> dict[str, Any]:
    """A job for machines."""
    said = {name: value for name, value in asdict(entry).items() if name in ("name", "how", "paths", "error", "same_as")}
    return {"event": "job", **said, "case": str(directory), "failed": bool(entry.error), "unchanged": unchanged, **entry.outcome}


def is_case(path: str) -> bool:
    """Is it the directory of a case?"""
    return (Path(path) / schema.MANIFEST).is_file()


def open_all(args: argparse.Namespace) -> list[Case]:
    """The cases that the arguments name, or the one made of the evidence they name. Raises UsageError."""
    wanted = getattr(args, "job", [])
    paths = [one for path in args.paths for one in (cases_in(path) or [path])]
    given = [path for path in paths if is_case(path)]
    if not given:
        return [open_one(scanned(args.paths, replace(options(args), planned=_planned(args.paths, wanted))), args.packs)]
    given = [path for path in given if not wanted or any(jobs.is_meant(Path(path).name, one) for one in wanted)]
    if not given:
        raise UsageError(f"none of these cases is that of {', '.join(wanted)}; ncclscope status lists the jobs of a folder.")
    if any(not is_case(path) for path in paths):
        raise UsageError(f"{given[0]} is a case and other arguments are not; name cases or evidence, not both.")
    if args.case or args.timezone:
        raise UsageError("--case and --timezone are for reading evidence; these arguments are cases, which were read before.")
    return [open_one(Path(path), args.packs) for path in given]


def cases_in(path: str) -> list[str]:
    """The cases in a folder that a batch has made; none where it is anything else."""
    folder = Path(path)
    if is_case(path) or not (folder / ledger.NAME).is_file():
        return []
    return sorted(str(found.parent) for found in folder.glob(f"*/{schema.MANIFEST}"))


def _planned(paths: Sequence[str], wanted: Sequence[str]) -> scan.Plan | None:
    """What is read for the jobs that are asked for; None for everything."""
    if not wanted:
        return None
    found = [job for job in jobs.chosen(jobs.jobs(paths), wanted) if not job.is_volume and job.sources]
    if not found:
        raise UsageError(f"no job {', '.join(wanted)} is found there; ncclscope scan --each --plan lists the jobs.")
    return scan.planned([path for job in found for path in job.paths], [s for job in found for s in job.sources], found[0].problems)


def open_one(directory: Path, extra: Sequence[str]) -> Case:
    """A case with the packs it was read with and those given; its rules run again if others are given."""
    directory = directory.resolve()
    known = case.manifest_of(directory).get("packs", [])
    wanted = [*known, *(pack for pack in extra if pack not in known)]
    pack = packs.load(wanted)
    opened = case.open_case(directory, pack, views.shared())
    if len(wanted) > len(known) or not (directory / "verdicts.parquet").is_file():
        analyse.conclude(opened, pack)
    return opened


def scanned(paths: Sequence[str], chosen: analyse.Options) -> Path:
    """The directory of the case made of this evidence; says where it is on stderr."""
    with console.Bar() as bar:
        directory = analyse.scan_case(paths, chosen, listener(bar), waiting(bar))
    console.note(f"case: {directory}")
    return directory


def listener(bar: console.Bar, label: str = "reading") -> Callable[[scan.Progress], None]:
    """Draws the progress of a scan."""

    def tell(progress: scan.Progress) -> None:
        if progress.done == progress.total:
            bar.say("judging")
            return
        share = progress.bytes_done / max(progress.bytes_total, 1)
        bar.say(f"{label} {console.size(progress.bytes_done)} of {console.size(progress.bytes_total)}", share)

    return tell
