"""The table `clocks`: hosts whose times are ahead of the others', which are moved to them."""

from collections.abc import Sequence

from ncclscope import attempts, offsets
from ncclscope.case import Case
from ncclscope.derived import pieces
from ncclscope.derived.source import Source


def write(case: Case, found: Sequence[Source]) -> None:
    """Times of hosts whose clock or zone is wrong are moved to those of the others; attempts are separated anew by them."""
    measured = offsets.measure(case)
    case.write("clocks", [[o.host, o.zone_us, o.skew_us, o.error_us, o.meetings] for o in measured])
    wrong = {offset.host: offset for offset in measured if offset.zone_us or offset.skew_us}
    for source in found:
        if offset := wrong.get(source.host or ""):
            source.zone_us += offset.zone_us
            source.skew_us = offset.skew_us
    if wrong:
        pieces.write(case, found)
        attempts.separate(case)
