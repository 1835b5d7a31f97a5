"""Runs one command and turns what went wrong into an exit status and a sentence."""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence

from ncclscope import arguments, console
from ncclscope.commands import DEFECT, DONE, INTERRUPTED, NOTHING, USAGE, UsageError


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status. Commands are imported when they run, so that help is instant."""
    args = arguments.parse(sys.argv[1:] if argv is None else argv)
    try:
        status: int = importlib.import_module(f"ncclscope.commands.{args.command}").run(args)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        console.note("ncclscope: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the result has seen enough. Python flushes stdout once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """Says what happened. What has no name here is a defect, with a traceback."""
    from ncclscope.case import CaseError
    from ncclscope.packs import PackError
    from ncclscope.walk import SourceError

    known = (
        (UsageError, USAGE, ""),
        (PackError, USAGE, "mend it or leave that pack out"),
        (CaseError, NOTHING, "scan the evidence again, into another directory if need be"),
        (SourceError, NOTHING, "name a file, a directory or an archive that is there"),
    )
    for kind, status, advice in known:
        if isinstance(error, kind):
            said = str(error).rstrip(".")
            console.note(f"ncclscope: {said}; {advice}." if advice else f"ncclscope: {said}")
            return status
    if isinstance(error, OSError) and error.filename:
        console.note(f"ncclscope: {error.filename}: {error.strerror}")
        return DEFECT
    traceback.print_exc()
    console.note("ncclscope: this is a defect of ncclscope; please report it with the lines above")
    return DEFECT
