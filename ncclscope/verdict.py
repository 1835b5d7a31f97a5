"""Findings to one verdict for each attempt: what may be said, and not a word more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ncclscope import findings as fi
from ncclscope import vocabulary
from ncclscope.findings import Finding


@dataclass(frozen=True, slots=True)
class Evidence:
    """What there is to judge an attempt by; see `tables` for where it comes from."""

    attempt: int
    began: datetime | None
    ended: datetime | None
    sources: int
    checks: int
    # Something shows that work went on (steps, operations, benchmark rows) or ended well, not only that it started.
    worked: bool
    # Telemetry of it is there, which idle hosts give too.
    measured: bool
    # The job itself says something, not only its hosts and the network between them.
    spoke: bool
    # Lines that nothing explains may hide anything when hardly a line was understood.
    recognised: int
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One row of the table `verdicts`, with the finding behind it."""

    attempt: int
    began: datetime | None
    ended: datetime | None
    status: str
    sentence: str
    finding: Finding | None
    next: tuple[str, ...]
    # Something shows that work went on in the attempt.
    worked: bool = True

    @property
    def kind(self) -> str:
        """Kind of the finding behind it; empty without one."""
        return self.finding.kind if self.finding else ""


def judge(found: Sequence[Finding], evidence: Evidence) -> Verdict:
    """The verdict for one attempt."""
    mine = [f for f in found if f.attempt == evidence.attempt]
    standing = sorted((f for f in mine if f.role == "cause" and f.explained_by is None), key=fi.strength)
    loud = [f for f in mine if f.severity != "info"]
    requested = [f for f in standing if vocabulary.family(f.kind) in vocabulary.BY_REQUEST]
    others = [f for f in standing if vocabulary.family(f.kind) not in vocabulary.BY_REQUEST]
    if requested and (not others or _nothing_before(requested[0], others)):
        return _verdict(evidence, "ended_by_request", requested[0])
    standing = others
    if standing:
        top = standing[0]
        return _verdict(evidence, _status(top), top)
    # That a launcher saw its processes fail says least of all.
    symptoms = sorted((f for f in loud if f.role == "symptom"), key=lambda f: (f.kind.startswith("launcher."), *fi.order(f)))
    if symptoms:
        return _verdict(evidence, "symptoms_only", symptoms[0])
    context = [f for f in loud if f.role == "context"]
    if context:
        return _verdict(evidence, "symptoms_only", sorted(context, key=fi.order)[0])
    if not evidence.recognised or not (evidence.worked or evidence.measured):
        return _plain(evidence, "insufficient", _thin(evidence))
    counted = f"{evidence.sources} source{'s' * (evidence.sources != 1)}, {evidence.checks} checks"
    return _plain(evidence, "healthy", f"Nothing wrong in the evidence given: {counted}.")


def so_far(judged: Verdict) -> Verdict:
    """The verdict while evidence is still being read: what is not read yet may change any of it."""
    if judged.status == "healthy":
        return replace(judged, status="insufficient", sentence="Nothing wrong in what is read so far.")
    return replace(judged, status="suspect") if judged.status in ("cause_found", "ended_by_request") else judged


def _status(top: Finding) -> str:
    suspect = top.either or top.confidence == "possible" or vocabulary.family(top.kind) in vocabulary.SUSPECT_ONLY
    return "suspect" if suspect else "cause_found"


def _nothing_before(request: Finding, others: Sequence[Finding]) -> bool:
    """A job that had failed before somebody ended it was not ended by request; nor, mostly, was one that had become slow.

    Preemption does not ask how a job is doing: only a failure counts there.
    """
    for other in others:
        if request.kind.startswith("sched.preempted") and other.severity not in ("critical", "high"):
            continue
        if other.confidence == "possible" or other.either:
            continue
        if request.began is None or other.began is None or other.began < request.began:
            return False
    return True


def _verdict(evidence: Evidence, status: str, top: Finding) -> Verdict:
    steps = [line.strip() for line in top.advice.split("\n") if line.strip()]
    wanted = steps if status in ("cause_found", "ended_by_request") else [*steps, *evidence.missing]
    return Verdict(evidence.attempt, evidence.began, evidence.ended, status, _sentence(top.summary), top, tuple(wanted), evidence.worked)


# What settles most cases; said where nothing else can be.
_FETCH = (
    "Give the directory of the whole job: the output of every rank (`torchrun --log-dir`, `slurm-*.out`) and the launcher's own.",
    "Run it again with NCCL_DEBUG=INFO, TORCH_NCCL_TRACE_BUFFER_SIZE=2000 and TORCH_NCCL_DUMP_ON_TIMEOUT=1, and keep the dumps.",
)
_FETCH_HOSTS = "Add the kernel log of each host (`dmesg -T`) and `nvidia-smi -q`."


def _plain(evidence: Evidence, status: str, sentence: str) -> Verdict:
    wanted = (*(evidence.missing or (_FETCH_HOSTS,)), *_FETCH) if status == "insufficient" else ()
    return Verdict(evidence.attempt, evidence.began, evidence.ended, status, sentence, None, tuple(wanted), evidence.worked)


def _thin(evidence: Evidence) -> str:
    if not evidence.recognised:
        return "No line of the input was recognised, so nothing can be said about the job."
    if not evidence.spoke:
        return "No failure is in the evidence, and no line of the job itself."
    return "The evidence shows a start and no failure, but not how the job went on."


def _sentence(summary: str) -> str:
    text = summary.strip()
    return text if text.endswith((".", "!", "?")) else text + "."


# What a restart meets because of the attempt before it: ports, keys and addresses that are left over.
_LEFTOVERS = frozenset({"launcher.store", "launcher.rendezvous", "launcher.child_failed", "net.socket_error", "hang.init", ""})
_KNOWN = ("cause_found", "suspect")


def headline(verdicts: Sequence[Verdict]) -> int:
    """Which of the attempts' verdicts is the answer: the last, unless that attempt failed as a result of an earlier one."""
    last = verdicts[-1]
    kind = vocabulary.family(last.kind)
    fell_over_leftovers = kind in _LEFTOVERS and not last.worked
    unexplained = last.status == "symptoms_only" and kind.startswith(("hang.watchdog_timeout", "net."))
    if last.status in ("healthy", "ended_by_request") or not (fell_over_leftovers or unexplained):
        return len(verdicts) - 1
    earlier = [i for i, before in enumerate(verdicts[:-1]) if before.status in _KNOWN]
    if kind == "hang.watchdog_timeout":
        # What timed out had been set up anew: a broken part outlasts a restart, a process that ended does not.
        earlier = [i for i in earlier if not verdicts[i].kind.startswith("crash.")]
    return earlier[-1] if earlier else len(verdicts) - 1
