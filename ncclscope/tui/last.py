"""What was looked at last: a line that `ncclscope resume` opens, kept beside the cases of the cache."""

import json
import os
import tempfile
from pathlib import Path

from ncclscope.tui.opening import Wanted

NAME = "last-session.json"
# What is being looked at is written down so often: a dropped connection costs no more.
EVERY_S = 5.0


def path() -> Path:
    """The file; it may not be there."""
    base = os.environ.get("XDG_CACHE_HOME") or (os.path.join(os.environ["HOME"], ".cache") if os.environ.get("HOME") else "")
    return Path(base or tempfile.gettempdir()) / "ncclscope" / NAME


def keep(wanted: Wanted, case: Path | None) -> None:
    """Notes what is shown; where that cannot be written, nothing is."""
    content = {
        "case": str(case.resolve()) if case else "",
        "cases": [str(one.resolve()) for one in wanted.cases] if wanted.is_folder else [],
        "evidence": [name if name == "-" else os.path.abspath(name) for name in wanted.evidence],
        "options": list(wanted.options),
        "follow": wanted.follow,
    }
    target = path()
    half = target.with_suffix(f".{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(json.dumps(content), "utf-8")
        half.replace(target)
    except OSError:
        return


def wanted() -> Wanted | None:
    """What the last session showed, to be shown again; None where there was none or its case is gone."""
    try:
        content = json.loads(path().read_text("utf-8"))
        case, evidence = str(content["case"]), tuple(str(name) for name in content["evidence"])
        options, cases = tuple(str(word) for word in content["options"]), tuple(Path(str(name)) for name in content["cases"])
        follow = bool(content["follow"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if follow and evidence and "-" not in evidence and all(os.path.exists(name) for name in evidence):
        return Wanted((), evidence, options, follow=True, resume=case)
    if case and not Path(case).is_dir():
        case = ""
    if not case and not cases:
        return None
    return Wanted(cases or (Path(case),), is_folder=bool(cases), resume=case)
