"""What many cases have in common: which hosts, GPUs and devices are named again and again, and whether that is chance."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ncclscope import chance
from ncclscope.case import Case, CaseError, open_case
from ncclscope.packs import Pack
from ncclscope.schema import MANIFEST

LEVELS = ("hosts", "gpus", "devices")
# Below this, after the correction, somebody should look at the part.
SURE = 0.05
METHOD = (
    "A case counts for a part once, if its verdict names the part as cause or suspect. Under chance each part that a case "
    "used is as likely to be named in it as any other, so how often a part is named is a sum of unequal coin throws "
    "(Poisson-binomial); p is the exact probability of at least that many, after Holm's correction for all parts of the "
    "level that were used in any case."
)


@dataclass(slots=True)
class Used:
    """What one case used and named, for each level; began is when its job did."""

    name: str
    status: str
    sentence: str
    began: str | None
    used: dict[str, set[str]] = field(default_factory=lambda: {level: set() for level in LEVELS})
    named: dict[str, set[str]] = field(default_factory=lambda: {level: set() for level in LEVELS})


def cases(folder: Path) -> list[Path]:
    """The directories of cases in a folder, in order; jobs that are there twice are not among them."""
    return sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))


def read(folder: Path) -> Iterator[Used]:
    """What each case used and named. One that was not finished is passed over."""
    for directory in cases(folder):
        try:
            case = open_case(directory, Pack())
            yield _read(case, directory.name)
            case.con.close()
        except CaseError:
            continue


def _read(case: Case, name: str) -> Used:
    verdicts = case.rows(
        """SELECT v.status, v.sentence, v.began, f.hosts, f.gpus, f.devices, f.either, f.role
        FROM verdicts v LEFT JOIN findings f ON f.finding_id = v.finding_id ORDER BY v.attempt"""
    )
    if not verdicts:
        raise CaseError(f"{case.path} has no verdict")
    last = verdicts[-1]
    one = Used(name, last["status"], last["sentence"], str(min(filter(None, (v["began"] for v in verdicts)), default="")) or None)
    known = _gpus(case)
    one.used["hosts"] = {host for (host,) in case.sql("SELECT DISTINCT host FROM hosts WHERE host IS NOT NULL")}
    one.used["gpus"] = set(known.values())
    for verdict in verdicts:
        if verdict["status"] in ("cause_found", "suspect") and verdict["role"] == "cause":
            one.named["hosts"] |= set(verdict["hosts"] or ())
            lone = verdict["hosts"][0] if len(verdict["hosts"] or ()) == 1 else ""
            one.named["gpus"] |= {_gpu(gpu, lone, known) for gpu in _lasting(verdict["gpus"] or ())}
            one.named["devices"] |= {_on(lone, device) for device in verdict["devices"] or ()}
    one.used["devices"] = {_on(host, device) for host, device in case.sql(_DEVICES)}
    for level in LEVELS:
        one.used[level] |= one.named[level]
    return one


# A NIC or port was used if any line or counter of its host names it.
_DEVICES = r"""SELECT DISTINCT host, device FROM (
  SELECT host, device FROM metrics WHERE device IS NOT NULL AND gpu IS NULL
  UNION ALL
  SELECT host, unnest(regexp_extract_all(message, '\b((?:mlx5|bnxt_re|irdma|rocep|efa|ibs|ibp|rdmap)\w*\d)(?::\d+)?', 1))
  FROM events
  WHERE kind LIKE 'nccl.net%' OR kind LIKE 'nccl.init%')
