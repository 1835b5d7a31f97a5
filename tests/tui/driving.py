"""Runs the app without a terminal, presses keys and reads the screen as text."""

import asyncio
from contextlib import asynccontextmanager

from ncclscope.tui import last
from ncclscope.tui.app import Scope
from ncclscope.tui.opening import Wanted

# Cases are shared between tests: a session is kept when it is left, and not in between.
last.EVERY_S = 3600.0


@asynccontextmanager
async def running(wanted, size=(80, 24)):
    """The app with a case open and drawn, as a pilot."""
    app = Scope(wanted if isinstance(wanted, Wanted) else Wanted(cases=(wanted,)))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


async def settle(pilot):
    """Until no question is open and every answer is drawn."""
    for _ in range(3):
        await pilot.pause()
        await pilot.app.workers.wait_for_complete([w for w in pilot.app.workers if not w.is_finished])
    await pilot.pause()


async def press(pilot, *keys):
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def text(app):
    """The screen as lines of text."""
    return "\n".join("".join(s.text for s in strip).rstrip() for strip in app.screen._compositor.render_strips()) + "\n"


def drive(wanted, *keys, size=(80, 24), look=lambda pilot: text(pilot.app)):
    """Presses keys and returns what `look` sees then."""

    async def go():
        async with running(wanted, size) as pilot:
            await press(pilot, *keys)
            return look(pilot)

    return asyncio.run(go())


def typed(words):
    """Keys for a text typed into a prompt."""
    names = {" ": "space", ":": "colon", "*": "asterisk", ".": "full_stop", "-": "minus", "(": "left_parenthesis"}
    return [names.get(letter, letter) for letter in words]
