"""What may be said on the command line, and the help that teaches it. Imports no heavy library."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ncclscope import __version__, narrow, zones

FORMATS = ("text", "md", "json", "html")
ROWS = ("tsv", "table", "csv", "json")
FAIL_ON = ("critical", "high", "medium")

# Each command: one line for the list, and an example for its own help.
COMMANDS = {
    "report": ("what happened, as text, Markdown, JSON or HTML", "ncclscope report --format md job-48213/ > ticket.md"),
    "scan": ("read evidence into a case, or each job into its own", "ncclscope scan --each -o cases/ /logs/2026-11/"),
    "merge": ("commit what the shards of a scan have read", "ncclscope merge cases/"),
    "status": ("what of a batch or of shards is done, failed or absent", "ncclscope status cases/"),
    "fleet": ("which host, GPU or NIC keeps coming back over many cases", "ncclscope fleet cases/"),
    "diff": ("what a bad run has that a good one has not", "ncclscope diff job-48213/ job-48217/"),
    "sql": ("ask a case anything", 'ncclscope sql job-48213/ "SELECT host, count(*) FROM events GROUP BY host"'),
    "explain": ("what a rule or kind means and what to do about it", "ncclscope explain net.link_flap"),
    "check": ("run the samples and rule tests of a pack", "ncclscope check my-pack/"),
    "demo": ("a tour over sample incidents, or the report of one", "ncclscope demo --list"),
    "resume": ("open the application where it was last left", "ncclscope resume"),
    "parsers": ("what ncclscope reads", "ncclscope parsers"),
    "cache": ("the cases kept, and their size", "ncclscope cache --clean --older 30"),
}
OPEN = "open"

_TOP = """\
usage: ncclscope PATH...      what happened to this job?
       ncclscope COMMAND ...  one of the commands below; each has --help
       ncclscope --help | --version

Reads what a hung, crashed or slow training job left behind - NCCL and PyTorch
logs, flight-recorder dumps, kernel and Slurm logs, nvidia-smi output - and says
what most likely happened, which lines say so and what to do next. PATH is a
file, a directory, a tar or zip archive, or - for standard input. Nothing leaves
this machine.

first commands
  woken up by a hung job
      ncclscope /shared/logs/job-48213
      ncclscope report --format md job-48213.tar.gz > ticket.md
  looking after the cluster
      ncclscope report --fail-on high --format json /var/log/job-48213
      ncclscope scan --each -o cases/ /shared/logs/2026-11/
  chasing a slow or failing run of your own
      ncclscope sql run-7/ "SELECT rank, avg(step_ms) FROM steps GROUP BY ALL"
      ncclscope explain perf.straggler
  nothing at hand
      ncclscope demo

commands
{commands}

exit status
  0    done                             3    done, but a file was not read whole
  1    a finding at or above --fail-on  4    nothing usable in the input
  2    wrong usage                      70   a defect; 130 interrupted
"""


class _Top(argparse.ArgumentParser):
    """The program itself, with a help text that teaches."""

    def format_help(self) -> str:
        listed = "\n".join(f"  {name:<10} {summary}" for name, (summary, _) in COMMANDS.items())
        return _TOP.format(commands=listed)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments, with `command`. Ends the program for --help, --version and wrong usage (status 2)."""
    top = _parser()
    words = list(argv)
    if not words:
        top.error("name a file or directory to read, or try: ncclscope demo")
    if words[0] not in (*COMMANDS, "-h", "--help", "--version"):
        words = [OPEN, *words]
    return top.parse_args(words)


