"""`ncclscope status`: what of a batch or of shards is done, failed or absent."""

import argparse
import json
from typing import Any

from ncclscope import batch, console, ledger, locks, shards
from ncclscope.commands import DONE, PARTIAL, UsageError, opening
from ncclscope.ledger import Ledger
from ncclscope.text import printable


def run(args: argparse.Namespace) -> int:
    """Prints shards and jobs; the status says whether something is missing."""
    book = Ledger.load(args.dir / ledger.NAME)
    known = shards.shards(args.dir)
    if not known and not book.jobs and not (args.dir / ledger.NAME).is_file():
        raise UsageError(f"{args.dir} is neither a folder of cases nor where shards write to; scan --each -o DIR makes one.")
    for shard in known:
        book.jobs |= Ledger.load(args.dir / shards.ledger_of(shard.number, shard.of)).jobs
    told = _as_told(args, book, known)
    console.emit(json.dumps(told, indent=2, ensure_ascii=False) + "\n" if args.format == "json" else _text(told))
    whole = all(shard.state == "done" for shard in known) and all(entry.status == ledger.DONE for entry in book.jobs.values())
    return DONE if whole else PARTIAL


def _as_told(args: argparse.Namespace, book: Ledger, known: list[shards.Shard]) -> dict[str, Any]:
    entries = [book.jobs[name] for name in sorted(book.jobs)]
    return {
        "running": locks.is_held(args.dir),
        "shards": [{"number": shard.number, "of": shard.of, "state": shard.state} for shard in known],
        "jobs": [
            {
                **opening.as_event(ledger.place(args.dir, entry), entry),
                "state": "same" if entry.same_as else entry.status or "read, not judged",
            }
            for entry in entries
        ],
        "counts": batch.counts(entries),
    }


def _text(told: dict[str, Any]) -> str:
    lines = [f"shard {one['number']} of {one['of']}\t{one['state']}" for one in told["shards"]]
    for job in told["jobs"]:
        said = f"the same as {job['same_as']}" if job["same_as"] else job["error"] or f"{job.get('status', '')}: {job.get('sentence', '')}"
        lines.append("\t".join(map(printable, (job["name"], job["state"], job["how"], said))))
    for what, counts in told["counts"].items():
        lines.append(f"{what}\t" + (", ".join(f"{count} {name}" for name, count in counts.items()) or "none"))
    if told["running"]:
        lines.append("a scan is at work here")
    return "\n".join(lines) + "\n"


