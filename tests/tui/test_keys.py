import asyncio
import json
import shutil

import pytest
from support import case_of
from textual import events

from ncclscope import samples
from ncclscope.tui import actions, view
from ncclscope.tui.desk import Abandoned, Desk
from ncclscope.tui.opening import Wanted
from tui.driving import drive, press, running, settle, text, typed


def test_enter_on_a_finding_and_on_its_evidence_opens_the_line(hung):
    def look(pilot):
        app = pilot.app
        return app.current_mode, app.screen._row()["line"], app.looking.key, [f for f in app.facts.findings if f["role"] == "cause"]

    mode, line, key, found = drive(hung, "enter", "enter", look=look)
    assert mode == "events"
    assert line == found[0]["evidence"][0]["line"]
    assert key == tuple(found[0]["evidence"][0].values())


def test_a_cited_line_of_telemetry_is_in_the_log(tmp_path):
    opened = case_of(samples.folder() / "straggler-thermal" / "logs", tmp_path / "case")
    [cause] = opened.rows("SELECT * FROM findings WHERE rule = 'gpu-throttled-by-heat'")
    row = drive(opened.path, "enter", "enter", look=lambda pilot: pilot.app.screen._row())
    assert {"file_id": row["file_id"], "line": row["line"]} in [{"file_id": e["file_id"], "line": e["line"]} for e in cause["evidence"]]


def test_a_plus_row_opens_to_what_it_stands_for(hung):
    assert "rank 9 waited" not in drive(hung, "j")
    assert "rank 9 waited" in drive(hung, "j", "enter")
    assert "rank 9 waited" not in drive(hung, "j", "enter", "enter")


def test_moving_in_one_screen_moves_the_others(hung):
    def look(pilot):
        return pilot.app.looking.moment_us, pilot.app.screen._row()["at_us"]

    moment, at = drive(hung, "2", "0", "h", "h", "h", "3", look=look)
    assert abs(at - moment) < 120_000_000


def test_a_filter_holds_on_every_screen_and_is_undone(hung):
    seen = drive(hung, "3", "f", *typed("rank:11"), "enter")
    assert "filter: rank:11" in seen
    assert "r4 " not in seen
    assert "filter: rank:11" in drive(hung, "3", "f", *typed("rank:11"), "enter", "1")
    assert "filter: none" in drive(hung, "3", "f", *typed("rank:11"), "enter", "u")


def test_keys_typed_ahead_of_a_prompt_are_its_text_and_no_commands(hung):
    async def go():
        async with running(hung) as pilot:
            for key, character in zip(["f", *typed("rank:1-2 q")], "frank:1-2 q", strict=True):
                pilot.app.post_message(events.Key(key, character))
            await settle(pilot)
            before = text(pilot.app)
            await press(pilot, "backspace", "backspace", "enter")
            return before, text(pilot.app)

    before, after = asyncio.run(go())
    assert "filter: rank:1-2 q" in before
    assert "filter: rank:1-2 " in after


def test_a_filter_that_means_nothing_says_so_and_changes_nothing(hung):
    seen = drive(hung, "f", *typed("sev:loud"), "enter")
    assert "a severity is one of" in seen


def test_only_and_hide_use_what_is_under_the_cursor(hung):
    assert "filter: rank:11" in drive(hung, "i")
    assert "filter: -rank:11" in drive(hung, "x")


def test_a_search_goes_to_the_next_hit_and_counts(hung):
    def look(pilot):
        return pilot.app.screen._row()["message"], text(pilot.app)

    message, seen = drive(hung, "3", "g", "slash", *typed("flight rec.*signal"), "enter", look=look)
    assert "flight recorder" in message
    assert "hits for" in seen


def test_a_search_that_is_no_pattern_is_no_crash(hung):
    assert "query failed" in drive(hung, "3", "slash", *typed("("), "enter")


def test_the_next_error_is_an_error(hung):
    assert drive(hung, "3", "g", "e", look=lambda pilot: pilot.app.screen._row()["severity"]) >= 3


def test_the_ends_of_the_log_are_its_ends(hung):
    def look(pilot):
        row = pilot.app.screen._row()
        return pilot.app.desk.ask("test", "SELECT count(*) AS n FROM log WHERE at_us > ?", [row["at_us"]])[0]["n"]

    assert drive(hung, "3", "G", look=look) == 0
    assert drive(hung, "3", "G", "g", look=lambda pilot: pilot.app.screen._row()["at_us"]) == -1


