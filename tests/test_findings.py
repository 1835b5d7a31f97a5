"""Findings: folding under causes, what an orderly end does, rules of last resort, and which lines are kept."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncclscope import findings as fi
from ncclscope.findings import Finding
from ncclscope.packs import Rule

NOON = datetime(2026, 11, 30, 12)


def rule(name: str, kind: str, *, explains: tuple[str, ...] = (), unless: tuple[str, ...] = ()) -> Rule:
    said = {"title": "", "severity": "high", "role": "cause", "confidence": "likely", "explanation": "", "advice": ""}
    lists = {"needs": (), "references": (), "tests": (), "explains": explains, "unless": unless}
    return Rule(id=name, path=Path(name), kind=kind, false_positives="", sql="", **said, **lists)


LINK = rule("link", "net.link_flap", explains=("hang.*", "net.socket_error"))
WAIT = rule("wait", "hang.watchdog_timeout")
SOCKET = rule("socket", "net.socket_error", explains=("net.link_flap",))
STOP = rule("stop", "sched.preempted", explains=("*",))
LAST = rule("last", "launcher.child_failed", unless=("*",))
RULES = {one.id: one for one in (LINK, WAIT, SOCKET, STOP, LAST)}


def row(of: Rule, **more: object) -> Finding:
    """A finding of a rule; times are minutes after noon."""
    minute = more.pop("minute", 0)
    began = None if minute is None else NOON + timedelta(minutes=float(str(minute)))
    line = {"file_id": 1, "line": int(str(more.pop("line", 1))), "part": 0}
    return fi.from_row(of, {"summary": of.id, "evidence": [line], "began": began} | more)


def by_rule(found: list[Finding]) -> dict[str, Finding]:
    return {one.rule: one for one in found}


def test_a_cause_folds_what_it_does_to_others():
    found = by_rule(fi.fold([row(WAIT, role="symptom", minute=5), row(LINK)], RULES))
    assert found["wait"].explained_by == found["link"].finding_id
    assert found["link"].explained_by is None


def test_what_began_before_is_not_explained():
    found = by_rule(fi.fold([row(WAIT, role="symptom", minute=-5), row(LINK)], RULES))
    assert found["wait"].explained_by is None


def test_another_attempt_is_not_explained():
    found = by_rule(fi.fold([row(WAIT, role="symptom", attempt=1), row(LINK, attempt=0)], RULES))
    assert found["wait"].explained_by is None


def test_a_cause_at_another_place_stands():
    found = by_rule(fi.fold([row(SOCKET, hosts=["b"], minute=1), row(LINK, hosts=["a"])], RULES))
    assert found["socket"].explained_by is None
    found = by_rule(fi.fold([row(SOCKET, hosts=["a"], minute=1), row(LINK, hosts=["a"])], RULES))
    assert found["socket"].explained_by == found["link"].finding_id


@given(st.permutations([row(LINK), row(SOCKET, confidence="certain"), row(WAIT, role="symptom", minute=1)]))
def test_two_causes_that_explain_each_other_leave_the_surer_one_in_any_order(found):
    folded = by_rule(fi.fold(found, RULES))
    assert folded["socket"].explained_by is None
    assert folded["link"].explained_by == folded["socket"].finding_id
    assert folded["wait"].explained_by == folded["socket"].finding_id, "a chain points to its first cause"


def test_what_an_orderly_end_does_to_processes_asks_for_no_attention():
    found = by_rule(fi.fold([row(WAIT, role="symptom", minute=1), row(STOP)], RULES))
    assert found["wait"].severity == "info"


def test_a_rule_of_last_resort_is_silent_beside_anything_loud():
    alone, wait = row(LAST, role="symptom"), row(WAIT, role="symptom")
    assert fi.only_where_wanted([alone], RULES) == [alone]
    assert fi.only_where_wanted([alone, wait], RULES) == [wait]
    quiet = replace(wait, severity="info")
    assert fi.only_where_wanted([alone, quiet], RULES) == [alone, quiet]
    elsewhere = replace(wait, attempt=1)
    assert fi.only_where_wanted([alone, elsewhere], RULES) == [alone, elsewhere]


def test_a_time_that_stands_above_a_line_does_not_make_it_too_early_for_its_cause():
    """An untimed traceback after an hour of silence carries the time of the last step."""
    link, wait = row(LINK, minute=50), row(WAIT, role="symptom", minute=1)
    (key,) = wait.evidence
    stated = fi.Moment(NOON + timedelta(minutes=1), NOON + timedelta(minutes=1))
    for moment, is_explained in (
        (stated, False),
        (replace(stated, latest=NOON + timedelta(minutes=5)), False),
        (replace(stated, latest=NOON + timedelta(minutes=55)), True),
        (replace(stated, latest=None), True),
    ):
        found = by_rule(fi.fold([link, fi.bounded(wait, {key: moment})], RULES))
        assert (found["wait"].explained_by is not None) == is_explained


@given(st.dictionaries(st.integers(1, 90), st.none() | st.integers(0, 1000), min_size=1))
def test_the_earliest_lines_are_kept(minutes):
    keys = [(7, line, 0) for line in minutes]
    evidence = [dict(zip(("file_id", "line", "part"), key, strict=True)) for key in keys]
    times = {(7, line, 0): NOON + timedelta(minutes=m) for line, m in minutes.items() if m is not None}
    whole = fi.from_row(LINK, {"summary": "x", "evidence": evidence})
    kept = fi.earliest(whole, {key: fi.Moment(time, time) for key, time in times.items()})
    assert len(kept.evidence) == min(len(keys), fi.MAX_EVIDENCE)
    assert kept.evidence_total == len(keys)
    assert kept.evidence == tuple(sorted(kept.evidence))
    left = set(whole.evidence) - set(kept.evidence)
    latest = max(times.get(key, datetime.max) for key in kept.evidence)
    assert all(times.get(key, datetime.max) >= latest for key in left)


@pytest.mark.parametrize("wrong", [{"role": "culprit"}, {"confidence": "sure"}, {"severity": "loud"}, {"evidence": []}, {"summary": ""}])
def test_what_breaks_the_contract_is_refused(wrong):
    with pytest.raises(ValueError, match=r"\w"):
        row(LINK, **wrong)


def test_the_order_is_causes_first_then_severity_then_time():
    late = [row(LINK, minute=3), row(STOP, severity="critical", minute=4)]
    found = [row(WAIT, role="symptom", minute=-9), *late, row(SOCKET, minute=1, role="context")]
    order = [one.rule for one in sorted(found, key=fi.order)]
    assert order == ["stop", "link", "wait", "socket"]
