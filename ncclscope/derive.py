"""What only the whole case knows: files, hosts, ranks, attempts, communicators, settled times."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from ncclscope import attempts, clock, loads, offsets
from ncclscope.case import Case
from ncclscope.pathhints import Hints, hints, varying

_UPTIME = 3
_DAY_US = 86_400_000_000


@dataclass(slots=True)
class Source:
    """One source of the case, its pieces put together."""

    file_id: int
    path: str
    member: str | None
    location: str
    argument: int
    mtime_ns: int
    pieces: list[Mapping[str, Any]] = field(default_factory=list)
    host: str | None = None
    host_from: str | None = None
    rank: int | None = None
    hints: Hints = field(default_factory=Hints)
    year: int | None = None
    wraps: bool = False
    boot: datetime | None = None
    duplicate: bool = False
    zone_us: int = 0
    skew_us: int = 0

    @property
    def name(self) -> str:
        """The label that reports show."""
        return f"{self.path}/{self.member}" if self.member else self.path

    @property
    def times(self) -> dict[int, list[datetime]]:
        """For each clock: earliest, latest, first and last time."""
        out: dict[int, list[datetime]] = {}
        for piece in self.pieces:
            for kind, *texts in piece["times"]:
                low, high, first, last = (datetime.fromisoformat(value) for value in texts)
                if kind in out:
                    known = out[kind]
                    out[kind] = [min(known[0], low), max(known[1], high), known[2], last]
                else:
                    out[kind] = [low, high, first, last]
        return out


def sources_of(case: Case) -> list[Source]:
    """The sources of a case, from its manifest, in order."""
    found: dict[int, Source] = {}
    for piece in case.manifest["pieces"]:
        source = found.get(piece["file_id"])
        if source is None:
            source = Source(*(piece[key] for key in ("file_id", "path", "member", "location", "argument", "mtime_ns")))
            found[source.file_id] = source
        source.pieces.append(piece)
    for source in found.values():
        source.pieces.sort(key=lambda piece: piece["start"])
    return sorted(found.values(), key=lambda s: (s.argument, s.path, s.member or ""))


def settle(case: Case) -> list[Source]:
    """Loads what the views of a case need: line bases, years, zones, hosts, ranks, attempts."""
    found = sources_of(case)
    _mark_copies(found)
    _years(found)
    _stub(case, found)
    _mark_streams(case, found)
    _hosts(case, found)
    _write_pieces(case, found)
    _zones(case, found)
    _boots(case, found)
    _write_pieces(case, found)
    attempts.separate(case)
    _processes(case, found)
    _write_pieces(case, found)
    _clocks(case, found)
    return found


def _mark_copies(found: Sequence[Source]) -> None:
    """The same content under two names counts once, unless the names speak of different ranks or hosts."""
    seen: set[tuple[str, Hints]] = set()
    for source in found:
        digest = source.pieces[0]["digest"] if len(source.pieces) == 1 else ""
        identity = digest, hints(source.name, ())
        source.duplicate = bool(digest) and source.pieces[0]["size_bytes"] > 0 and identity in seen
        seen.add(identity)


def _mark_streams(case: Case, found: Sequence[Source]) -> None:
    """A per-rank file whose warnings and errors all stand in a console too is the same stream: torchrun's tee."""
    rows = case.sql(
        """WITH keyed AS (
          SELECT DISTINCT file_id, hash(kind, message, ts, pid, rank) AS k
          FROM events_raw WHERE severity >= 2 AND (ts_from = 'line' OR pid IS NOT NULL)),
        size AS (SELECT file_id, count(*) AS n FROM keyed GROUP BY file_id),
        common AS (
          SELECT a.file_id AS small, b.file_id AS large, count(*) AS c
          FROM keyed a JOIN keyed b ON a.k = b.k AND a.file_id <> b.file_id GROUP BY ALL)
        SELECT DISTINCT small FROM common JOIN size s ON s.file_id = small JOIN size l ON l.file_id = large
        WHERE c >= 0.9 * s.n AND l.n > s.n"""
    )
    copies = {row[0] for row in rows}
    for source in found:
        source.duplicate = source.duplicate or source.file_id in copies