def test_copying_says_sent_and_not_copied_and_keeps_a_file(hung):
    (hung / "clip.txt").unlink(missing_ok=True)
    assert "sent to terminal clipboard" in drive(hung, "y")
    assert (hung / "clip.txt").read_text() == "Rank 11 never entered ALLREDUCE 16573\n"


def test_a_citation_names_file_and_line(hung):
    (hung / "clip.txt").unlink(missing_ok=True)
    drive(hung, "tab", "tab", "Y")
    assert "stderr.log:" in (hung / "clip.txt").read_text()


def test_marks_go_into_the_report_and_survive_the_session(hung, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def go():
        async with running(hung) as pilot:
            await press(pilot, "enter", "m", "w")
            await settle(pilot)
            await press(pilot, "q")
            return pilot.app.parting

    parting = asyncio.run(go())
    written = list(tmp_path.glob("ncclscope-report-*.md"))
    assert len(written) == 1
    assert "## Marked lines" in written[0].read_text()
    assert any("report: " in line for line in parting)
    assert len(view.load(hung).marks) == 1
    (hung / view.KEPT).unlink()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"filter": "rank:x", "by_clock": 1, "marks": []}', '{"marks": [[1]]}'])
def test_a_session_that_cannot_be_read_is_forgotten(tmp_path, content):
    (tmp_path / view.KEPT).write_text(content)
    assert view.load(tmp_path) == view.View()


def test_a_session_is_kept_as_json(tmp_path):
    looking = view.View()
    looking.narrow("rank:3")
    looking.marks[(1, 2, 0)] = "a line"
    view.save(looking, tmp_path)
    assert json.loads((tmp_path / view.KEPT).read_text())["filter"] == "rank:3"
    assert view.load(tmp_path).marks == looking.marks


def test_escape_never_quits(hung):
    assert drive(hung, *["escape"] * 5, look=lambda pilot: pilot.app.return_code) is None


def test_q_leaves_the_screen_and_on_triage_the_app(hung):
    assert drive(hung, "3", "q", look=lambda pilot: pilot.app.current_mode) == "triage"
    assert drive(hung, "q", look=lambda pilot: pilot.app.return_code) == 0


def test_a_folder_of_cases_is_a_list_worst_first(hung, empty, large):
    wanted = Wanted(cases=(empty, hung, large), is_folder=True)
    lines = drive(wanted).splitlines()
    assert [line.split()[0].lstrip("> ") or line.split()[1] for line in lines[2:5]] == ["CAUSE", "SUSPECT", "UNSURE"]
    assert "port went down" in drive(wanted, "enter")
    assert "3 cases" in drive(wanted, "enter", "q")


def test_the_timeline_zooms_and_fits(hung):
    def look(pilot):
        return pilot.app.screen.picture.axis.width_us

    assert drive(hung, "2", "plus", look=look) < drive(hung, "2", look=look) == drive(hung, "2", "plus", "0", look=look)


def test_rows_are_herds_then_hosts_then_communicators_then_ranks(hung):
    assert "rows: host" in drive(hung, "2", "v")
    assert "+default_pg (16)" in drive(hung, "2", "v", "v")
    seen = drive(hung, "2", "v", "v", "v")
    assert "rows: rank" in seen
    assert "nova-gpu07 r1" in seen


def test_help_lists_every_key_of_the_screen(hung):
    seen = drive(hung, "2", "question_mark", size=(100, 80))
    for words in ("zoom in", "next pane", "command palette", "filter words"):
        assert words in seen


def test_unrecognised_lines_are_shown(unreadable):
    assert "partial" in drive(unreadable, "5")


def test_a_case_that_cannot_be_opened_is_a_sentence(tmp_path):
    (tmp_path / "manifest.json").write_text("{")
    seen = drive(tmp_path)
    assert "FAILED" in seen
    assert "is not a case" in " ".join(seen.split())


def test_a_host_unfolds_in_place_and_folds_again(hung):
    folded, opened = drive(hung, "2", "v"), drive(hung, "2", "v", "enter")
    assert "+nova-gpu07 (8)" in folded
    assert "-nova-gpu07 (8)" in opened
    assert "    r0 " in opened
    assert drive(hung, "2", "v", "enter", "enter") == folded


