"""Judges reports of labelled cases: is the verdict right, and if not, how is it wrong?

A labelled case is a directory with `expect.json` and the evidence in `logs/`. Names are compared after normalising,
so `NODE3.cluster`, `node3` and `host: node3` are one host, and a bus id is one GPU in any spelling.
"""

import json
import math
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ncclscope import analyse, packs, report, views, vocabulary
from ncclscope.case import open_case

LABEL = "expect.json"
LEVELS = {"host": "hosts", "rank": "ranks", "gpu": "gpus", "device": "devices"}
# How a case may come out; a wrong name and a false alarm cost more than an honest `abstained`.
OUTCOMES = ("right", "wrong name", "false alarm", "abstained", "missed")
_HONEST = ("insufficient", "symptoms_only")

_WORD = re.compile(r"^(rank|gpu|host)[ =:#]+")
_BUS = re.compile(r"(?:pci:)?(?:[0-9a-f]{4,8}:)?([0-9a-f]{2}:[0-9a-f]{2})(?:\.[0-9a-f])?$")
_NIC = re.compile(r"(mlx|bnxt|irdma|efa|rdmap|rocep|ibp|ib|hfi|cxi|eth|en|eno|ens|enp|bond|lo|docker|virbr|veth|br)[0-9a-z_.-]*$")
_UUID = re.compile(r"(gpu|mig)-[0-9a-f]{8}(-[0-9a-f]{4}){0,3}(-[0-9a-f]{12})?$")
_ADDRESS = re.compile(r"[0-9.:\[\]-]+")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of one case, and why it is not right."""

    case: str
    outcome: str
    status: str
    sentence: str
    faults: tuple[str, ...]
    # How sure the verdict was of itself; empty where no finding is behind it.
    confidence: str = ""


def cases(folder: Path) -> list[Path]:
    """Every labelled case below a folder, in order."""
    return sorted(path.parent for path in folder.rglob(LABEL))


def run(folder: Path, extra: tuple[str, ...] = ()) -> Judgement:
    """Reads a labelled case from nothing and judges its report."""
    with tempfile.TemporaryDirectory(prefix="ncclscope-corpus-") as work:
        options = analyse.Options(case=Path(work) / "case", packs=extra, workers=1)
        directory = analyse.scan_case([str(folder / "logs")], options)
        built = report.build(open_case(directory, packs.load(extra), views.shared()))
    return judge_folder(folder, built)


def judge_folder(folder: Path, built: Mapping[str, Any]) -> Judgement:
    """Compares a report with the label in a folder."""
    return judge(folder.name, json.loads((folder / LABEL).read_text("utf-8")), built)


def judge(name: str, label: Mapping[str, Any], built: Mapping[str, Any]) -> Judgement:
    """Compares a report with what the label accepts."""
    verdict = built["verdict"]
    loud = _loud_kinds(built)
    wrong = wrong_names(label, verdict["culprit"])
    alarms = _alarms(label, loud)
    faults = [f"wrong name {one}" for one in wrong] + [f"false alarm {kind}" for kind in alarms]
    if verdict["status"] not in label["status"]:
        faults.append(f"status {verdict['status']}, not {' or '.join(label['status'])}")
    if label.get("kinds") and _two(verdict["kind"]) not in map(_two, label["kinds"]):
        faults.append(f"kind {verdict['kind'] or 'none'}, not {' or '.join(label['kinds'])}")
    if not names_required(label, verdict["culprit"], wrong):
        faults.append(f"no {label['level']} named")
    faults += [f"no {kind} among the findings" for kind in label.get("mention", ()) if _two(kind) not in loud]
    outcome = _outcome(faults, bool(wrong), bool(alarms), verdict["status"])
    return Judgement(name, outcome, verdict["status"], verdict["sentence"], tuple(faults), verdict.get("confidence") or "")


def _outcome(faults: list[str], wrong: bool, alarms: bool, status: str) -> str:
    if not faults:
        return "right"
    if wrong:
        return "wrong name"
    if alarms:
        return "false alarm"
    return "abstained" if status in _HONEST else "missed"


def _two(kind: str) -> str:
    return vocabulary.family(kind or "")


def _loud_kinds(built: Mapping[str, Any]) -> set[str]:
    """Kinds of the findings that ask for attention; where nothing can be said, missing evidence is no alarm."""
    kinds = {_two(f["kind"]) for f in built["findings"] if f["severity"] != "info"}
    unsure = built["verdict"]["status"] == "insufficient"
    return {kind for kind in kinds if not (unsure and kind.startswith("evidence."))}


def _alarms(label: Mapping[str, Any], loud: set[str]) -> list[str]:
    silent = label.get("silent", ())
    return sorted(loud if "*" in silent else loud & set(map(_two, silent)))


def wrong_names(label: Mapping[str, Any], culprit: Mapping[str, Any]) -> list[str]:
    """Names in a verdict that the label does not list, at a level where it lists any, or where it wants none."""
    if label.get("any_culprit"):
        return []
    aliases = _plain_all(label.get("aliases", ()))
    out = []
    for level in LEVELS.values():
        named, allowed = _plain_all(culprit[level]), _plain_all(label["culprit"].get(level, ()))
        if not allowed and label.get("level") is not None:
            continue
        for one in sorted(named - aliases):
            finer = level == "gpus" and allowed and _UUID.match(one.split(":")[-1])
            if not finer and not _among(level, one, allowed):
                out.append(f"{level}:{one}")
    return out


def names_required(label: Mapping[str, Any], culprit: Mapping[str, Any], wrong: list[str]) -> bool:
    """Is a name given at the level that the label asks for? True where it asks for none."""
    level = LEVELS.get(label.get("level") or "")
    if level is None:
        return True
    named, allowed = _plain_all(culprit[level]), _plain_all(label["culprit"].get(level, ()))
    if any(_among(level, one, allowed) for one in named):
        return True
    return level == "gpus" and not wrong and any(_UUID.match(one.split(":")[-1]) for one in named)


def _among(level: str, name: str, allowed: set[str]) -> bool:
    if level == "hosts":
        return name in allowed or _short(name) in {*allowed, *map(_short, allowed)}
    return any(_same(name, one) for one in allowed)


def _plain_all(names: Iterable[Any]) -> set[str]:
    return {_plain(str(name)) for name in names}


def _plain(name: str) -> str:
    """One spelling: lower case, no word before it, bus ids short."""
    text = _WORD.sub("", name.strip().lower())
    bus = _BUS.search(text)
    return bus[1] if bus else text


def _same(a: str, b: str) -> bool:
    """Do two spellings name one thing? One without a host fits any host."""
    (host_a, thing_a), (host_b, thing_b) = _split(a), _split(b)
    return a == b or (thing_a == thing_b and (not host_a or not host_b or host_a == host_b))


def _split(name: str) -> tuple[str, str]:
    """Host and thing: `node3:5`, `node3/mlx5_2:1`, `node3 gpu5`; no host in `mlx5_2:1`. A port is left out."""
    host, slash, thing = name.partition("/") if not name.startswith("/") else ("", "", name)
    if not slash:
        host, thing = "", name
        if " " in thing and not _BUS.match(thing):
            host, _, thing = thing.partition(" ")
    head, colon, tail = thing.rpartition(":")
    if not host and colon and not _BUS.match(thing) and not _NIC.match(head) and not tail.startswith("/"):
        host, thing = head, tail
    head, colon, tail = thing.rpartition(":")
    return _short(host), head if colon and tail.isdigit() and _NIC.match(head) else thing


def _short(host: str) -> str:
    """Host without its domain; addresses stay whole."""
    head = host.split(".", maxsplit=1)[0]
    return host if not head or head.isdigit() or _ADDRESS.fullmatch(host) else head


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    if not total:
        return 0.0, 1.0
    z, share = 1.96, hits / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    below = 1 + z * z / total
    return max(0.0, (centre - spread) / below), min(1.0, (centre + spread) / below)


def summary(judgements: Iterable[Judgement]) -> list[str]:
    """One line for each outcome: how many, which share, and its interval."""
    outcomes = [one.outcome for one in judgements]
    lines = []
    for outcome in OUTCOMES:
        hits = outcomes.count(outcome)
        low, high = wilson(hits, len(outcomes))
        share = 100 * hits / max(len(outcomes), 1)
        lines.append(f"{outcome:<12} {hits:>4} of {len(outcomes)}  {share:5.1f} %  [{100 * low:.1f}, {100 * high:.1f}]")
    return lines


def reliability(judgements: Iterable[Judgement]) -> list[str]:
    """One line for each confidence of a verdict: how often it was right, with the interval, and how often it named somebody wrongly.

    What the words promise: certain 98 of 100, likely 85, possible half.
    """
    judged = list(judgements)
    lines = []
    for confidence in (*vocabulary.CONFIDENCES, ""):
        mine = [one for one in judged if one.confidence == confidence]
        if not mine:
            continue
        right, wrong = (sum(one.outcome == outcome for one in mine) for outcome in ("right", "wrong name"))
        low, high = wilson(right, len(mine))
        lines.append(
            f"{confidence or 'no finding':<12} {right:>4} of {len(mine)} right  {100 * right / len(mine):5.1f} %  "
            f"[{100 * low:.1f}, {100 * high:.1f}], {wrong} wrong name{'s' * (wrong != 1)}"
        )
    return lines
