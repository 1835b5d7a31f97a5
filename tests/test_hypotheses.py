"""Hypotheses: the verdict's first, what speaks for and against each, and never more than three."""

from datetime import datetime, timedelta
from typing import Any

from conftest import PORT_DOWN
from support import case_of, valid

from ncclscope import hypotheses, report

NOON = datetime(2026, 11, 30, 12)


def finding(name: str, **more: Any) -> dict[str, Any]:
    plain = {"role": "cause", "confidence": "likely", "severity": "high", "explained_by": None, "either": False, "began": NOON}
    return {"finding_id": name, "summary": f"{name} happened", "advice": "Do this.\n\nThen that.\nThen more.", **plain, **more}


def test_the_verdict_comes_first_and_three_are_enough():
    found = [finding("a", confidence="certain"), *(finding(name) for name in "bcde")]
    assert [one.finding_id for one in hypotheses.of(found, "c", [])] == ["c", "a", "b"]


def test_what_a_cause_explains_speaks_for_it():
    found = [finding("a"), finding("b", role="symptom", explained_by="a"), finding("c", role="cause", explained_by="a")]
    [one] = hypotheses.of(found, "a", [])
    assert one.speaks_for == ("a", "b", "c")
    assert one.against == ()


def test_what_began_before_and_what_stays_unexplained_speaks_against():
    early = finding("early", began=NOON - timedelta(minutes=2))
    loose = finding("loose", role="symptom", began=None)
    quiet = finding("quiet", role="symptom", severity="info")
    first, second = hypotheses.of([finding("a"), early, loose, quiet], "a", [])
    assert first.against == ("Something else had begun 120 s before: early happened.", "It does not explain this: loose happened.")
    assert second.against == ("It does not explain this: loose happened.",)


def test_a_pair_of_places_speaks_against_either():
    [one] = hypotheses.of([finding("a", either=True, confidence="possible")], "a", [])
    assert one.against == ("The evidence names more than one place and does not tell which of them.",)


def test_missing_evidence_would_settle_what_is_not_certain():
    sure, unsure = hypotheses.of([finding("a", confidence="certain"), finding("b")], "a", ["Fetch the log of rank 3."])
    assert sure.settle == ("Do this.", "Then that.")
    assert unsure.settle == ("Do this.", "Then that.", "Fetch the log of rank 3.")


def test_a_report_has_them_for_each_attempt(tmp_path):
    (tmp_path / "node064.log").write_text(PORT_DOWN)
    built = report.build(case_of(tmp_path / "node064.log", tmp_path / "case"))
    valid(built)
    [one] = built["verdict"]["hypotheses"]
    assert one["finding_id"] == built["verdict"]["finding_id"]
    assert one["for"][0] == one["finding_id"]