def _years(found: Sequence[Source]) -> None:
    """A missing year comes from the nearest dated source, else from when the file was last written."""
    dated = [t for source in found for kind, known in source.times.items() if kind in (clock.UTC, clock.LOCAL) for t in known]
    anchor = max(dated, default=None)
    for source in found:
        known = source.times.get(clock.YEARLESS)
        if known is None:
            continue
        _, _, first, last = known
        written = datetime.fromtimestamp(source.mtime_ns / 1e9)
        year = _nearest_year(last, anchor) if anchor else clock.years([last], written)[0]
        source.wraps = first.month > 6 > last.month
        source.year = year - source.wraps


def _nearest_year(stamp: datetime, anchor: datetime) -> int:
    def distance(year: int) -> float:
        day = 28 if (stamp.month, stamp.day) == (2, 29) else stamp.day
        return abs((stamp.replace(year=year, day=day) - anchor).total_seconds())

    return min((anchor.year - 1, anchor.year, anchor.year + 1), key=distance)


def _stub(case: Case, found: Sequence[Source]) -> None:
    """Leaves what an earlier run derived, and writes the pieces, so that the views can be used to derive it anew."""
    case.clear("clocks", "host_names", "processes", "labels", "spans", "windows")
    _write_pieces(case, found)


def _write_pieces(case: Case, found: Sequence[Source]) -> None:
    rows = []
    for source in found:
        base = 0
        for piece in source.pieces:
            rows.append(
                [
                    *(source.file_id, piece["start"], base, source.zone_us, source.skew_us),
                    *(source.year, source.wraps, source.boot),
                    *(source.host, source.rank, source.hints.attempt, source.duplicate, source.name),
                ]
            )
            base += piece["lines"]
    case.write("pieces", rows)


def _hosts(case: Case, found: Sequence[Source]) -> None:
    """One short name for each host, and which host a whole file belongs to."""
    counts = case.sql("SELECT file_id, host, count(*) FROM events_raw WHERE host IS NOT NULL GROUP BY ALL ORDER BY ALL")
    names = {host for _, host, _ in counts}
    short = {name: _short(name, names) for name in names}
    pods = _pods(case, set(short.values()))
    short = {name: pods.get(host, host) for name, host in short.items()} | pods
    case.write("host_names", sorted((n, h) for n, h in short.items() if n != h))
    named: dict[int, Counter[str]] = defaultdict(Counter)
    for file_id, host, count in counts:
        named[file_id][short[host]] += count
    hosts = set(short.values()) | set(pods)
    shared = _shared_consoles(case)
    alike = varying(source.name for source in found)
    for source in found:
        source.hints = hints(source.name, hosts, alike)
        if source.hints.host in pods:
            source.hints = replace(source.hints, host=pods[source.hints.host])
        inside = named.get(source.file_id)
        if inside and len(inside) == 1 and not (source.file_id in shared and shared[source.file_id] - set(inside)):
            source.host, source.host_from = next(iter(inside)), "text"
        elif source.hints.host and (not inside or source.hints.host in inside):
            source.host, source.host_from = source.hints.host, "path"


def _pods(case: Case, hosts: set[str]) -> dict[str, str]:
    """Pod -> node, where each of the pods has a node to itself: then the pod is another name of that host."""
    rows = case.found(
        """SELECT DISTINCT pod, node FROM k8s_pod WHERE node IS NOT NULL AND node NOT LIKE '<%'
        UNION SELECT object, regexp_extract(text, 'Successfully assigned \\S+ to ([^\\s]+)', 1)
        FROM k8s_event WHERE text LIKE 'Successfully assigned %'"""
    )
    placed = {pod: _short(node, hosts) for pod, node in rows if pod in hosts and node}
    taken = Counter(placed.values())
    nodes = {pod for pod, _ in rows} & hosts
    return {pod: node for pod, node in placed.items() if taken[node] == 1 and len(placed) == len(nodes) and pod != node}


def _shared_consoles(case: Case) -> dict[int, set[str]]:
    """Sources in which several ranks speak and other hosts are named as peers, with those hosts.

    Such a console may be of several hosts, and the only one that signs its lines is not where all its ranks run.
    """
    peers = case.sql(
        """SELECT file_id, list(DISTINCT split_part(peer_host, '.', 1)) FILTER (WHERE peer_host IS NOT NULL) FROM events_raw
        GROUP BY file_id HAVING count(DISTINCT rank) > 1 AND count(peer_host) > 0 ORDER BY ALL"""
    )
    return {file_id: set(hosts) for file_id, hosts in peers}


