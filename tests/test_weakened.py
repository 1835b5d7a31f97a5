"""Missing evidence makes the claims that it bears on less sure, and says so."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support import case_of, valid
from trap_lines import RAISED, timed_out

from ncclscope import report, vocabulary, weakened
from ncclscope.findings import Finding
from ncclscope.weakened import Given

NOON = datetime(2026, 6, 18, 12)
BARRIER = "[rank0]: RuntimeError: [Rank 0]: Rank 2 failed to pass monitoredBarrier in 600000 ms\n"
ECC = RAISED.format(rank=0, error="RuntimeError: CUDA error: uncorrectable ECC error encountered")
INIT = "n1:4000:4000 [0] NCCL INFO comm 0x5501 rank 0 nranks 4 cudaDev 0 busId 18000 - Init COMPLETE\n"
CLAIM = Finding(
    *("id", 0, "rule", "hw.gpu_lost", "critical", "cause", "certain", "title", "summary", "advice"),
    *(("n1",), (0,), (), (), None, False, NOON, None, None, ((0, 1, 0),), 1, NOON),
)
NOTHING = Given(frozenset(), {}, {}, {})


def told(logs: dict[str, str], folder: Path) -> dict[str, Any]:
    for name, text in logs.items():
        (folder / "logs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "logs" / name).write_text(text, "utf-8")
    built = report.build(case_of(folder / "logs", folder / "case"))
    valid(built)
    return built["verdict"]


def test_a_rank_without_a_log_is_named_with_less_confidence(tmp_path: Path) -> None:
    alone = told({"a.log": BARRIER}, tmp_path / "alone")
    both = told({"a.log": BARRIER, "b.log": timed_out(2)}, tmp_path / "both")
    assert (alone["confidence"], both["confidence"]) == ("likely", "certain")
    # The same answer, only less sure of it.
    assert (alone["status"], alone["sentence"]) == (both["status"], both["sentence"])
    assert alone["hypotheses"][0]["against"] == [
        "The log of rank 2 is not in the input, and only others say where it was: likely, not certain."
    ]
    assert both["hypotheses"][0]["against"] == []


@pytest.mark.parametrize(
    ("logs", "confidence", "because"),
    [
        ({}, "likely", "No kernel log is in the input"),
        ({"n1/syslog": "Jun 18 13:10:00 n1 kernel: [ 900.1] usb 1-1: new device\n"}, "certain", ""),
        ({"n2/syslog": "Jun 18 13:10:00 n2 kernel: [ 900.1] usb 1-1: new device\n"}, "likely", "The kernel log of n1 is not in the input"),
    ],
)
def test_memory_of_a_gpu_is_less_sure_without_the_kernel_log_of_its_host(
    logs: dict[str, str], confidence: str, because: str, tmp_path: Path
) -> None:
    verdict = told({"a.log": INIT + ECC, **logs}, tmp_path)
    assert (verdict["status"], verdict["kind"], verdict["confidence"]) == ("cause_found", "hw.ecc", confidence)
    said = f"{because}, and the kernel is the first witness of such a fault: likely, not certain."
    assert verdict["hypotheses"][0]["against"] == ([said] if because else [])


@pytest.mark.parametrize(("minutes", "confidence"), [(9, "certain"), (11, "likely")])
def test_a_kernel_log_that_ends_before_a_fault_does_not_cover_it(minutes: int, confidence: str) -> None:
    have = replace(NOTHING, kernel_logs={"n1": NOON - timedelta(minutes=minutes)})
    [lowered], rows = weakened.weaken([CLAIM], lambda: have)
    assert lowered.confidence == confidence
    assert [row.what.split(",")[0] for row in rows] == (["The kernel log of n1 ends at 11:49:00"] if rows else [])
    assert len(rows) == (confidence == "likely")


@pytest.mark.parametrize(
    ("claim", "have"),
    [
        (replace(CLAIM, confidence="likely"), NOTHING),  # its floor
        (replace(CLAIM, role="symptom"), NOTHING),
        (replace(CLAIM, explained_by="other"), NOTHING),
        (replace(CLAIM, kind="crash.python"), NOTHING),  # the gap does not bear on it
        (CLAIM, replace(NOTHING, kernel_logs={None: NOON})),  # may be the log of that host
        (replace(CLAIM, hosts=(), ranks=()), replace(NOTHING, kernel_logs={"n9": NOON})),
    ],
)
def test_what_a_gap_does_not_bear_on_stays(claim: Finding, have: Given) -> None:
    assert weakened.weaken([claim], lambda: have) == ([claim], [])


def test_a_host_is_known_by_its_rank() -> None:
    have = replace(NOTHING, hosts={(0, 0): "n1"}, kernel_logs={"n9": NOON})
    assert weakened.weaken([replace(CLAIM, hosts=())], lambda: have)[0][0].confidence == "likely"


@pytest.mark.parametrize(("hosts", "confidence"), [(1, "likely"), (2, "certain")])
def test_a_crash_is_less_sure_where_most_hosts_are_silent(hosts: int, confidence: str, tmp_path: Path) -> None:
    """Four ranks of two a host: with one host of four a failure elsewhere may have come first."""
    log = "".join(
        f"n{rank // 2}:{4000 + rank}:{4000 + rank} [{rank % 2}] NCCL INFO comm 0x5501 rank {rank} nranks 8 cudaDev {rank % 2} "
        f"busId {18 + rank % 2}000 - Init COMPLETE\n"
        for rank in range(2 * hosts)
    )
    verdict = told({"a.log": log + RAISED.format(rank=1, error="KeyError: 'labels'")}, tmp_path)
    assert (verdict["status"], verdict["kind"], verdict["confidence"]) == ("cause_found", "crash.python", confidence)
    said = "Ranks of 1 of 4 hosts are in the input, and a failure on another may have come first: likely, not certain."
    assert verdict["hypotheses"][0]["against"] == ([said] if hosts == 1 else [])


def test_a_gap_never_changes_a_status() -> None:
    """What may become `possible` is a suspect at most already."""
    for bearing in weakened.BEARINGS:
        assert bearing.floor == "likely" or set(bearing.kinds) <= vocabulary.SUSPECT_ONLY
        assert set(bearing.kinds) <= set(vocabulary.KINDS)
