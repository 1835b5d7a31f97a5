"""From paths to a case with findings and verdicts: scan, settle, derive, rules, verdict."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ncclscope import clock, derive, ingest, packs, rules, scan, schema, tables, verdict, views, zones
from ncclscope.case import Case, open_case
from ncclscope.findings import Finding
from ncclscope.packs import Pack
from ncclscope.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may say on the command line; none of it changes what the evidence says."""

    case: Path | None = None
    packs: tuple[str, ...] = ()
    workers: int | None = None
    # The zone of times that state none; see `zones`.
    zone: str = ""


def scan_case(paths: Sequence[str], options: Options, listener: scan.Listener | None = None) -> Path:
    """Reads what is new and commits the case; returns its directory. Raises SourceError, PackError."""
    todo = scan.plan(paths)
    case_dir = options.case or scan.default_case(paths, f"{options.packs}")
    case_dir.mkdir(parents=True, exist_ok=True)
    summaries = scan.read_parcels(todo, case_dir, options.packs, options.workers, listener)
    scan.write_manifest(case_dir, todo, summaries, options.packs, _zone_us(options.zone, summaries))
    pack = packs.load(options.packs)
    if not _is_current(case_dir, pack):
        conclude(open_case(case_dir, pack, views.shared()), pack)
        _mark(case_dir, pack)
    return case_dir


def _zone_us(zone: str, summaries: Sequence[ingest.Summary]) -> int:
    pieces = [(piece.mtime_ns, piece.times) for summary in summaries for piece in summary.pieces]
    return zones.offset_us(zone, zones.latest_local(pieces, clock.LOCAL, clock.YEARLESS))


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
    found = derive.settle(case)
    case.write("files", derive.files_rows(case, found))
    case.hold()
    tables.write(case)


def conclude(case: Case, pack: Pack) -> None:
    """Derives the tables of a case and writes its findings, checks and verdicts."""
    prepare(case)
    seen = {row[0] for row in case.sql("SELECT DISTINCT source FROM events_raw")} | _dense(case)
    findings, checks = rules.run(case, pack.rules.values(), seen)
    case.write("findings", rules.as_rows(findings))
    case.write("checks", [[check.rule, check.status, check.findings, check.error] for check in checks])
    case.write("verdicts", [_row(one) for one in verdicts(case, findings, checks)])
    views.write(case)


def verdicts(case: Case, findings: Sequence[Finding], checks: Sequence[rules.Check]) -> list[Verdict]:
    """One verdict for each attempt, in order."""
    return [verdict.judge(findings, evidence) for evidence in tables.evidence(case, len(checks))]


def _dense(case: Case) -> set[str]:
    written = case.manifest["parcels"].values()
    return {table.name for table in schema.DENSE if any(table.name in names for names in written)}


def _row(one: Verdict) -> list[object]:
    finding = one.finding.finding_id if one.finding else None
    return [one.attempt, one.began, one.ended, one.status, one.sentence, finding, list(one.next)]


def _state(case_dir: Path, pack: Pack) -> str:
    """Changes whenever the conclusions could: other rows, other rules, other code."""
    manifest = json.loads((case_dir / "manifest.json").read_text())
    digest = hashlib.sha256(json.dumps([sorted(manifest["parcels"]), manifest["pieces"], manifest["zone_us"]]).encode())
    for rule in pack.rules.values():
        digest.update(rule.path.read_bytes())
    for module in sorted(Path(__file__).parent.glob("*.py")) + sorted((Path(__file__).parent / "views").glob("*.sql")):
        digest.update(module.read_bytes())
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
