"""Arguments to open cases: scans what is no case yet, with a bar on stderr."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from ncclscope import analyse, case, console, packs, scan, views
from ncclscope.case import Case
from ncclscope.commands import UsageError
from ncclscope.packs import Pack


def options(args: argparse.Namespace) -> analyse.Options:
    """What the common options say."""
    return analyse.Options(case=args.case, packs=tuple(args.packs), workers=args.workers, zone=args.timezone)


def is_case(path: str) -> bool:
    """Is it the directory of a case?"""
    return (Path(path) / case.MANIFEST).is_file()


def open_all(args: argparse.Namespace) -> list[Case]:
    """The cases that the arguments name, or the one made of the evidence they name. Raises UsageError."""
    given = [path for path in args.paths if is_case(path)]
    if not given:
        return [open_one(scanned(args.paths, options(args)), args.packs)]
    if len(given) < len(args.paths):
        raise UsageError(f"{given[0]} is a case and other arguments are not; name cases or evidence, not both.")
    if args.case or args.timezone:
        raise UsageError("--case and --timezone are for reading evidence; these arguments are cases, which were read before.")
    return [open_one(Path(path), args.packs) for path in given]


def open_one(directory: Path, extra: Sequence[str]) -> Case:
    """A case with the packs it was read with and those given; its rules run again if others are given."""
    directory = directory.resolve()
    known = case.open_case(directory, Pack()).manifest.get("packs", [])
    wanted = [*known, *(pack for pack in extra if pack not in known)]
    pack = packs.load(wanted)
    opened = case.open_case(directory, pack, views.shared())
    if len(wanted) > len(known) or not (directory / "verdicts.parquet").is_file():
        analyse.conclude(opened, pack)
    return opened


def scanned(paths: Sequence[str], chosen: analyse.Options) -> Path:
    """The directory of the case made of this evidence; says where it is on stderr."""
    with console.Bar() as bar:
        directory = analyse.scan_case(paths, chosen, listener(bar))
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
