"""`ncclscope check`: do the declarations keep what they promise?"""

import argparse
from pathlib import Path

from ncclscope import check, console, corpus, packs, samples, scan
from ncclscope.check import Failure
from ncclscope.commands import DONE, FOUND, UsageError
from ncclscope.text import printable


def run(args: argparse.Namespace) -> int:
    """Prints what is not as declared, one line each."""
    extra = (str(Path(args.pack).absolute()),) if args.pack else ()
    if args.corpus:
        return _corpus(args, extra)
    pack = packs.load(extra)
    for name, before, now in packs.replaced(extra):
        console.note(f"{name}: {now} replaces {before}")
    chosen = chooser(Path(extra[0]) if extra else None, args.only)
    every = args.parsers == args.rules
    failures: list[Failure] = []
    with console.Bar() as bar:
        if every or args.parsers:
            bar.say("samples of parsers")
            failures += check.parsers(pack, chosen)
        if every or args.rules:
            bar.say("tests of rules")
            failures += check.rules_at_once(pack, chosen, extra, scan.default_workers())
    for failure in failures:
        console.emit(f"{printable(failure.where)}: {printable(failure.what)}\n")
    counts = [sum(chosen(one.path) for one in some.values()) for some in (pack.parsers, pack.rules)]
    console.note(f"{counts[0]} parsers, {counts[1]} rules, {len(failures)} failures")
    return FOUND if failures else DONE


def chooser(below: Path | None, only: str) -> check.Chooser:
    """Which declarations to run: those of one pack, and those with a text in their path."""

    def chosen(path: Path) -> bool:
        return (below is None or path.is_relative_to(below)) and only in f"{path.parent.name}/{path.name}"

    return chosen


def _corpus(args: argparse.Namespace, extra: tuple[str, ...]) -> int:
    """Judges every labelled case and counts how they came out."""
    folder = Path(args.cases) if args.cases else samples.folder()
    found = [case for case in corpus.cases(folder) if args.only in str(case)]
    if not found:
        raise UsageError(f"there is no labelled case below {folder}; a case has an {corpus.LABEL} and its evidence in logs/.")
    judged = []
    with console.Bar() as bar:
        for number, case in enumerate(found):
            bar.say(case.name, number / len(found))
            judged.append(corpus.run(case, extra))
    for one in judged:
        console.emit(f"{one.outcome:<12} {one.case}: {one.status}: {printable(one.sentence)}\n")
        for fault in one.faults:
            console.emit(f"{'':<13}  {printable(fault)}\n")
    console.emit("\n" + "".join(f"{line}\n" for line in corpus.summary(judged)))
    console.emit("\nreliability of verdicts by their confidence\n" + "".join(f"{line}\n" for line in corpus.reliability(judged)))
    return DONE if all(one.outcome == "right" for one in judged) else FOUND
