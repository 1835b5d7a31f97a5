"""What may be said on the command line, and the help that teaches it. Imports no heavy library."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from ncclscope import __version__, zones

FORMATS = ("text", "md", "json", "html")
ROWS = ("tsv", "table", "csv", "json")
FAIL_ON = ("critical", "high", "medium")

# Each command: one line for the list, and an example for its own help.
COMMANDS = {
    "report": ("what happened, as text, Markdown, JSON or HTML", "ncclscope report --format md job-48213/ > ticket.md"),
    "scan": ("read evidence into a case, or each job into its own", "ncclscope scan --each -o cases/ /logs/2026-11/"),
    "sql": ("ask a case anything", 'ncclscope sql job-48213/ "SELECT host, count(*) FROM events GROUP BY host"'),
    "explain": ("what a rule or kind means and what to do about it", "ncclscope explain net.link_flap"),
    "check": ("run the samples and rule tests of a pack", "ncclscope check my-pack/"),
    "demo": ("the report of a sample case", "ncclscope demo --list"),
    "parsers": ("what ncclscope reads", "ncclscope parsers"),
    "cache": ("the cases kept, and their size", "ncclscope cache --clean"),
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
    "sql": "Runs one SELECT over the tables of a case; docs/tables.md lists them. Nothing else is allowed.",
    "explain": "Explains a rule (ib-port-down), a kind of finding (net.link_flap) or a kind of event (nccl.comm.init).",
    "check": "Runs what the declarations say of themselves: samples of parsers, tests of rules, labelled sample cases.",
    "demo": "Prints the report of a sample case that ships with ncclscope; without NAME, of a hung job.",
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
    _case(command, "keep the case in DIR, not in the cache")
    _reading(command)
    _packs(command)


def _scan(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs="+", metavar="PATH", help="evidence of one job; with --each, of many")
    _case(command, "the directory of the case, or with --each of all cases", "-o", "--output")
    command.add_argument("--plan", action="store_true", help="only say what would be read")
    command.add_argument("--each", action="store_true", help="one case for each PATH; for each entry of a lone directory")
    _reading(command)
    _packs(command)


def _sql(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs=1, metavar="CASE|PATH", help="the directory of a case, or evidence")
    command.add_argument("query", metavar="SELECT", help="one SELECT")
    command.add_argument("--format", choices=ROWS, default="tsv", help="how to print rows (default: tsv)")
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


def _parsers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--kinds", action="store_true", help="list the kinds of events too")
    _packs(command)


def _cache(command: argparse.ArgumentParser) -> None:
    command.add_argument("--clean", action="store_true", help="delete them")


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
    "sql": _sql,
    "explain": _explain,
    "check": _check,
    "demo": _demo,
    "parsers": _parsers,
    "cache": _cache,
}
