"""The first screen: what happened, why we think so, and what now."""

from dataclasses import replace
from typing import Any, ClassVar

from textual import on
from textual.widget import Widget

from ncclscope import timeline
from ncclscope.timeline import Axis
from ncclscope.tui import grids, head, paint, stages, stories, zone
from ncclscope.tui.desk import Desk
from ncclscope.tui.facts import Facts
from ncclscope.tui.grid import LABEL, ruler
from ncclscope.tui.grids import GridRow, Making, Picture
from ncclscope.tui.lines import Block, Lines
from ncclscope.tui.paint import Line
from ncclscope.tui.screen import CaseScreen
from ncclscope.tui.stages import Stages
from ncclscope.tui.stories import Proof, Story


class Triage(CaseScreen):
    """Verdict, findings, a small timeline, evidence."""

    PLACE = 1
    ABOUT = "Findings, causes first; + rows are what the cause above them explains. enter shows the evidence, enter again the log."
    HINTS: ClassVar = (
        ("enter", "open"),
        ("tab", "pane"),
        ("2", "timeline"),
        ("/", "search"),
        ("f", "filter"),
        ("y", "copy"),
        ("w", "report"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Story] = []
        self.proofs: list[Proof] = []
        self.known: dict[str, list[Proof]] = {}
        self.opened: set[str] = set()
        self.asked: object = None
        self.herd_rows: list[GridRow] = []
        self.picture: Picture | None = None

    def panes(self) -> list[Widget]:
        """Findings, timeline, evidence."""
        return [Lines("findings"), Lines("timeline"), Lines("evidence")]

    def head_lines(self, width: int, height: int) -> list[Any]:
        """The verdict comes before everything."""
        lines = super().head_lines(width, height)
        facts = self.scope.facts
        if facts is None:
            return [*lines, *self.scope.progress_lines(width)]
        spare = 1 if height < 18 else 2 if height < 30 else 3
        return [
            *lines,
            *head.verdict(facts, self.looking, width, spare + 1 if height >= 20 else spare),
            *head.following(facts, self.looking, width, spare if height >= 24 else 1),
            *head.reading(facts, self.scope.progress if self.scope.scan else "it was interrupted; open the evidence again", width),
            *head.unread(facts, width),
        ]

    def lay_out(self, width: int, height: int) -> None:
        """Findings as many as there are within a third; evidence by its lines; the timeline has the rest."""
        findings, picture, proofs = (self.query_one(f"#{name}", Lines) for name in ("findings", "timeline", "evidence"))
        ready = self.scope.facts is not None
        third = max(height // 3, 3)
        picture.display = ready and width >= 60 and height >= 13
        proofs.display = ready and bool(self.rows) and height >= 8
        findings.set_class(not ready, "hidden")
        findings.styles.height = "1fr" if not (picture.display or proofs.display) else min(max(len(self.rows), 1) + 1, third + 1)
        if picture.display and proofs.display:
            left = height - min(max(len(self.rows), 1) + 1, third + 1)
            need = len(self.herd_rows) + 2 if self.herd_rows else 4
            picture.styles.height = max(min(need, left - min(left // 2, len(self.proofs) + 1 if self.proofs else 5)), 4)
        elif picture.display:
            picture.styles.height = "1fr"
        proofs.styles.height = "1fr"

    def show(self) -> None:
        """Rows of findings, and what belongs to the one under the cursor."""
        facts = self.scope.facts
        assert facts is not None
        found = facts.of(self.looking.attempt)
        self.rows = stories.stories(found, facts.verdict(self.looking.attempt)["finding_id"], self.opened)
        pane = self.query_one("#findings", Lines)
        pane.empty = "no finding: nothing that was checked looks wrong"
        chosen = next((i for i, s in enumerate(self.rows) if self.looking.finding_id in [f["finding_id"] for f in s.findings]), 0)
        pane.fill(
            len(self.rows),
            lambda i, width: stories.row(self.rows[i], width),
            f"findings -- {stories.counts(facts, found)}",
            pane.cursor if self.looking.finding_id == "" else self._kept(pane, chosen),
        )
        if self.focused is None:
            pane.focus()
        self.choose()

    def _kept(self, pane: Lines, chosen: int) -> int:
        here = self.rows[pane.cursor] if pane.cursor < len(self.rows) else None
        return pane.cursor if here and self.looking.finding_id in [f["finding_id"] for f in here.findings] else chosen

    def choose(self) -> None:
        """The finding under the cursor becomes the subject of every screen."""
        facts = self.scope.facts
        assert facts is not None
        pane = self.query_one("#findings", Lines)
        if self.rows:
            story = self.rows[pane.cursor]
            stories.choose(self.looking, story, self.scope.zero_us)
            self._show_proofs(facts, story)
        self._ask_picture(facts)
        self._lay_out_again()

    # -- evidence -----------------------------------------------------------------------------------------------------

    def _show_proofs(self, facts: Facts, story: Story) -> None:
        if story.name in self.known:
            self.answer_evidence((story.name, self.known[story.name]))
        else:
            self.look_up("evidence", _proofs, dict(facts.names), story)

    def answer_evidence(self, value: tuple[str, list[Proof]]) -> None:
        """The evidence is here."""
        name, self.proofs = value
        self.known[name] = self.proofs
        pane = self.query_one("#evidence", Lines)
        keys = [proof.key for proof in self.proofs]
        cursor = keys.index(self.looking.key) if self.looking.key in keys else 0
        pane.fill(len(self.proofs), self._proof, cursor=cursor)
        self._name_proof()
        self._lay_out_again()

    def _lay_out_again(self) -> None:
        around = sum(len(self.query_one(name, Block).lines) for name in ("#head", "#tour"))
        self.lay_out(self.size.width, self.size.height - around - 2)

    def _proof(self, index: int, width: int) -> Line:
        proof = self.proofs[index]
        return stories.proof_row(proof, proof.key in self.looking.marks, width)

    def _name_proof(self) -> None:
        pane = self.query_one("#evidence", Lines)
        if self.proofs:
            story = self.rows[self.query_one("#findings", Lines).cursor]
            total = sum(f["evidence_total"] for f in story.findings)
            pane.below = stories.details(story, self.proofs[pane.cursor], self.size.width)
            pane.rename(stories.proof_title(self.proofs[pane.cursor], pane.cursor + 1, len(self.proofs), total, self.size.width))

    # -- the small timeline -------------------------------------------------------------------------------------------

    def _ask_picture(self, facts: Facts) -> None:
        look = replace(self.looking.look, with_groups=False)
        wanted = (facts.path, self.scope.generation, self.looking.attempt, self.size.width, look)
        if wanted != self.asked:
            self.asked = wanted
            self.query_one("#timeline", Lines).empty = "drawing"
            verdict = facts.verdict(self.looking.attempt)
            self.look_up("picture", grids.picture, self.looking.attempt, verdict, self.size.width - LABEL, look)
        elif self.picture is not None:
            self.answer_picture(self.picture)

    def answer_picture(self, picture: Picture | None) -> None:
        """The timeline is here."""
        facts = self.scope.facts
        pane = self.query_one("#timeline", Lines)
        if picture is None or facts is None:
            self.herd_rows = []
            pane.above = []
            pane.empty = "no line of a rank has a time or an order"
            pane.fill(0, lambda i, width: paint.EMPTY, "timeline -- no times")
            return
        self.picture = picture
        self.herd_rows = grids.rows(picture, facts, Making(max(self.size.height // 4, 5), self.looking.ranks, hosts=self.looking.hosts))
        self._lay_out_again()
        room = pane.styles.height.value if pane.styles.height and pane.styles.height.is_cells else self.size.height
        self.herd_rows = grids.most(self.herd_rows, int(room) - 2)
        labels, title = self._columns(picture.axis)
        pane.above = [paint.line(" " * LABEL, paint.Span(labels, "dim"))]
        chosen = next((i for i, row in enumerate(self.herd_rows) if row.is_chosen), 0)
        self.scope.drawn = paint.text_of([*pane.above, *(grids.line(row, LABEL) for row in self.herd_rows)])
        pane.fill(len(self.herd_rows), self._herd, cursor=chosen, title=f"timeline -- {title} -- = working ? waiting X error")

    def _columns(self, axis: Axis | Stages) -> tuple[str, str]:
        """The ruler, and what a column is."""
        if isinstance(axis, Stages):
            at = f" -- T is {axis.zero}" if axis.zero is not None else ""
            what = paint.safe(f"operations of {axis.comm}" if axis.numbers else "phases of start-up", limit=40).text
            return stages.ruler(axis)[0], f"{what}{at}"
        zero = self.looking.zero_us
        at = f" -- T is {timeline.clock(zero + zone.shown().offset_us)}" if zero is not None else ""
        return ruler(axis, None if self.looking.by_clock else zero)[0], f"{timeline.duration(axis.width_us)} a column{at}"

    def _herd(self, index: int, width: int) -> Line:
        del width
        return grids.line(self.herd_rows[index], LABEL)

    # -- keys ---------------------------------------------------------------------------------------------------------

    @on(Lines.Moved, "#findings")
    def _chose(self) -> None:
        self.choose()

    @on(Lines.Moved, "#evidence")
    def _looked(self) -> None:
        pane = self.query_one("#evidence", Lines)
        if self.proofs:
            proof = self.proofs[pane.cursor]
            self.looking.key = proof.key
            at = proof.event.get("at_us", -1)
            self.looking.moment_us = at if at >= 0 else self.looking.moment_us
        self._name_proof()

    @on(Lines.Opened)
    def _opened(self, message: Lines.Opened) -> None:
        message.stop()
        if message.lines.id == "findings":
            story = self.rows[message.lines.cursor]
            if len(story.findings) > 1:
                self.opened ^= {story.name}
                self.show()
            elif self.query_one("#evidence").display:
                self.query_one("#evidence", Lines).focus()
            else:
                self._to_events()
        elif message.lines.id == "timeline":
            self.scope.go("timeline")
        else:
            self._to_events()

    def _to_events(self) -> None:
        if self.proofs:
            self.looking.key = self.proofs[self.query_one("#evidence", Lines).cursor].key
            self.scope.go("events")

    def back(self) -> bool:
        """From a pane to the findings."""
        pane = self.query_one("#findings", Lines)
        if self.focused is pane:
            return False
        pane.focus()
        return True

    def copied(self) -> tuple[str, str]:
        """A finding, or a line of evidence."""
        pane = self.focused
        if isinstance(pane, Lines) and pane.id == "evidence" and self.proofs:
            proof = self.proofs[pane.cursor]
            return proof.original or proof.text, stories.citation(proof)
        if not self.rows:
            return "", ""
        story = self.rows[self.query_one("#findings", Lines).cursor]
        return story.text, "\n".join([story.text, *(stories.citation(proof) for proof in self.proofs)])

    def mark(self) -> None:
        """Marks a line of evidence."""
        pane = self.query_one("#evidence", Lines)
        if self.proofs:
            self.scope.toggle_mark(self.proofs[pane.cursor].key, stories.citation(self.proofs[pane.cursor]))
            pane.refresh()

    def search(self, pattern: str, by: int) -> None:
        """Findings and evidence are searched as they are shown."""
        pane = self.focused if isinstance(self.focused, Lines) else self.query_one("#findings", Lines)
        self.scope.search_lines(pane, pattern, by)

    def subject(self) -> list[str]:
        """The ranks or hosts of the finding."""
        if not self.rows:
            return []
        first = self.rows[self.query_one("#findings", Lines).cursor].findings[0]
        words = [f"rank:{timeline.ranges(first['ranks']).replace(' ', ',')}"] if first["ranks"] else []
        return [*words, *([f"host:{','.join(first['hosts'])}"] if first["hosts"] else [])]


def _proofs(desk: Desk, names: dict[int, str], story: Story) -> tuple[str, list[Proof]]:
    return story.name, stories.proofs(desk, names, story.findings)
