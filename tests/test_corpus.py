"""Judging: names in any spelling, what is wrong and what is only not said, and intervals."""

from typing import Any

import pytest

from ncclscope import corpus

LABEL: dict[str, Any] = {
    "status": ["cause_found", "suspect"],
    "kinds": ["hw.xid"],
    "culprit": {"hosts": ["node3"], "ranks": ["5"], "gpus": ["node3:5", "0000:9a:00.0"], "devices": []},
    "level": "gpu",
}


def built(
    status: str = "cause_found", kind: str = "hw.xid.fallen", findings: tuple[str, ...] = ("hw.xid",), **named: Any
) -> dict[str, Any]:
    culprit = {"hosts": ["node3"], "ranks": [], "gpus": ["node3:5"], "devices": [], **named}
    loud = [{"kind": kind, "severity": "high"} for kind in findings]
    return {"verdict": {"status": status, "kind": kind, "sentence": "It is.", "culprit": culprit}, "findings": loud}


@pytest.mark.parametrize(
    ("report", "label", "outcome"),
    [
        (built(), {}, "right"),
        (built(status="suspect"), {}, "right"),
        (built(gpus=["NODE3.cluster.example:5"]), {}, "right"),
        (built(gpus=["PCI:0000:9A:00"]), {}, "right"),
        (built(gpus=["GPU-ad308f7f-8567-309f-e978-7390357d5dfd"]), {}, "right"),
        (built(hosts=["node3.cluster"], ranks=[5]), {}, "right"),
        (built(hosts=["node4"]), {}, "wrong name"),
        (built(gpus=["node3:5", "node3:6"]), {}, "wrong name"),
        (built(hosts=["node4"]), {"any_culprit": True}, "right"),
        (built(hosts=["10.0.0.3"]), {"aliases": ["10.0.0.3"]}, "right"),
        (built(devices=["node3/mlx5_2"]), {}, "right"),
        (built(gpus=[]), {}, "missed"),
        (built(status="symptoms_only", gpus=[], hosts=[]), {}, "abstained"),
        (built(status="insufficient", kind="", gpus=[], hosts=[]), {}, "abstained"),
        (built(kind="net.ib_error"), {}, "missed"),
        (built(kind="net.ib_error"), {"kinds": []}, "right"),
        (built(findings=("hw.xid", "net.ib_error")), {"silent": ["net.ib_error"]}, "false alarm"),
        (built(status="healthy", kind="", findings=(), gpus=[], hosts=[]), {"mention": ["hw.xid"]}, "missed"),
        (built(), {"mention": ["hw.xid", "hw.ecc"]}, "missed"),
    ],
)
def test_a_report_is_judged(report: dict[str, Any], label: dict[str, Any], outcome: str) -> None:
    judged = corpus.judge("case", {**LABEL, **label}, report)
    assert judged.outcome == outcome, judged.faults
    assert bool(judged.faults) == (outcome != "right")


def test_where_nobody_should_be_named_every_name_is_wrong() -> None:
    label = {"status": ["healthy"], "kinds": [""], "culprit": {}, "level": None, "silent": ["*"]}
    assert corpus.judge("a", label, built("healthy", "", (), hosts=[], gpus=[])).outcome == "right"
    assert corpus.judge("a", label, built("healthy", "", (), hosts=["n1"], gpus=[])).outcome == "wrong name"
    assert corpus.judge("a", label, built("healthy", "", ("hw.ecc",), hosts=[], gpus=[])).outcome == "false alarm"
    unsure = built("insufficient", "", ("evidence.missing",), hosts=[], gpus=[])
    assert corpus.judge("a", {**label, "status": ["insufficient"]}, unsure).outcome == "right"


@pytest.mark.parametrize(
    ("label", "named"),
    [
        ("node3/mlx5_2", "mlx5_2"),
        ("node3/mlx5_2", "node3/mlx5_2:1"),
        ("node3/mlx5_2:1", "NODE3.example/mlx5_2"),
        ("node3:/scratch", "node3:/scratch"),
    ],
)
def test_devices_agree_in_several_spellings(label: str, named: str) -> None:
    wanted = {**LABEL, "level": "device", "culprit": {**LABEL["culprit"], "devices": [label]}}
    assert corpus.judge("a", wanted, built(devices=[named])).outcome == "right"


def test_the_same_device_of_another_host_is_another() -> None:
    wanted = {**LABEL, "level": "device", "culprit": {**LABEL["culprit"], "devices": ["node3/mlx5_2"]}}
    assert corpus.judge("a", wanted, built(devices=["node4/mlx5_2"])).outcome == "wrong name"


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"), [(0, 0, 0.0, 1.0), (10, 10, 0.722, 1.0), (5, 10, 0.237, 0.763), (0, 20, 0.0, 0.161)]
)
def test_intervals(hits: int, total: int, low: float, high: float) -> None:
    assert corpus.wilson(hits, total) == (pytest.approx(low, abs=0.001), pytest.approx(high, abs=0.001))


def test_outcomes_are_counted_with_intervals() -> None:
    judged = [corpus.Judgement(str(n), "right" if n else "abstained", "", "", ()) for n in range(4)]
    lines = corpus.summary(judged)
    assert lines[0].split() == ["right", "3", "of", "4", "75.0", "%", "[30.1,", "95.4]"]
    assert [line.split("  ")[0] for line in lines] == list(corpus.OUTCOMES)


def test_confidence_is_measured() -> None:
    judged = [corpus.Judgement(str(n), "right" if n else "wrong name", "cause_found", "", (), "likely") for n in range(5)]
    judged.append(corpus.Judgement("x", "right", "healthy", "", ()))
    lines = corpus.reliability(judged)
    assert lines[0].split() == ["likely", "4", "of", "5", "right", "80.0", "%", "[37.6,", "96.4],", "1", "wrong", "name"]
    assert lines[1].startswith("no finding")
    assert len(lines) == 2
