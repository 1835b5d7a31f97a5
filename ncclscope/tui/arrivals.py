"""When lines arrived that state no time, while files are followed: kept in the case, so that they are never asked for again."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

KEPT = "arrivals.json"
# A source, the first of its new lines and the one after the last, and when they were seen: microseconds since 1970.
Arrival = tuple[int, int, int, int]
# More of them say no more: the oldest go.
MOST = 100_000


def grown(before: Mapping[int, int], after: Mapping[int, int], now_us: int) -> list[Arrival]:
    """What has come since: lines by source before and after. A source that is new has all its lines now."""
    return [(name, before.get(name, 0) + 1, lines + 1, now_us) for name, lines in sorted(after.items()) if lines > before.get(name, 0)]


def load(case: Path) -> list[Arrival]:
    """What is known of a case."""
    try:
        return [(int(a), int(b), int(c), int(d)) for a, b, c, d in json.loads((case / KEPT).read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def add(case: Path, new: Sequence[Arrival]) -> None:
    """Keeps more; a case that cannot be written forgets them."""
    if not new:
        return
    half = case / f"{KEPT}.part"
    try:
        half.write_text(json.dumps([*load(case), *new][-MOST:]), "utf-8")
        half.replace(case / KEPT)
    except OSError:
        return