def _parser() -> argparse.ArgumentParser:
    top = _Top(prog="ncclscope", usage="ncclscope PATH... | ncclscope COMMAND ... | ncclscope --help")
    top.add_argument("--version", action="version", version=f"ncclscope {__version__}")
    commands = top.add_subparsers(dest="command", required=True, parser_class=argparse.ArgumentParser)
    for name, add in _ADD.items():
        _, example = COMMANDS.get(name, ("", "ncclscope /shared/logs/job-48213"))
        shown = "ncclscope" if name == OPEN else f"ncclscope {name}"
        command = commands.add_parser(
            name,
            prog=shown,
            description=_DESCRIPTIONS[name],
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add(command)
    return top


_DESCRIPTIONS = {
    OPEN: "Reads PATH and shows what happened: in a terminal as an application, else as the text report.",
    "report": "Reads PATH, unless it is a case already, and prints what happened.",
    "scan": "Reads PATH into a case and prints the directory of the case. What was read before is not read again.",
    "merge": "Commits the cases that the shards of `scan --shard` have read into DIR, and says which shards are absent.",
    "status": "Says of a folder of cases or of shards what is done, what failed and what is absent. Reads no evidence.",
    "fleet": (
        "Tells over a folder of cases which hosts, GPUs and devices were named as the culprit more often than chance would\n"
        "have it, given how often each was used and how many were looked at."
    ),
    "diff": "Prints what the run BAD has that the run GOOD has not, and the other way round; both are cases or evidence.",
    "sql": "Runs one SELECT over the tables of a case; docs/tables.md lists them. Nothing else is allowed.",
    "explain": "Explains a rule (ib-port-down), a kind of finding (net.link_flap) or a kind of event (nccl.comm.init).",
    "check": "Runs what the declarations say of themselves: samples of parsers, tests of rules, labelled sample cases.",
    "resume": "Opens the case of the last session in a terminal, on its screen, with its cursor, filter and marks.",
    "demo": "Leads through sample incidents in a terminal; with NAME, or without a terminal, prints the report of one.",
    "parsers": "Lists the formats that are read, from their declarations.",
    "cache": "Lists the cases kept for the next time, newest first.",
}


def _open(command: argparse.ArgumentParser) -> None:
    _report(command)
    command.add_argument("--filter", action="append", metavar="WORD", help="begin with this filter (in a terminal)")
    command.add_argument("--follow", action="store_true", help="go on reading what is written (in a terminal)")
    command.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")


def _report(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs="+", metavar="PATH", help="evidence, or the directory of a case")
    command.add_argument("--format", choices=FORMATS, default="text", help="how to print it (default: text)")
    command.add_argument("--fail-on", choices=FAIL_ON, help="exit with 1 if a finding is at least this severe")
    _narrowing(command)
    _case(command, "keep the case in DIR, not in the cache")
    _reading(command)
    _packs(command)


def _scan(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("paths", nargs="+", metavar="PATH", help="evidence of one job; with --each, of many")
    _case(command, "the directory of the case, or with --each of all cases", "-o", "--output")
    add("--plan", action="store_true", help="only list jobs, files, bytes and about how long they will take")
    add("--early", action="store_true", help="print the directory after a first verdict too, while reading goes on")
    add("--each", action="store_true", help="one case for each job found; what did not change is not read again")
    add(
        "--group-by",
        metavar="WAY",
        help="how jobs are told apart: auto, entry, directory, archive, slurm, run, or a pattern whose group names the job",
    )
    _times(command, "only jobs whose files were last written")
    add("--job", action="append", default=[], metavar="ID", help="with --each: only this job, by its name or id")
    add("--new", action="store_true", help="with --each: print only the cases that are new or have changed")
    add("--shard", type=_shard, metavar="I/N", help="read the I-th of N shares, for `ncclscope merge` to commit")
    _reading(command)
    add("--dask", metavar="ADDRESS", help="read on a dask cluster: tcp://host:port or a scheduler file")
    add("--memory", type=_bytes, metavar="SIZE", help="what all processes may hold together, as 8G")
    add("--nice", type=int, default=0, metavar="N", help="give way to other processes, as nice does")
    add("--timeout", type=_seconds, metavar="SECONDS", help="the work that one job may take")
    add("--json-lines", action="store_true", help="say on stdout what goes on, one JSON object a line")
    _packs(command)


def _merge(command: argparse.ArgumentParser) -> None:
    command.add_argument("dir", type=Path, metavar="DIR", help="where the shards wrote to")
    command.add_argument("--workers", type=_positive, metavar="N", help="processes that judge (default: one a core)")


def _status(command: argparse.ArgumentParser) -> None:
    command.add_argument("dir", type=Path, metavar="DIR", help="a folder of cases, or where shards write to")
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to print it (default: text)")


def _fleet(command: argparse.ArgumentParser) -> None:
    command.add_argument("dir", type=Path, metavar="DIR", help="a folder of cases")
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to print it (default: text)")
    command.add_argument("--top", type=_positive, default=10, metavar="N", help="how many of each level (default: 10)")


def _diff(command: argparse.ArgumentParser) -> None:
    command.add_argument("good", metavar="GOOD", help="the case or evidence to compare with")
    command.add_argument("bad", metavar="BAD", help="the case or evidence in question")
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to print it (default: text)")
    command.add_argument("--all", action="store_true", help="print every difference, not the first of each kind")
    command.set_defaults(case=None)
    _reading(command)
    _packs(command)


def _sql(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs=1, metavar="CASE|PATH", help="the directory of a case, or evidence")
    command.add_argument("query", metavar="SELECT", help="one SELECT")
    command.add_argument("--format", choices=ROWS, default="tsv", help="how to print rows (default: tsv)")
    _narrowing(command)
    _case(command, "keep the case in DIR, not in the cache")
    _reading(command)
    _packs(command)


def _explain(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="RULE|KIND", help="as reports and `ncclscope parsers` print it")
    _packs(command)


def _check(command: argparse.ArgumentParser) -> None:
    command.add_argument("pack", nargs="?", metavar="PACK", help="a directory with parsers/ and rules/ (default: what ships)")
    command.add_argument("--parsers", action="store_true", help="only the samples of parsers")
    command.add_argument("--rules", action="store_true", help="only the tests of rules")
    command.add_argument("--only", default="", metavar="TEXT", help="only declarations with TEXT in their path")
    command.add_argument("--corpus", action="store_true", help="judge labelled cases instead, and count")
    command.add_argument("--cases", metavar="DIR", help="where the labelled cases are (default: the samples)")


def _demo(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", nargs="?", metavar="NAME", help="a sample of --list")
    command.add_argument("--list", action="store_true", help="list the samples")
    command.add_argument("--format", choices=FORMATS, default="text", help="how to print it (default: text)")


def _resume(command: argparse.ArgumentParser) -> None:
    command.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")


def _parsers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--kinds", action="store_true", help="list the kinds of events too")
    _packs(command)


def _cache(command: argparse.ArgumentParser) -> None:
    command.add_argument("--clean", action="store_true", help="delete them, but for those that are being written")
    command.add_argument("--older", type=float, metavar="DAYS", help="only those not used for so many days")


def _narrowing(command: argparse.ArgumentParser) -> None:
    _times(command, "only what happened")
    add = command.add_argument
    add("--rank", action="append", default=[], type=_ranks, metavar="N", help="only these ranks: 3 or 512-519,530")
    add("--host", action="append", default=[], metavar="NAME", help="only this host")
    add("--job", action="append", default=[], metavar="ID", help="of a folder of cases or jobs only this job")


def _times(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument("--since", type=_time, metavar="TIME", help=f"{what} since then: 2026-11-30T03:10, in UTC")
    command.add_argument("--until", type=_time, metavar="TIME", help=f"{what} before then")


def _case(command: argparse.ArgumentParser, text: str, *more: str) -> None:
    command.add_argument("--case", *more, type=Path, metavar="DIR", help=text)


def _reading(command: argparse.ArgumentParser) -> None:
    command.add_argument("--workers", type=_positive, metavar="N", help="processes that read (default: one a core)")
    command.add_argument(
        "--timezone", type=_zone, default="", metavar="ZONE", help="of times that state none: Europe/Berlin or +02:00"
    )


def _packs(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--pack", dest="packs", action="append", type=_pack(""), default=[], metavar="DIR", help="more parsers and rules")
    add("--parsers", dest="packs", action="append", type=_pack("parsers:"), metavar="DIR", help="more parsers only")
    add("--rules", dest="packs", action="append", type=_pack("rules:"), metavar="DIR", help="more rules only")


def _pack(half: str) -> Callable[[str], str]:
    return lambda text: f"{half}{Path(text).absolute()}"


def _positive(text: str) -> int:
    value = int(text) if text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return value


def _time(text: str) -> str:
    return str(_checked(text, lambda text: narrow.moment(text).isoformat()))


def _ranks(text: str) -> str:
    _checked(text, lambda text: narrow.ranks([text]))
    return text


def _checked(text: str, read: Callable[[str], Any]) -> Any:
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _shard(text: str) -> tuple[int, int]:
    number, slash, of = text.partition("/")
    if not (slash and number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a share such as 3/8")
    return int(number), int(of)


def _bytes(text: str) -> int:
    scale = {"k": 10, "m": 20, "g": 30, "t": 40}
    digits = text.lower().removesuffix("b").removesuffix("i")
    unit = scale.get(digits[-1:], 0)
    digits = digits[:-1] if unit else digits
    try:
        return int(float(digits) * (1 << unit))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 8G") from None


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return value


def _zone(text: str) -> str:
    try:
        zones.offset_us(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


_ADD: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    OPEN: _open,
    "report": _report,
    "scan": _scan,
    "merge": _merge,
    "status": _status,
    "fleet": _fleet,
    "diff": _diff,
    "sql": _sql,
    "explain": _explain,
    "check": _check,
    "demo": _demo,
    "resume": _resume,
    "parsers": _parsers,
    "cache": _cache,
}
