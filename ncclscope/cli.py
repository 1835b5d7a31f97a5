"""Argument parsing and exit codes, nothing else."""

import argparse
import sys
from pathlib import Path


def main(argv: list[str] | None = None) -> int:
    """Runs one command; returns the exit status."""
    top = argparse.ArgumentParser(prog="ncclscope")
    sub = top.add_subparsers(dest="command", required=True)
    command = sub.add_parser("check")
    command.add_argument("--parsers", action="store_true")
    command.add_argument("--rules", action="store_true")
    command.add_argument("--only", default="")
    command = sub.add_parser("report")
    command.add_argument("paths", nargs="+")
    command.add_argument("--format", default="text")
    command.add_argument("--case", type=Path)
    command.add_argument("--workers", type=int)
    command = sub.add_parser("sql")
    command.add_argument("case")
    command.add_argument("query")
    args = top.parse_args(argv)
    return globals()[f"_{args.command}"](args)


def _check(args: argparse.Namespace) -> int:
    from ncclscope import check, packs

    pack = packs.load()
    failures = []
    if args.parsers or not args.rules:
        failures += [f for f in check.parsers(pack) if args.only in f.where]
    if args.rules or not args.parsers:
        failures += check.rules(pack, args.only)
    for failure in failures:
        print(f"{failure.where}: {failure.what}")
    print(f"{len(pack.parsers)} parsers, {len(pack.rules)} rules, {len(failures)} failures", file=sys.stderr)
    return 1 if failures else 0


def _report(args: argparse.Namespace) -> int:
    from ncclscope import analyse, case, packs, report, views

    options = analyse.Options(case=args.case, workers=args.workers)
    directory = analyse.scan_case(args.paths, options)
    print(f"case: {directory}", file=sys.stderr)
    opened = case.open_case(directory, packs.load(), views.shared())
    print(report.as_json(report.build(opened)), end="")
    return 0


def _sql(args: argparse.Namespace) -> int:
    from ncclscope import analyse, case, packs, views

    path = Path(args.case)
    if not (path / "manifest.json").is_file():
        path = analyse.scan_case([args.case], analyse.Options())
    opened = case.open_case(path, packs.load(), views.shared())
    result = opened.select(args.query)
    print("\t".join(column[0] for column in result.description or ()))
    for row in result.fetchall():
        print("\t".join("" if value is None else str(value) for value in row))
    return 0
