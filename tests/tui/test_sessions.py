"""What outlives a session, and what comes in while one goes on."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from ncclscope import packs
from ncclscope.tui import arrivals, last, tour, view, zone
from ncclscope.tui.desk import Desk
from ncclscope.tui.opening import MARK, Wanted
from ncclscope.tui.zone import Zone
from tui.conftest import concluded, made
from tui.driving import drive, text


@pytest.fixture
def fresh(tmp_path, pack):
    """A case of its own: two lines without times."""
    (tmp_path / "job.log").write_text(
        "node1:10:10 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\nnode1:10:10 [0] NCCL INFO cudaDriverVersion 12040\n"
    )
    opened = made(tmp_path / "case", tmp_path / "job.log", pack)
    return concluded(opened, [], [0, None, None, "healthy", "Nothing wrong.", None, []])


def test_resume_opens_where_the_last_session_stood(small):
    def look(pilot):
        return pilot.app.current_mode, pilot.app.looking.key, pilot.app.looking.filter.text, set(pilot.app.looking.marks)

    before = drive(small, "3", "f", *["rank"], "escape", "j", "j", "m", "q", "q", look=look)
    drive(small, "3", "j", "ctrl+c")
    wanted = last.wanted()
    assert wanted.cases == (small,)
    mode, key, filtered, marks = drive(wanted, look=look)
    assert mode == "events"
    assert key is not None
    assert (filtered, marks) == before[2:]
    (small / view.KEPT).unlink()


def test_an_ordinary_start_begins_at_the_answer(small):
    drive(small, "3", "ctrl+c")
    assert drive(small, look=lambda pilot: pilot.app.current_mode) == "triage"
    (small / view.KEPT).unlink()


def test_there_is_nothing_to_resume_once_the_case_is_gone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert last.wanted() is None
    last.keep(Wanted(cases=(tmp_path / "case",)), tmp_path / "case")
    assert last.wanted() is None
    (tmp_path / "case").mkdir()
    assert last.wanted().resume == str(tmp_path / "case")


def test_a_followed_job_is_followed_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "job.log").write_text("")
    last.keep(Wanted(evidence=(str(tmp_path / "job.log"),), options=("--workers", "1"), follow=True), tmp_path)
    found = last.wanted()
    assert (found.evidence, found.options, found.follow, found.cases) == ((str(tmp_path / "job.log"),), ("--workers", "1"), True, ())


@pytest.mark.parametrize("content", ["", "{", "[]", '{"case": 1}'])
def test_a_last_session_that_cannot_be_read_is_none(tmp_path, monkeypatch, content):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    last.path().parent.mkdir()
    last.path().write_text(content)
    assert last.wanted() is None


@pytest.mark.parametrize("content", ["{}", '{"screen": "x", "rows": 1, "key": [1], "axis": null}', "[1]"])
def test_a_place_that_cannot_be_read_is_the_first_screen(tmp_path, content):
    (tmp_path / view.KEPT).write_text(content)
    looking = view.View()
    assert view.resume(looking, tmp_path) == "triage"
    assert looking == view.View()


def test_while_reading_goes_on_the_verdict_says_so(fresh):
    (fresh / MARK).write_text("41 100")
    assert "still reading: the verdict is from the first 41 %" in drive(fresh)
    (fresh / MARK).unlink()
    assert "still reading" not in drive(fresh)


def test_lines_that_came_later_are_stamped(fresh):
    assert arrivals.grown({1: 4}, {1: 4, 2: 3}, 7) == [(2, 1, 4, 7)]
    assert arrivals.grown({1: 4}, {1: 6}, 7) == [(1, 5, 7, 7)]
    file_id = Desk(fresh).ask("test", "SELECT file_id FROM files")[0]["file_id"]
    arrivals.add(fresh, [(file_id, 2, 3, 1_764_471_600_000_000)])
    rows = Desk(fresh).ask("test", "SELECT line, ts, ts_from, at_us FROM log ORDER BY line")
    assert [(row["line"], row["ts"]) for row in rows] == [(1, None), (2, datetime(2025, 11, 30, 3, 0))]
    assert rows[1]["ts_from"] == "arrival"
    assert " <03:00:00 " in drive(fresh, "3")


def test_arrivals_that_cannot_be_read_are_none(tmp_path):
    (tmp_path / arrivals.KEPT).write_text("[[1]]")
    assert arrivals.load(tmp_path) == []


def test_every_step_of_the_tour_has_its_sample_and_fits_two_lines():
    for step in tour.STEPS:
        assert tour.logs(step.sample).is_dir()
        assert len(step.hint) <= 110
        assert step.screen in ("triage", "timeline", "events", "ranks", "files")


def test_the_tour_goes_both_ways_and_ends():
    shown = tour.Tour()
    assert not shown.move(-1)
    assert [shown.move(1) for _ in tour.STEPS] == [True] * (len(tour.STEPS) - 1) + [False]
    assert shown.line()[0] == f"tour {len(tour.STEPS)}/{len(tour.STEPS)}"


def test_the_tour_shows_its_hint_and_turns_to_the_next_screen():
    def look(pilot):
        return pilot.app.current_mode, text(pilot.app)

    mode, seen = drive(Wanted(is_tour=True), "full_stop", look=look)
    assert mode == "events"
    assert "tour 2/" in seen
    assert len(seen.splitlines()) == 24


def test_zones_that_are_equal_are_offered_once():
    assert zone.choices(0, None) == [Zone()]
    assert zone.choices(7_200_000_000, None) == [Zone(), Zone(7_200_000_000, "+02:00")]
    assert zone.name(-19_800_000_000) == "-05:30"


def test_times_are_shown_in_the_zone_of_the_logs_and_copied_in_utc(small, monkeypatch):
    monkeypatch.setattr(zone._Shown, "zone", Zone(3_600_000_000, "+01:00"))
    seen = drive(small)
    assert "04:32:11" in seen.splitlines()[5] + seen.splitlines()[4] + seen.splitlines()[3]
    (small / "clip.txt").unlink(missing_ok=True)
    drive(small, "tab", "tab", "Y")
    assert "03:42:11" in (small / "clip.txt").read_text()


def test_samples_of_the_tour_ship():
    assert (packs.shipped() / "sample_logs").is_dir()
    assert json.loads(Path(tour.logs(tour.STEPS[0].sample).parent / "expect.json").read_text())
