import os
import pty
import re
import subprocess
import sys
import time

import pytest
from textual.binding import Binding

from ncclscope.tui import actions, help
from ncclscope.tui.app import Scope
from ncclscope.tui.grid import Grid
from ncclscope.tui.lines import Lines
from ncclscope.tui.screen import CaseScreen
from tui.driving import drive

FORBIDDEN = {"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+q", "ctrl+j", *(f"f{n}" for n in range(1, 13))}


def bindings():
    owners = [Scope, CaseScreen, Lines, Grid, *Scope.MODES.values()]
    return [b for owner in owners for b in vars(owner).get("BINDINGS", ()) if isinstance(b, Binding)]


def test_neither_polars_nor_pyarrow_is_loaded(hung):
    code = (
        "import sys, asyncio\nfrom pathlib import Path\nfrom ncclscope.tui import facts, grids\nfrom ncclscope.tui.app import Scope\n"
        "from ncclscope.tui.desk import Desk\nfacts.read(Desk(Path(sys.argv[1])))\n"
        "print([m for m in ('polars', 'pyarrow', 'regex', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(hung)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_binding_has_an_id_of_its_own_and_a_description():
    ids = [b.id for b in bindings()]
    assert all(ids)
    assert len(ids) == len(set(ids))
    assert all(b.description for b in bindings())


def test_no_key_belongs_to_a_multiplexer_or_a_terminal_emulator():
    keys = {key.strip() for b in bindings() for key in b.key.split(",")}
    assert not keys & FORBIDDEN
    assert not any(key.startswith("alt+") for key in keys)


@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5"])
def test_every_binding_of_a_screen_appears_in_help(hung, key):
    def look(pilot):
        screen = pilot.app.screen
        listed = "\n".join("".join(s.text for s in line) for line in help.keys(screen, pilot.app))
        return [b.description for b in (*type(screen).BINDINGS, *Scope.BINDINGS) if isinstance(b, Binding) and b.description not in listed]

    assert drive(hung, key, look=look) == []


def test_the_palette_lists_actions_and_hosts(hung):
    titles = drive(hung, look=lambda pilot: [title for title, _, _ in actions.commands(pilot.app)])
    assert "host nova-gpu08" in titles
    assert "rank 11" in titles
    assert "edit the filter" in titles


def on_a_terminal(case, keys, **environment):
    """The bytes that the program sends to a terminal of 80 x 24."""
    pid, descriptor = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", **environment})
        os.execv(sys.executable, [sys.executable, "-m", "ncclscope", str(case)])
    seen, deadline = b"", time.monotonic() + 60
    waiting = [*keys, b"q"]
    while time.monotonic() < deadline:
        try:
            seen += os.read(descriptor, 65536)
        except OSError:
            break
        if b"evidence" in seen and waiting:
            os.write(descriptor, waiting.pop(0))
    os.waitpid(pid, 0)
    return seen


def test_without_colour_no_colour_is_sent_and_the_cursor_is_still_seen(hung):
    seen = on_a_terminal(hung, [], NO_COLOR="1").decode("utf-8", "replace")
    styles = {code for found in re.findall(r"\x1b\[([\d;]*)m", seen) for code in found.split(";")}
    assert not styles & {str(n) for n in (*range(30, 39), *range(40, 49), *range(90, 108))}
    assert "7" in styles
    assert "never entered" in seen


def test_with_colour_only_the_colours_of_the_terminal_are_sent(hung):
    seen = on_a_terminal(hung, []).decode("utf-8", "replace")
    assert not re.search(r"\x1b\[[\d;]*(38|48);[25];", seen)
    assert re.search(r"\x1b\[[\d;]*3[1-6]m", seen)
