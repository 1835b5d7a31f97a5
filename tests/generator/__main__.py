"""Command line of the generator."""

import argparse
from pathlib import Path

from tests.generator.build import build, save
from tests.generator.job import FRAMEWORKS, LAYOUTS, STACKS, Options
from tests.generator.story import FAULTS


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.generator", description="Makes a job directory with a known fault and its label."
    )
    parser.add_argument("fault", nargs="?", choices=sorted(FAULTS), metavar="FAULT", help="what goes wrong; --list shows all")
    parser.add_argument("--list", action="store_true", help="list the faults")
    parser.add_argument("--ranks", type=int, default=16, help="processes in the job")
    parser.add_argument("--hosts", type=int, default=2, help="machines; ranks are spread evenly")
    parser.add_argument("--seed", type=int, default=0, help="another job with the same fault")
    parser.add_argument("--skew", type=float, default=0.0, metavar="S", help="host clocks differ by up to so many seconds")
    parser.add_argument("--drop", type=float, default=0.0, metavar="SHARE", help="share of the ranks' logs that are not given")
    parser.add_argument("--torn", type=float, default=0.0, metavar="SHARE", help="share of the console's lines cut in the middle")
    parser.add_argument("--zone", type=int, metavar="H", help="zone of the hosts' clocks, hours from UTC")
    parser.add_argument("--restart", action="store_true", help="an earlier attempt failed otherwise")
    parser.add_argument("--terse", action="store_true", help="no channel lines, no telemetry: small")
    parser.add_argument("--calm", action="store_true", help="no unrelated alarming lines")
    parser.add_argument("--layout", choices=LAYOUTS, help="where the logs go")
    parser.add_argument("--framework", choices=FRAMEWORKS, help="who prints the steps")
    parser.add_argument("--torch", choices=[one[0] for one in STACKS], help="version of torch, with its NCCL")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="where to write logs/ and expect.json")
    args = parser.parse_args()
    if args.list or not args.fault or not args.output:
        print("\n".join(sorted(FAULTS)))
        return
    options = Options(
        args.fault,
        args.ranks,
        args.hosts,
        args.seed,
        args.skew,
        args.drop,
        args.torn,
        not args.calm,
        args.zone,
        args.restart,
        args.terse,
        args.layout,
        args.framework,
        args.torch,
    )
    save(*build(options), args.output)


if __name__ == "__main__":
    main()
