"""From paths to a case with findings and verdicts: scan, settle, derive, rules, verdict."""

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from ncclscope import bounds, dates, derived, executors, locks, packs, rules, scan, schema, tables, verdict, views, weakened, zones
from ncclscope.case import Case, open_case
from ncclscope.findings import Finding
from ncclscope.packs import Pack
from ncclscope.summaries import Summary
from ncclscope.verdict import Verdict

# The manifest of the scan before.
BEFORE = "manifest.before.json"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case: the headline, its time, files by status, lines, recognised lines, decompressed bytes."""

    status: str
    sentence: str
    began: str | None
    ended: str | None
    files: dict[str, int]
    lines: int
    matched: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may say on the command line; none of it changes what the evidence says."""

    case: Path | None = None
    packs: tuple[str, ...] = ()
    workers: int | None = None
    # The zone of times that state none; see `zones`.
    zone: str = ""
    # What is read where it is not everything under the paths.
    planned: scan.Plan | None = None
    # Seconds that reading may take, bytes that all processes may hold.
    seconds: float | None = None
    memory: int | None = None
    # Another executor than processes of this machine.
    start: executors.Start | None = None


class Watch(Protocol):
    """Who judges while reading goes on; see `early`."""

    def begin(self, reading: scan.Reading, case: Path, crew: executors.Crew) -> None:
        """Before the first parcel."""
        ...

    def __call__(self, reading: scan.Reading, case: Path) -> None:
        """Before the first parcel and after each."""
        ...


def scan_case(
    paths: Sequence[str],
    options: Options,
    listener: scan.Listener | None = None,
    waiting: Callable[[], None] | None = None,
    early: Watch | None = None,
) -> Path:
    """Reads what is new and commits the case; returns its directory. Raises SourceError, PackError.

    `early` is called before the first parcel and after each; see there. Two scans of one case take turns: the second calls
    `waiting` and then finds read what the first has read.
    """
    todo = options.planned or scan.plan(paths)
    case_dir = options.case or scan.default_case(todo.paths, f"{options.packs}")
    with locks.hold(case_dir, waiting):
        reading = scan.Reading(todo, case_dir, options.packs, options.seconds)

        def tell(progress: scan.Progress) -> None:
            if listener:
                listener(progress)
            if early:
                early(reading, case_dir)

        with scan.crew_for(reading, options.workers, options.start, options.memory) as crew:
            if early:
                early.begin(reading, case_dir, crew)
            summaries = reading.run(crew, tell)
        commit(case_dir, todo, summaries, options)
        judge(str(case_dir), options.packs, bounds.share_of(options.memory, 1))
        reading.index.clean(kept_parcels(case_dir))
    return case_dir


def commit(case_dir: Path, todo: scan.Plan, summaries: Sequence[Summary], options: Options, job: Mapping[str, str] | None = None) -> None:
    """Writes the manifest. The parcels of the one before are kept too, for whoever has the case open."""
    with contextlib.suppress(OSError):
        half = case_dir / f"{BEFORE}.part"
        half.write_bytes((case_dir / schema.MANIFEST).read_bytes())
        half.replace(case_dir / BEFORE)
    scan.write_manifest(case_dir, todo, summaries, options.packs, _zone_us(options.zone, summaries), job)


def kept_parcels(case_dir: Path) -> set[str]:
    """The parcels of this manifest and the one before."""
    kept: set[str] = set()
    for name in (schema.MANIFEST, BEFORE):
        with contextlib.suppress(OSError, ValueError):
            kept |= set(json.loads((case_dir / name).read_text("utf-8"))["parcels"])
    return kept


def judge(
    case_dir: str, extra: tuple[str, ...] = (), memory: int | None = None, threads: int | None = None, is_whole: bool = True
) -> Outcome:
    """Draws the conclusions of a case whose manifest is written, unless they are drawn; what came of it.

    Of evidence that is not read whole yet only suspicions come. A module-level function with plain arguments, so that any
    executor can run it.
    """
    bounds.settle(memory)
    pack, directory = load_pack(extra), Path(case_dir)
    opened = open_case(directory, pack, views.shared())
    if threads:
        opened.con.execute(f"SET threads = {threads}")
    if not _is_current(directory, pack):
        conclude(opened, pack, is_whole)
        if is_whole:
            _mark(directory, pack)
    return outcome_of(opened)


def load_pack(extra: tuple[str, ...]) -> Pack:
    """Packs, loaded once by a process that judges many cases, and again when files of theirs change."""
    folders = [Path(said.rpartition(":")[2]) for said in extra]
    return _pack(extra, max((path.stat().st_mtime_ns for folder in folders for path in folder.rglob("*")), default=0))


