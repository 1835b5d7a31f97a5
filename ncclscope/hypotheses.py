"""What may have happened, at most three ways, each with what speaks for it, what against, and what would settle it.

The first is the verdict's. Everything is taken from findings: nothing is claimed here that a rule did not see.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from ncclscope import vocabulary

MOST = 3
_SETTLING = 2
# Clocks of hosts agree to a few seconds where nothing is known of them.
_CLOCK = timedelta(seconds=5)

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A cause that stands, ids of the findings that speak for it, sentences against it, and steps that would settle it."""

    finding_id: str
    sentence: str
    confidence: str
    speaks_for: tuple[str, ...]
    against: tuple[str, ...]
    settle: tuple[str, ...]


def of(found: Sequence[Row], top: str | None, missing: Sequence[str], weakened: Mapping[str, str] | None = None) -> list[Hypothesis]:
    """The hypotheses for one attempt: `found` are its findings, in order, and `top` is the id of the verdict's.

    `weakened` says of findings, by their id, which missing evidence makes them less sure.
    """
    standing = [f for f in found if f["role"] == "cause" and f["explained_by"] is None]
    standing.sort(key=lambda f: (f["finding_id"] != top, vocabulary.CONFIDENCES.index(f["confidence"])))
    return [_hypothesis(f, found, standing, missing, (weakened or {}).get(f["finding_id"])) for f in standing[:MOST]]


def _hypothesis(cause: Row, found: Sequence[Row], standing: Sequence[Row], missing: Sequence[str], lacks: str | None) -> Hypothesis:
    mine = cause["finding_id"]
    steps = [line.strip() for line in cause["advice"].splitlines() if line.strip()][:_SETTLING]
    wanted = [] if cause["confidence"] == "certain" else list(missing[:_SETTLING])
    return Hypothesis(
        finding_id=mine,
        sentence=cause["summary"],
        confidence=cause["confidence"],
        speaks_for=(mine, *(f["finding_id"] for f in found if f["explained_by"] == mine)),
        against=tuple(_against(cause, found, standing, lacks)),
        settle=(*steps, *wanted),
    )


def _against(cause: Row, found: Sequence[Row], standing: Sequence[Row], lacks: str | None) -> list[str]:
    out = [lacks] if lacks else []
    if cause["either"]:
        out.append("The evidence names more than one place and does not tell which of them.")
    elif cause["confidence"] == "possible" and not lacks:
        out.append("The lines fit, and would also fit something harmless or another cause.")
    for other in standing:
        earlier = other["began"] is not None and cause["began"] is not None and other["began"] < cause["began"] - _CLOCK
        if other is not cause and earlier:
            seconds = (cause["began"] - other["began"]).total_seconds()
            out.append(f"Something else had begun {seconds:,.0f} s before: {other['summary']}.")
    out += [
        f"It does not explain this: {f['summary']}."
        for f in found
        if f["role"] == "symptom" and f["severity"] != "info" and f["explained_by"] is None
    ]
    return out[:MOST]