def test_a_pinned_row_is_the_first(hung):
    def first(pilot):
        return pilot.app.screen.query_one("#grid").rows[0].name

    def here(pilot):
        return pilot.app.screen.query_one("#grid").here.name

    by_rank = ["2", "v", "v", "v", "G"]
    assert drive(hung, *by_rank, "p", "g", look=first) == drive(hung, *by_rank, look=here)
    (hung / view.KEPT).unlink(missing_ok=True)


@pytest.mark.parametrize("screen", ["1", "4", "5"])
def test_the_next_error_is_a_key_away_from_any_screen(hung, screen):
    def look(pilot):
        return pilot.app.current_mode, pilot.app.screen._row()["severity"] >= 3

    assert drive(hung, screen, "e", look=look) == ("events", True)


def test_a_search_is_stopped_by_escape(hung):
    async def go():
        async with running(hung) as pilot:
            await press(pilot, "3")
            screen = pilot.app.screen
            screen.look_up("found", lambda desk: desk.ask("find", "SELECT count(*) AS n FROM range(100000000000)"))
            await pilot.press("escape")
            await settle(pilot)
            return text(pilot.app), pilot.app.current_mode

    seen, mode = asyncio.run(go())
    assert "search stopped" in seen
    assert mode == "events"


def test_an_older_question_does_not_end_a_later_one(hung):
    desk = Desk(hung)
    desk.expect("a", 1)
    desk.expect("a", 2)
    with desk.serving("a", 2):
        assert desk.ask("x", "SELECT 1 AS n") == [{"n": 1}]
    with desk.serving("a", 1), pytest.raises(Abandoned):
        desk.ask("x", "SELECT 1 AS n")
    desk.stop("a")
    with desk.serving("a", 2), pytest.raises(Abandoned):
        desk.ask("x", "SELECT 1 AS n")


def test_a_query_that_cannot_be_made_is_a_sentence(hung):
    async def go():
        async with running(hung) as pilot:
            pilot.app.screen.look_up("picture", lambda desk: desk.ask("x", "SELECT nothing FROM nowhere"))
            await settle(pilot)
            return text(pilot.app)

    assert "a query failed" in asyncio.run(go())


def test_dragging_over_the_axis_sets_the_window(hung):
    async def go():
        async with running(hung) as pilot:
            await press(pilot, "2")
            before = pilot.app.screen.picture.axis
            await pilot.mouse_down("#grid", offset=(30, 1))
            await pilot.mouse_up("#grid", offset=(40, 1))
            await settle(pilot)
            return before, pilot.app.screen.picture.axis

    before, after = asyncio.run(go())
    assert after.width_us < before.width_us
    assert before.start(9) <= after.began_us + after.width_us
    assert after.ended_us >= before.start(20)


def test_a_rule_is_found_by_name_in_the_palette(hung):
    def look(pilot):
        work = {title: work for title, _, work in actions.commands(pilot.app)}
        work["rule rule-4"]()
        return pilot.app.looking.finding_id

    assert drive(hung, "3", look=look) == "finding00004"


def test_the_report_holds_the_timeline_as_it_is_drawn(hung, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drive(hung, "w")
    written = next(tmp_path.glob("ncclscope-report-*.md")).read_text()
    assert "## Timeline" in written
    assert "nova-gpu08 r11" in written
    (hung / view.KEPT).unlink(missing_ok=True)


def test_fleet_looks_across_the_folder_and_opens_a_case(hung, large, tmp_path):
    for name, case in (("a", hung), ("b", large), ("c", large)):
        shutil.copytree(case, tmp_path / name)
    wanted = Wanted(cases=tuple(tmp_path / name for name in "abc"), is_folder=True)
    seen = drive(wanted, "6", size=(100, 30))
    assert "node064" in seen
    assert "keeps coming back" in seen or "may be chance" in seen
    assert "port went down" in drive(wanted, "6", "slash", *"node064", "enter", "enter", "enter")
    assert drive(wanted, "6", "q", look=lambda pilot: pilot.app.current_mode) == "cases"


def test_fleet_is_not_there_for_one_case(hung):
    seen = drive(hung, "6")
    assert "folder of cases" in seen
    assert "[1]2 3 4 5\n" in seen
