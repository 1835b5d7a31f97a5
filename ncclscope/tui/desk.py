"""Questions to a case, each on a cursor of its own, so that a later one of the same group ends an earlier one."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ncclscope import case
from ncclscope.packs import Pack
from ncclscope.tui import arrivals

# Lines without a time stand where they arrived, if that is known.
_ARRIVALS = """CREATE TABLE arrivals AS
SELECT unnest($1::UBIGINT[]) AS file_id, unnest($2::UBIGINT[]) AS first, unnest($3::UBIGINT[]) AS beyond, unnest($4::BIGINT[]) AS us"""
_LOG = Path(__file__).with_name("log.sql").read_text("utf-8").strip()

_ARRIVED = f"""SELECT l.* REPLACE (
  coalesce(l.ts, make_timestamp(a.us)) AS ts, coalesce(l.ts_max, make_timestamp(a.us + 1000000)) AS ts_max,
  CASE WHEN l.ts IS NULL AND a.us IS NOT NULL THEN 'arrival' ELSE l.ts_from END AS ts_from,
  CASE WHEN l.at_us < 0 THEN coalesce(a.us, -1) ELSE l.at_us END AS at_us)
FROM ({_LOG}) l
LEFT JOIN arrivals a ON l.ts IS NULL AND a.file_id = l.file_id AND l.line >= a.first AND l.line < a.beyond"""


class Abandoned(Exception):
    """Nobody waits for this answer any more."""


class Desk:
    """An open case, asked from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        known = arrivals.load(path)
        self.case = case.open_case(path, Pack(), {"log": _ARRIVED if known else _LOG})
        if known:
            columns = [list(column) for column in zip(*known, strict=True)]
            self.case.con.execute(_ARRIVALS, columns)
        self.case.lock()
        self._lock = threading.Lock()
        self._running: dict[str, Any] = {}
        # Who asks in which thread, and whose question was the last.
        self._local = threading.local()
        self._latest: dict[str, int] = {}

    def expect(self, owner: str, ticket: int) -> None:
        """From now on only this question of an owner is waited for; what runs for an older one ends."""
        with self._lock:
            self._latest[owner] = ticket
            older = [self._running.pop(group) for group in list(self._running) if group.startswith(f"{owner}/")]
        for cursor in older:
            cursor.interrupt()

    @contextmanager
    def serving(self, owner: str, ticket: int) -> Iterator[None]:
        """What this thread asks meanwhile is asked for an owner; it ends with Abandoned once a later ticket is expected."""
        self._local.owner, self._local.ticket = owner, ticket
        try:
            yield
        finally:
            self._local.owner = ""

    def ask(self, group: str, query: str, parameters: Sequence[object] | Mapping[str, object] = ()) -> list[dict[str, Any]]:
        """Rows as dicts. A question of the same group that still runs ends with Abandoned."""
        owner = getattr(self._local, "owner", "")
        group = f"{owner}/{group}"
        with self._lock:
            if owner and self._latest.get(owner) != self._local.ticket:
                raise Abandoned
            try:
                self.case.make(query)
            except case.QueryError as error:
                # Such as a case of another version, with other columns.
                raise case.CaseError(str(error).strip()) from error
            cursor = self.case.con.cursor()
            older = self._running.pop(group, None)
            self._running[group] = cursor
        if older is not None:
            older.interrupt()
        try:
            result = cursor.execute(query, parameters or None)
            names = [column[0] for column in result.description or ()]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
        except Exception as error:
            if self._running.get(group) is not cursor:
                raise Abandoned from error
            raise case.CaseError(str(error).strip()) from error
        finally:
            with self._lock:
                if self._running.get(group) is cursor:
                    del self._running[group]

    def stop(self, owner: str) -> None:
        """Ends what is asked for an owner, if anything; nobody waits for it."""
        self.expect(owner, -1)