@lru_cache(maxsize=4)
def _pack(extra: tuple[str, ...], _: int) -> Pack:
    return packs.load(extra)


def as_plain(outcome: Outcome) -> dict[str, Any]:
    """The same as JSON has it."""
    return asdict(outcome)


def outcome_of(case: Case) -> Outcome:
    """What a list of cases says of one."""
    [(status, sentence, began, ended)] = case.sql("SELECT status, sentence, began, ended FROM verdicts WHERE headline")
    files = dict(case.sql("SELECT status, count(*) FROM files GROUP BY ALL ORDER BY ALL"))
    lines, matched, size = case.sql("SELECT coalesce(sum(lines), 0), coalesce(sum(matched), 0), coalesce(sum(size_bytes), 0) FROM files")[0]
    spans = [value.isoformat() if value else None for value in (began, ended)]
    case.con.close()
    return Outcome(status, sentence, spans[0], spans[1], files, int(lines), int(matched), int(size))


def _zone_us(zone: str, summaries: Sequence[Summary]) -> int:
    pieces = [(piece.mtime_ns, piece.times) for summary in summaries for piece in summary.pieces]
    return zones.offset_us(zone, zones.latest_local(pieces, dates.LOCAL, dates.YEARLESS))


def read(case_dir: Path, paths: Sequence[str], pack: Pack, extra: tuple[str, ...] = ()) -> Case:
    """A case with its derived tables and no findings yet, read in this process."""
    case_dir.mkdir(parents=True, exist_ok=True)
    todo = scan.plan(paths)
    scan.write_manifest(case_dir, todo, scan.read_parcels(todo, case_dir, extra, workers=1), extra, 0)
    case = open_case(case_dir, pack, views.shared())
    prepare(case)
    return case


def prepare(case: Case) -> None:
    """Derives the tables that rules read."""
    derived.settle(case)
    case.hold()
    tables.write(case)


def conclude(case: Case, pack: Pack, is_whole: bool = True) -> None:
    """Derives the tables of a case and writes its findings, checks and verdicts."""
    prepare(case)
    seen = {row[0] for row in case.sql("SELECT DISTINCT source FROM events_raw")} | _dense(case)
    findings, checks = rules.run(case, pack.rules.values(), seen)
    # Whom a verdict names is settled by what the rules saw; what is missing only makes it less sure.
    told, lowered = weakened.weaken(findings, lambda: weakened.given(case))
    case.write("findings", rules.as_rows(told))
    case.write("weakened", weakened.as_rows(lowered))
    case.write("checks", [[check.rule, check.status, check.findings, check.error] for check in checks])
    judged = [one if is_whole else verdict.so_far(one) for one in verdicts(case, findings, checks)]
    answer = verdict.headline(judged)
    case.write("verdicts", [_row(one, number == answer) for number, one in enumerate(judged)])
    views.write(case)


def verdicts(case: Case, findings: Sequence[Finding], checks: Sequence[rules.Check]) -> list[Verdict]:
    """One verdict for each attempt, in order."""
    return [verdict.judge(findings, evidence) for evidence in tables.evidence(case, len(checks))]


def _dense(case: Case) -> set[str]:
    written = case.manifest["parcels"].values()
    return {table.name for table in schema.DENSE if any(table.name in names for names in written)}


def _row(one: Verdict, is_headline: bool) -> list[object]:
    finding = one.finding.finding_id if one.finding else None
    return [one.attempt, one.began, one.ended, one.status, one.sentence, finding, list(one.next), is_headline]


def _state(case_dir: Path, pack: Pack) -> str:
    """Changes whenever the conclusions could: other rows, other rules, other code."""
    manifest = json.loads((case_dir / schema.MANIFEST).read_text())
    digest = hashlib.sha256(json.dumps([sorted(manifest["parcels"]), manifest["pieces"], manifest["zone_us"]]).encode())
    digest.update(judgement(pack).encode())
    return digest.hexdigest()


def judgement(pack: Pack) -> str:
    """A digest of everything that judges: rules, views and code."""
    files = [rule.path for rule in pack.rules.values()]
    return _judgement(tuple((str(path), path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=4)
def _judgement(files: tuple[tuple[str, int], ...]) -> str:
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    code = (path for pattern in ("*.py", "schema/*.py", "derived/*.*", "views/*.sql") for path in sorted(folder.glob(pattern)))
    for path in (*(Path(path) for path, _ in files), *code):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _is_current(case_dir: Path, pack: Pack) -> bool:
    try:
        return (case_dir / "state").read_text() == _state(case_dir, pack)
    except OSError:
        return False


def _mark(case_dir: Path, pack: Pack) -> None:
    half = case_dir / "state.part"
    half.write_text(_state(case_dir, pack))
    half.replace(case_dir / "state")
