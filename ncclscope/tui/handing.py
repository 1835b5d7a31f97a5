"""Handing over: attempts, marks, copies, reports."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ncclscope.formats import wording
from ncclscope.tui import clip, zone
from ncclscope.tui.base import Base
from ncclscope.tui.help import Help
from ncclscope.tui.view import Key


class Handing(Base):
    """Keys of the app that take something out of it."""

    def action_attempt(self, by: int) -> None:
        """Another attempt of the job."""
        if self.facts is None:
            return
        numbers = [verdict["attempt"] for verdict in self.facts.verdicts]
        place = numbers.index(self.looking.attempt) + by
        if 0 <= place < len(numbers):
            self.looking.attempt = numbers[place]
            self.looking.finding_id, self.looking.axis = "", None
            self.redraw()

    def toggle_mark(self, key: Key, text: str) -> None:
        """Marks a line, or takes the mark away."""
        if self.looking.marks.pop(key, None) is None:
            self.looking.marks[key] = text
        self.say(wording.count(len(self.looking.marks), "line") + " marked")

    def action_mark(self) -> None:
        """Marks what is under the cursor."""
        if self.here is not None:
            self.here.mark()

    def action_marks(self) -> None:
        """The marked lines."""
        if self.here is not None:
            self.push_screen(Help(self.here, self, [*self.looking.marks.values()] or ["no line is marked; m marks one"]))

    def action_copy(self) -> None:
        """The line."""
        self._copy(0)

    def action_cite(self) -> None:
        """Where to find it again."""
        self._copy(1)

    def _copy(self, which: int) -> None:
        text = self.here.copied()[which] if self.here is not None else ""
        if text and self.facts is not None:
            self.copy_to_clipboard(text)
            kept = clip.keep(self.facts.path, text)
            self.say("sent to terminal clipboard" + (f"; kept in {clip.CLIP} of the case" if kept else ""))
            if kept and f"copied: {kept}" not in self.parting:
                self.parting.append(f"copied: {kept}")

    def action_report(self) -> None:
        """Writes Markdown beside the case."""
        if self.facts is not None:
            self.say("writing the report")
            case, marks, drawn = self.facts.path, list(self.looking.marks.values()), self.drawn
            stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
            self.run_worker(lambda: self._report(lambda: clip.write_report(case, marks, stamp, drawn)), thread=True, group="report")

    def _report(self, write: Callable[[], Path]) -> None:
        try:
            path = write()
        except OSError as error:
            self.call_from_thread(self.say, f"no report: {error}")
            return
        self.call_from_thread(self.say, f"report: {path}")
        self.parting.append(f"report: {path}")

    def action_clock(self) -> None:
        """Relative to T, or by the clock."""
        self.looking.by_clock = not self.looking.by_clock
        self.redraw()

    def action_zone(self) -> None:
        """Times in UTC, in the zone of the logs, in this terminal's."""
        if self.facts is None:
            return
        found = zone.choices(self.facts.zone_us, self.facts.verdict(self.looking.attempt)["began"])
        here = next((i for i, one in enumerate(found) if one.offset_us == zone.shown().offset_us), -1)
        zone.show(found[(here + 1) % len(found)])
        self.redraw()
        self.say(f"times in {zone.shown().name}" + ("; the logs and this terminal are in UTC too" if len(found) == 1 else ""))

    def action_plain(self) -> None:
        """Lines for the terminal's own selection; any key returns."""
        if self.here is None:
            return
        lines = self.here.show_plain()
        with self.suspend():
            os.write(1, ("\n".join(lines) + "\n\n-- enter returns --").encode("utf-8", "backslashreplace"))
            input()