def _short(name: str, names: set[str]) -> str:
    """Host without its domain; addresses stay whole."""
    head = name.split(".", maxsplit=1)[0]
    return name if not head or head.isdigit() or ":" in name else head


def _zones(case: Case, found: Sequence[Source]) -> None:
    """Zones of times without one: as the person says, else from lines that print UTC inside a local envelope.

    Other sources of a host are in the zone of those, and where all such lines of a case agree, sources of other hosts too. What is left
    follows from when the job loaded each host.
    """
    said = case.manifest.get("zone_us", 0)
    rows = case.found(
        """SELECT file_id, CAST(round(median(epoch_us(ts) - epoch_us(TRY_CAST(utc AS TIMESTAMPTZ))) / 9e8) AS BIGINT) * 900000000 AS zone_us
        FROM host_clock_anchor WHERE ts IS NOT NULL AND TRY_CAST(utc AS TIMESTAMPTZ) IS NOT NULL GROUP BY file_id"""
    )
    inferred = {file_id: zone for file_id, zone in rows if zone is not None and abs(zone) <= _DAY_US}
    common = next(iter(inferred.values())) if len(set(inferred.values())) == 1 else 0
    own = set(loads.lines(case))
    # Containers keep UTC whatever their host does.
    inside = 0 if case.sql("SELECT 1 FROM events_raw WHERE kind LIKE 'k8s.%' LIMIT 1") else common
    hosts = {source.host: inferred[source.file_id] for source in found if source.host and source.file_id in inferred}
    for source in found:
        usual = inside if source.file_id in own else hosts.get(source.host or "", common)
        source.zone_us = said or inferred.get(source.file_id, usual)
    if not said:
        _write_pieces(case, found)
        shifts = loads.shifts(case, {source.file_id: source.host for source in found}, hosts, own)
        for source in found:
            source.zone_us += shifts.get(source.file_id, 0)


def _clocks(case: Case, found: Sequence[Source]) -> None:
    """Times of hosts whose clock or zone is wrong are moved to those of the others; attempts are separated anew by them."""
    measured = offsets.measure(case)
    case.write("clocks", [[o.host, o.zone_us, o.skew_us, o.error_us, o.meetings] for o in measured])
    wrong = {offset.host: offset for offset in measured if offset.zone_us or offset.skew_us}
    for source in found:
        if offset := wrong.get(source.host or ""):
            source.zone_us += offset.zone_us
            source.skew_us = offset.skew_us
    if wrong:
        _write_pieces(case, found)
        attempts.separate(case)


def _boots(case: Case, found: Sequence[Source]) -> None:
    """Seconds since boot become times where another source of the host prints both."""
    waiting = [source for source in found if _UPTIME in source.times]
    if not waiting:
        return
    pairs = case.sql(
        """SELECT host, ts, TRY_CAST(fields['uptime'] AS DOUBLE) AS up FROM events
        WHERE fields['uptime'] IS NOT NULL AND ts IS NOT NULL AND ts_from = 'line' AND file_id NOT IN
        (SELECT file_id FROM events_raw WHERE ts_clock = 3)"""
    )
    boots: dict[str, list[float]] = defaultdict(list)
    for host, ts, up in pairs:
        if host and up is not None:
            boots[host].append((ts - timedelta(seconds=up) - datetime(1970, 1, 1)).total_seconds())
    for source in waiting:
        known = boots.get(source.host or "")
        if known:
            source.boot = datetime(1970, 1, 1) + timedelta(seconds=statistics.median(known))


