"""A first verdict while reading goes on: from what is read so far, and marked as such."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ncclscope import analyse, glance, scan
from ncclscope.executors import Crew
from ncclscope.summaries import Summary

# In the case while its verdict is about a part of the evidence only: bytes read, of how many, and `ends` if they are the
# beginnings and ends of files.
MARK = "reading"
# The first verdict is worth having after some seconds; later ones come so far apart that judging takes a fifth of the time.
FIRST_S, PAUSE_S, SHARE = 4.0, 20.0, 4


class Early:
    """Judges what is read so far. `say` is told the directory of the case after each time."""

    def __init__(self, options: analyse.Options, say: Callable[[Path], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._options, self._say, self._clock = options, say, clock
        self._due = clock() + FIRST_S

    def begin(self, reading: scan.Reading, case: Path, crew: Crew) -> None:
        """Before anything is read: judges by the beginnings and ends of the files, where there is much to read."""
        packs = self._options.packs
        ends = glance.plan(reading.todo, packs) if reading.bytes_left > glance.WORTH_BYTES else None
        if ends is not None:
            found = scan.Reading(ends, case, packs).run(crew)
            self._judge(case, ends, glance.bridged(found), f"{sum(map(scan.size, ends.parcels))} {reading.bytes_total} ends")

    def __call__(self, reading: scan.Reading, case: Path) -> None:
        """Judges, if it is time to and something is left to read."""
        if not reading.left:
            (case / MARK).unlink(missing_ok=True)
            return
        found = whole(reading) if self._clock() >= self._due else []
        if found:
            self._judge(case, reading.todo, found, f"{reading.bytes_total - reading.bytes_left} {reading.bytes_total}")

    def _judge(self, case: Path, todo: scan.Plan, found: Sequence[Summary], mark: str) -> None:
        began = self._clock()
        (case / MARK).write_text(mark)
        analyse.commit(case, todo, found, self._options)
        analyse.judge(str(case), self._options.packs, is_whole=False)
        ended = self._clock()
        self._due = ended + max(PAUSE_S, SHARE * (ended - began))
        self._say(case)


def whole(reading: scan.Reading) -> list[Summary]:
    """What is read up to the first gap of each source: lines after a gap could not be numbered."""
    found = reading.summaries()
    read = {(piece.file_id, piece.start) for summary in found for piece in summary.pieces}
    gaps: dict[int, int] = {}
    for parcel in reading.todo.parcels:
        for piece in parcel.pieces:
            name = piece.source.file_id
            if (name, piece.start) not in read:
                gaps[name] = min(piece.start, gaps.get(name, piece.start))
    return [one for one in found if all(piece.start < gaps.get(piece.file_id, piece.start + 1) for piece in one.pieces)]
