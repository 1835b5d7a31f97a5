"""Draws the first screen of a case as SVG, with its colours.

python docs/screenshot.py CASE docs/triage.svg
"""

import asyncio
import os
import sys
from pathlib import Path

os.environ.update(TZ="UTC", TEXTUAL_ANIMATIONS="none")

from ncclscope.tui.app import Scope
from ncclscope.tui.opening import Wanted

SIZE = (100, 32)


async def drawn(case: Path) -> str:
    """The screen once every question is answered."""
    app = Scope(Wanted(cases=(case,)))
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(3):
            await pilot.pause()
            await pilot.app.workers.wait_for_complete([worker for worker in pilot.app.workers if not worker.is_finished])
        await pilot.pause()
        return app.export_screenshot(title="ncclscope")


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(asyncio.run(drawn(Path(sys.argv[1]))), "utf-8")
