"""`ncclscope merge`: commits what shards have read."""

import argparse
from pathlib import Path

from ncclscope import analyse, batch, console, ledger, locks, scan, shards
from ncclscope.commands import DONE, PARTIAL, UsageError, opening
from ncclscope.ledger import Ledger
from ncclscope.shards import Shard


def run(args: argparse.Namespace) -> int:
    """Prints the directory of each case that is committed; the status says whether a shard is missing."""
    known = shards.shards(args.dir)
    if not known:
        raise UsageError(f"no shard of a scan has written to {args.dir}; ncclscope scan --shard 1/4 -o {args.dir} does.")
    first = next(shard for shard in known if shard.said)
    with console.Bar() as bar, locks.hold(args.dir, opening.waiting(bar)):
        (_jobs if first.said["many"] else _case)(args.dir, known, first, args.workers, bar)
    left = [shard for shard in known if shard.state != "done"]
    for shard in left:
        console.note(f"shard {shard.number} of {shard.of}: {shard.state}; run it again, then merge again")
    return PARTIAL if left else DONE


def _jobs(out: Path, known: list[Shard], first: Shard, workers: int | None, bar: console.Bar) -> None:
    """Puts the ledgers of the shards together."""
    del first, workers, bar
    book = Ledger.load(out / ledger.NAME)
    for shard in known:
        read = Ledger.load(out / shards.ledger_of(shard.number, shard.of))
        book.jobs |= read.jobs
        book.volumes |= read.volumes
    ledger.mark_same(out, book)
    book.save(out)
    for entry in (book.jobs[name] for name in sorted(book.jobs)):
        if entry.status == ledger.DONE and not entry.same_as:
            console.emit(f"{out / entry.name}\n")
    counts = batch.counts(book.jobs.values())
    told = ", ".join(f"{count} {status}" for status, count in counts["jobs"].items())
    console.note(f"{len(book.jobs)} jobs: {told or 'none'}")


def _case(out: Path, known: list[Shard], first: Shard, workers: int | None, bar: console.Bar) -> None:
    """Commits one case; what no shard has read is told as such."""
    said = first.said
    options = analyse.Options(case=out, packs=tuple(said["packs"]), workers=workers, zone=said["timezone"])
    todo = scan.plan(said["paths"])
    reading = scan.Reading(todo, out, options.packs)
    bar.say("judging")
    owners = {parcel: shard for shard in known for parcel in scan.share(todo, shard.number, shard.of).parcels}
    unread = []
    for parcel in reading.missing:
        shard = owners.get(parcel)
        whose = f"shard {shard.number} of {shard.of}, whose share this is," if shard else "no shard"
        unread.append(scan.unread(parcel, f"It was not read: {whose} has not read it."))
    analyse.commit(out, todo, [*reading.summaries(), *unread], options)
    outcome = analyse.judge(str(out), options.packs)
    if not unread:
        reading.index.clean(analyse.kept_parcels(out))
    console.emit(f"{out}\n")
    console.note(f"{outcome.status}: {outcome.sentence}")
