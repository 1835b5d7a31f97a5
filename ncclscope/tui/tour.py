"""A tour over the sample incidents: what each step shows, and one line that says what to look at."""

from dataclasses import dataclass
from pathlib import Path

from ncclscope import samples
from ncclscope.case import CaseError
from ncclscope.tui.opening import Scan


@dataclass(frozen=True, slots=True)
class Step:
    """A sample, the screen to show it on, and a hint."""

    sample: str
    screen: str
    hint: str


STEPS = (
    Step("hang-rank-behind", "triage", "A job hung. Line 2 is the answer, next: what to do; enter twice goes to the raw line."),
    Step("hang-rank-behind", "events", "The raw lines, merged by time. n next hit, e next error, i only this kind, u undoes."),
    Step("hang-rank-behind", "timeline", "15 ranks waited (?), one went on alone. hjkl moves, + zooms, a: operations, not time."),
    Step("straggler-thermal", "timeline", "A slow job: temperature and clock of the row's host, in the timeline's own columns."),
    Step("link-flap-ib", "triage", "A link went down for 47 s. + rows are what that caused; enter on one unfolds it."),
    Step("gdr-off-one-node", "timeline", "Logs without times: the columns are phases of start-up. v: rows by host, by communicator."),
    Step("restart-two-attempts", "triage", "Two attempts of one job, named in line 1: { and } step through them."),
    Step("version-mismatch-one-node", "ranks", "One node differs from the others: odd ranks come first, * before them. s sorts."),
    Step("insufficient-one-rank", "triage", "One log of sixteen: too little to blame anybody; line 3 says what would settle it."),
    Step("healthy-16-ranks", "triage", "Alarming lines, and nothing wrong: nobody is blamed. Now: ncclscope YOUR-LOGS. q leaves."),
)
KEYS = ". next  , back"


class Tour:
    """Where the tour stands; the case of each sample is read once, the next one while this one is looked at."""

    def __init__(self) -> None:
        self.place = 0
        self._ahead: Scan | None = None

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return STEPS[self.place]

    @property
    def evidence(self) -> str:
        """What its case is made of."""
        return str(logs(self.step.sample))

    def move(self, by: int) -> bool:
        """To another step; False if there is none that way."""
        found = 0 <= self.place + by < len(STEPS)
        self.place += by if found else 0
        return found

    def line(self) -> tuple[str, str]:
        """Where one is, and the hint."""
        return f"tour {self.place + 1}/{len(STEPS)}", self.step.hint

    def read_ahead(self) -> None:
        """Reads the next sample, so that it opens at once. For a thread."""
        following = next((step.sample for step in STEPS[self.place + 1 :] if step.sample != self.step.sample), None)
        if following is None:
            return
        self._ahead = Scan([str(logs(following))], ())
        try:
            self._ahead.run()
        except (CaseError, OSError):
            # Its step will say why.
            return

    def stop(self) -> None:
        """Nothing goes on behind."""
        if self._ahead is not None:
            self._ahead.stop()


def logs(sample: str) -> Path:
    """The evidence of a sample."""
    return samples.folder() / sample / "logs"