WHERE host IS NOT NULL AND device NOT ILIKE 'GPU-%' AND NOT regexp_matches(device, '^[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:')"""


def _gpus(case: Case) -> dict[str, str]:
    """Every name of each GPU that a rank ran on, and the one that lasts: its UUID, else its bus id or index on its host."""
    names: dict[str, str] = {}
    for host, gpu, uuid, bus in case.sql("SELECT DISTINCT host, gpu, gpu_uuid, pci_bus FROM ranks WHERE host IS NOT NULL ORDER BY ALL"):
        if gpu is None and uuid is None and bus is None:
            continue
        lasting = uuid or (f"{host}/{bus}" if bus else f"{host}:{gpu}")
        for name in (uuid, f"{host}/{bus}" if bus else None, f"{host}:{gpu}" if gpu is not None else None):
            if name:
                names[name.lower()] = lasting
    return names


def _lasting(names: Sequence[str]) -> Sequence[str]:
    """One GPU by two names, as `node017:3` and its bus id, is one GPU; the index changes when another one is lost."""
    indexes = [name for name in names if re.search(r"(?<!:..):\d{1,2}$", name)]
    return [name for name in names if name not in indexes] if len(names) == 2 and len(indexes) == 1 else names


def _gpu(name: str, host: str, known: Mapping[str, str]) -> str:
    said = name.lower()
    return known.get(said) or known.get(f"{host.lower()}/{said}") or _on(host, name)


def _on(host: str, name: str) -> str:
    """A name that is only unique on its host with the host before it."""
    if not host or "/" in name or name.startswith((f"{host}:", "GPU-", "MIG-")):
        return name
    return f"{host}/{name}"


@dataclass(frozen=True, slots=True)
class Part:
    """A host, GPU or device: in how many cases it was used and named, the corrected probability, and which cases."""

    name: str
    used: int
    named: int
    expected: float
    p: float
    cases: tuple[str, ...]

    @property
    def is_conspicuous(self) -> bool:
        """Is it named more often than chance would have it?"""
        return self.named > 1 and self.p < SURE


def _host_of(name: str) -> str:
    return re.split("[/:]", name, maxsplit=1)[0]


def parts(read_cases: Sequence[Used], level: str) -> tuple[list[Part], int]:
    """The parts of a level that were named at all, most conspicuous first, and how many were looked at.

    What any case knows of a host, every case that ran on it used: logs name a NIC when it fails, not when it works.
    """
    shares: dict[str, list[float]] = defaultdict(list)
    named: dict[str, list[str]] = defaultdict(list)
    attached: dict[str, set[str]] = defaultdict(set)
    for one in read_cases:
        for name in one.used[level]:
            attached[_host_of(name)].add(name)
    for one in read_cases:
        used = one.used[level].union(*(attached[host] for host in one.used["hosts"] if level != "hosts"))
        for name in used:
            shares[name].append(len(one.named[level]) / len(used))
        for name in sorted(one.named[level]):
            named[name].append(one.name)
    raw = {name: chance.at_least(shares[name], len(several)) for name, several in named.items()}
    adjusted = chance.holm(raw, len(shares))
    found = [
        Part(name, len(shares[name]), len(several), sum(shares[name]), adjusted[name], tuple(several)) for name, several in named.items()
    ]
    return sorted(found, key=lambda part: (part.p, -part.named, part.name)), len(shares)


def as_told(folder: Path) -> dict[str, Any]:
    """Everything that the command prints, as one value."""
    every = list(read(folder))
    told: dict[str, Any] = {"cases": len(every), "method": METHOD}
    verdicts: dict[str, int] = defaultdict(int)
    for one in every:
        verdicts[one.status] += 1
    told["verdicts"] = dict(sorted(verdicts.items()))
    told["levels"] = {}
    for level in LEVELS:
        found, looked_at = parts(every, level)
        told["levels"][level] = {
            "looked_at": looked_at,
            "named": [
                {
                    "name": part.name,
                    "used": part.used,
                    "named": part.named,
                    "expected": round(part.expected, 3),
                    "p": float(f"{part.p:.3g}"),
                    "conspicuous": part.is_conspicuous,
                    "cases": list(part.cases),
                }
                for part in found
            ],
        }
    return told