def _processes(case: Case, found: Sequence[Source]) -> None:
    """(host, pid) -> global rank, from the largest communicator; then which rank a whole file belongs to."""
    rows = case.found(
        """WITH world AS (SELECT max(nranks) AS n FROM nccl_comm_init)
        SELECT DISTINCT host, pid, comm_rank FROM nccl_comm_init, world
        WHERE nranks = n AND host IS NOT NULL AND pid IS NOT NULL ORDER BY ALL"""
    )
    ranks: dict[tuple[str, int], set[int]] = defaultdict(set)
    for host, pid, rank in rows:
        ranks[host, pid].add(rank)
    # A process with several GPUs is several ranks: its pid names none of them.
    known = {process: next(iter(several)) for process, several in ranks.items() if len(several) == 1}
    case.write("processes", sorted((host, pid, rank) for (host, pid), rank in known.items()))
    inside: dict[int, set[int | None]] = defaultdict(set)
    for file_id, host, pid in case.sql(
        "SELECT DISTINCT file_id, host, pid FROM events WHERE host IS NOT NULL AND pid IS NOT NULL AND source LIKE 'nccl%'"
    ):
        inside[file_id].add(known.get((host, pid)))
    for source in found:
        one = inside.get(source.file_id, set())
        if len(one) == 1 and None not in one:
            source.rank = next(iter(one))
    by_directory = {_directory(s): s.rank for s in found if s.hints.local_rank is not None and s.rank is not None}
    local = _local_ranks(case)
    for source in found:
        if source.rank is None and source.hints.local_rank is not None:
            source.rank = by_directory.get(_directory(source), local.get((source.host, source.hints.local_rank)))
        if source.rank is None:
            source.rank = source.hints.rank


def _local_ranks(case: Case) -> dict[tuple[str | None, int], int]:
    """(host, local rank) -> global rank, where a launcher's tables say so and never otherwise."""
    rows = case.found(
        """SELECT host, local_rank, min(rank) FROM elastic_child_failed
        WHERE host IS NOT NULL AND local_rank IS NOT NULL GROUP BY ALL HAVING count(DISTINCT rank) = 1"""
    )
    return {(host, local): rank for host, local, rank in rows}


def _directory(source: Source) -> str:
    return source.name.rpartition("/")[0]


def files_rows(case: Case, found: Sequence[Source]) -> list[list[Any]]:
    """Rows of the table `files`."""
    rows = []
    for source in found:
        zone, skew = timedelta(microseconds=source.zone_us), timedelta(microseconds=source.skew_us)
        pieces = source.pieces
        lines, matched, damaged = (sum(piece[key] for piece in pieces) for key in ("lines", "matched", "damaged"))
        matched = min(matched, lines)
        damaged = min(damaged, lines - matched)
        status, error = _status(pieces, lines, matched)
        began, ended = (None if at is None else at - skew for at in _span(source, zone))
        rows.append(
            [
                *(source.file_id, source.argument, source.path, source.member, source.location),
                *(_digest(pieces), sum(piece["size_bytes"] for piece in pieces)),
                *(lines, matched, lines - matched - damaged, damaged),
                *(began, ended, source.host, source.host_from, source.hints.host, source.rank, status, error),
            ]
        )
    return rows


def _digest(pieces: Sequence[Mapping[str, Any]]) -> str:
    return pieces[0]["digest"] if len(pieces) == 1 else "+".join(piece["digest"][:16] for piece in pieces)


def _status(pieces: Sequence[Mapping[str, Any]], lines: int, matched: int) -> tuple[str, str | None]:
    for status in ("failed", "partial", "skipped"):
        for piece in pieces:
            if piece["status"] == status:
                return status, piece["error"]
    error = next((piece["error"] for piece in pieces if piece["error"]), None)
    if lines and not matched:
        return "unrecognised", error or "No line of it was recognised."
    return "ok", error


def _span(source: Source, zone: timedelta) -> tuple[datetime | None, datetime | None]:
    found: list[datetime] = []
    for kind, (low, high, first, last) in source.times.items():
        if kind == clock.UTC:
            found += [low, high]
        elif kind == clock.LOCAL:
            found += [low - zone, high - zone]
        elif kind == clock.YEARLESS and source.year is not None:
            found += [_dated(first, source.year) - zone, _dated(last, source.year + source.wraps) - zone]
        elif kind == _UPTIME and source.boot is not None:
            found += [source.boot + (value - datetime(1970, 1, 1)) for value in (low, high)]
    return min(found, default=None), max(found, default=None)


def _dated(stamp: datetime, year: int) -> datetime:
    try:
        return stamp.replace(year=year)
    except ValueError:
        return stamp.replace(year=year, day=28)
