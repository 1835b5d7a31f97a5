"""Verdicts: which status findings lead to, and that no more is said than they support."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_findings import LINK, NOON, SOCKET, STOP, WAIT, row

from ncclscope.verdict import Evidence, Verdict, headline, judge

_KNOWN = {"worked": True, "measured": False, "spoke": True, "recognised": 90, "missing": ("Fetch the log of rank 3.",)}
SEEN = Evidence(attempt=0, began=NOON, ended=NOON, sources=3, checks=41, **_KNOWN)


def test_a_sure_cause_is_found():
    assert judge([row(LINK, confidence="certain")], SEEN).status == "cause_found"


def test_a_start_is_only_claimed_where_the_job_speaks():
    thin = replace(SEEN, worked=False)
    assert "shows a start" in judge([], thin).sentence
    assert judge([], replace(thin, spoke=False)).sentence == "No failure is in the evidence, and no line of the job itself."


@pytest.mark.parametrize("weak", [{"either": True}, {"confidence": "possible"}])
def test_a_pair_or_a_guess_is_suspected_at_most(weak):
    assert judge([row(LINK, **weak)], SEEN).status == "suspect"


def test_a_mere_position_is_suspected_at_most():
    assert judge([row(WAIT, confidence="certain")], SEEN).status == "suspect"


def test_symptoms_alone_name_no_cause():
    assert judge([row(WAIT, role="symptom")], SEEN).status == "symptoms_only"


def test_what_a_cause_explains_is_not_the_answer():
    cause = row(LINK, confidence="likely")
    folded = replace(row(SOCKET, confidence="certain"), explained_by=cause.finding_id)
    assert judge([folded, cause], SEEN).finding == cause


def test_an_orderly_end_is_the_answer_unless_something_had_failed_before():
    assert judge([row(STOP)], SEEN).status == "ended_by_request"
    assert judge([row(STOP), row(LINK, minute=5)], SEEN).status == "ended_by_request"
    assert judge([row(STOP), row(LINK, minute=-5)], SEEN).status == "cause_found"


def test_nothing_loud_is_healthy_where_work_was_seen_and_unsure_where_not():
    quiet = row(WAIT, role="context", severity="info")
    assert judge([quiet], SEEN).status == "healthy"
    thin = judge([quiet], replace(SEEN, worked=False))
    assert thin.status == "insufficient"
    assert thin.next[0] == "Fetch the log of rank 3."
    assert judge([quiet], replace(SEEN, worked=False, measured=True)).status == "healthy"
    blank = judge([], replace(SEEN, recognised=0, missing=()))
    assert blank.status == "insufficient"
    assert blank.next, "it says what to fetch"


def test_other_attempts_do_not_count():
    assert judge([row(LINK, attempt=1)], SEEN).status == "healthy"


@given(st.lists(st.sampled_from(["cause", "symptom", "context"]), max_size=5), st.booleans())
def test_what_is_not_settled_says_what_would_settle_it(roles, worked):
    found = [row(LINK, role=role, line=n + 1, confidence="possible") for n, role in enumerate(roles)]
    said = judge(found, replace(SEEN, worked=worked))
    assert said.sentence.endswith((".", "!", "?"))
    if said.status in ("suspect", "symptoms_only", "insufficient"):
        assert "Fetch the log of rank 3." in said.next


def said(status: str, kind: str = "", worked: bool = True) -> Verdict:
    finding = replace(row(LINK), kind=kind) if kind else None
    return Verdict(0, NOON, NOON, status, "It is so.", finding, (), worked)


def test_the_last_attempt_answers_unless_it_fell_over_what_an_earlier_one_left():
    cause = said("cause_found", "hw.xid")
    waits, leftover = said("symptoms_only", "hang.watchdog_timeout"), said("suspect", "launcher.store", worked=False)
    assert headline([cause]) == 0
    assert headline([cause, said("cause_found", "crash.python")]) == 1
    assert headline([cause, leftover]) == 0
    assert headline([cause, waits]) == 0
    assert headline([said("cause_found", "crash.python"), waits]) == 1
    assert headline([cause, said("healthy")]) == 1
    assert headline([said("symptoms_only", "hang.init"), leftover]) == 1


def test_an_attempt_that_worked_did_not_fall_over_what_was_left():
    failed = said("symptoms_only", "launcher.child_failed")
    assert headline([said("cause_found", "hw.xid"), failed]) == 1
    assert headline([said("cause_found", "hw.xid"), replace(failed, worked=False)]) == 0
