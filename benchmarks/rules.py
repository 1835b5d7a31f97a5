"""How long the rules of a large hung job take, once it has been read.

    python benchmarks/rules.py --megabytes 1700 --ranks 1024
    python benchmarks/rules.py --megabytes 1700 --ranks 16384

The log is the dense one of generate.py, 1,700 MB of which are about ten million rows, and at its end all ranks but one
complain that they waited in the same collective. What is measured begins where reading has ended: the tables that only
the whole case knows, then every rule, folding and the verdict.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import generate

from ncclscope import analyse, packs, rules, scan, views
from ncclscope.case import Case, open_case

LATE = 517
SLOWEST = 5


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=1700, metavar="N", help="size of the log (default: %(default)s)")
    parser.add_argument("--ranks", type=int, default=1024, metavar="N", help="ranks of the job (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes that read (default: %(default)s)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "job.log"
        generate.write_lines(generate.dense(random.Random(generate.SEED), given.ranks), log, int(given.megabytes * 1e6))
        with log.open("a") as file:
            file.writelines(_complaint(rank) for rank in range(given.ranks) if rank != LATE)
        print(f"load before: {os.getloadavg()[0]:.1f}")
        _measure(log, Path(folder) / "case", given.workers)


def _complaint(rank: int) -> str:
    what = "WorkNCCL(SeqNum=4711, OpType=ALLREDUCE, NumelIn=16777216, NumelOut=16777216, Timeout(ms)=600000)"
    said = f"[Rank {rank}] Watchdog caught collective operation timeout: {what} ran for 600053 milliseconds before timing out."
    return f"[rank{rank}]:[E501 13:30:{rank % 60:02d}.384372190 ProcessGroupNCCL.cpp:632] {said}\n"


def _measure(log: Path, directory: Path, workers: int) -> None:
    directory.mkdir()
    began = time.perf_counter()
    todo = scan.plan([str(log)])
    summaries = scan.read_parcels(todo, directory, (), workers)
    scan.write_manifest(directory, todo, summaries, (), 0)
    rows = sum(sum(summary.rows.values()) for summary in summaries)
    print(f"reading  {time.perf_counter() - began:6.2f} s  {rows:,} rows")
    pack = packs.load()
    case = open_case(directory, pack, views.shared())
    began = time.perf_counter()
    analyse.prepare(case)
    print(f"tables   {time.perf_counter() - began:6.2f} s")
    _rules(case, pack)


def _rules(case: Case, pack: packs.Pack) -> None:
    began = time.perf_counter()
    taken = {}
    for rule in pack.rules.values():
        since = time.perf_counter()
        rules.run(case, [rule], set())
        taken[rule.id] = time.perf_counter() - since
    print(f"rules    {time.perf_counter() - began:6.2f} s  {len(taken)} of them; the slowest:")
    for name in sorted(taken, key=lambda rule: -taken[rule])[:SLOWEST]:
        print(f"         {taken[name]:6.2f} s  {name}")


if __name__ == "__main__":
    main()
