"""Which of the files given belong to one job: directories, archives, trees in archives, ids in names and in text."""

import glob
import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ncclscope.archives import members_of
from ncclscope.decompress import Damage, Flow, chunks_of
from ncclscope.walk import Problem, Source, SourceError, file_id_of, find, open_file

WAYS = ("auto", "entry", "directory", "archive", "slurm", "run")
HEAD_BYTES = 16 << 10
PEEK_BYTES = 256 << 10  # how far a compressed archive is looked into for trees; reading finds them all
PEEK_MEMBERS = 4000

# slurm-48213.out, slurm-48213_7.out, job_48213, jobid-48213; the number behind _ is that of an array's task.
_NAMED_ID = re.compile(r"(?:^|[^a-z0-9])(?:slurm|sbatch|job|job_?id|pbs)[-_.]?(\d{2,10}(?:_\d{1,6})?)(?=[^0-9]|$)", re.I)
# 48213, train-48213.err, run.o48213
_BARE_ID = re.compile(r"(?:^|[-_.])(?:[oe])?(\d{5,9})(?=[-_.]|$)")
_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-3]\d)?$")
_DATE_FOLDER = re.compile(r"(?:(?:19|20)\d\d(?:[-_.]?\d\d){0,2}|(?:0?[1-9]|[12]\d|3[01])|w(?:eek)?[-_]?\d\d?)$", re.I)
_SERIES = re.compile(r"(?:\.(?:gz|bz2|xz|zst|lz4|\d{1,3}|old|out|err))+$|-\d{8}(?:-?\d{4,6})?(?=\.|$)")
_ARCHIVE = re.compile(r"\.(?:tar|tgz|tzst|txz|zip|tar\.\w+)$|\.(?:gz|xz|zst|bz2|lz4)$", re.I)
_TEXT_ID = re.compile(
    rb"""\bSLURM_JOB_?ID["']?\s*[=:]\s*["']?(\d{2,10})"""
    rb"""|\b(?:run[_-]id|rdzv[_-]id|wandb_run_id|job[_-]id)["']?\s*[=:]\s*["']?([\w.-]{4,64})""",
    re.I,
)
_NO_ID = frozenset({"none", "null", "auto", "default", "unknown", "true", "false", "test"})


@dataclass(frozen=True, slots=True)
class Job:
    """What is read into one case. `name` can be a directory; `how` says in a phrase why these belong together.

    `is_volume`: an archive with a job in each of several trees, of which each becomes a case.
    """

    name: str
    how: str
    paths: tuple[str, ...]
    sources: tuple[Source, ...]
    problems: tuple[Problem, ...] = ()
    is_volume: bool = False

    @property
    def size_bytes(self) -> int:
        """Bytes on disk."""
        return sum(source.size for source in self.sources)

    @property
    def written_ns(self) -> int:
        """When the last of its files was written."""
        return max((source.mtime_ns for source in self.sources), default=0)


# The group of a source: what it is, where, and what of it; and how that was recognised.
Key = tuple[str, ...]
Chooser = Callable[[Source], tuple[Key, str] | None]


def expand(paths: Sequence[str]) -> list[str]:
    """Patterns that no shell has expanded, as the files they match. Raises SourceError when there are none."""
    out: list[str] = []
    for path in paths:
        if os.path.lexists(path) or path == "-" or not glob.has_magic(path):
            out.append(path)
            continue
        found = sorted(glob.glob(path, recursive=True))
        if not found:
            raise SourceError(f"{path}: nothing matches")
        out += found
    return out


def jobs(paths: Sequence[str], way: str = "auto") -> list[Job]:
    """The jobs under the arguments, by name. `way` is one of WAYS or a pattern whose first group names the job.

    Raises SourceError when an argument does not exist, and re.error.
    """
    paths = expand(paths)
    sources, problems = find(paths)
    choose = _Grouping(paths, [*sources, *(problem.source for problem in problems)], way).group
    grouped: dict[Key, list[Source]] = defaultdict(list)
    bad: dict[Key, list[Problem]] = defaultdict(list)
    why: dict[Key, str] = {}
    for source in sources:
        key, how = choose(source)
        grouped[key].append(source)
        why.setdefault(key, how)
    for problem in problems:
        key, how = choose(problem.source)
        bad[key].append(problem)
        why.setdefault(key, how)
    made = [_job(paths, key, why[key], grouped[key], bad[key]) for key in why]
    if way in ("auto", "slurm", "run"):
        made = [_volume(job) for job in made]
    return _distinct(made)


class _Grouping:
    """What a source belongs to, by its place among the others."""

    def __init__(self, paths: Sequence[str], sources: Iterable[Source], way: str) -> None:
        self.way = way
        self.pattern = None if way in WAYS else re.compile(way)
        self.lone = len(paths) == 1
        self.folders = [os.path.isdir(path) for path in paths]
        self.children: dict[tuple[int, str], set[str]] = defaultdict(set)
        for source in sources:
            parts = source.path.split("/")
            for depth, name in enumerate(parts):
                self.children[source.argument, "/".join(parts[:depth])].add(name)

    def group(self, source: Source) -> tuple[Key, str]:
        """The key of its job, and how it was recognised."""
        folder, _, name = source.path.rpartition("/")
        argument = str(source.argument)
        if self.pattern and (match := self.pattern.search(source.path)):
            named = match[1] if match.re.groups else match[0]
            return ("named", "", "", named or match[0]), f"{named or match[0]} in names, as asked for"
        if self.way == "slurm" and (found := next(filter(None, map(id_in, reversed(source.path.split("/")))), None)):
            return ("id", "", "", found), f"Slurm id {found} in names"
        if self.way == "run" and (found := id_in_text(source)):
            return ("id", "", "", found), f"run id {found} in the text"
        if self.way == "directory" and folder and not source.archive:
            return ("folder", argument, "", folder), "a directory"
        if self.way == "entry" or not self.folders[source.argument]:
            return self._entry(source)
        return self._recognised(source, folder, name)

    def _entry(self, source: Source) -> tuple[Key, str]:
        """Every argument, or every entry of a lone directory."""
        argument = str(source.argument)
        if not self.folders[source.argument]:
            if self.way == "entry":
                return ("file", argument, "", source.path), _file(source)
            return self._file(source, "")
        head, slash, _ = source.path.partition("/")
        if not self.lone:
            return ("folder", argument, "", ""), "a directory"
        return ("folder" if slash else "file", argument, "", head), "a directory" if slash else _file(source)

    def _recognised(self, source: Source, folder: str, name: str) -> tuple[Key, str]:
        argument = str(source.argument)
        parts = source.path.split("/")
        depth = 0 if self.lone or self._holds_jobs(source.argument, "") else -1
        if depth < 0:
            return ("folder", argument, "", ""), "a directory"
        while depth < len(parts) - 1 and self._is_shelf(source.argument, "/".join(parts[: depth + 1])):
            depth += 1
        above, own = "/".join(parts[:depth]), parts[depth]
        if depth == len(parts) - 1:
            return self._file(source, above)
        found = id_in(own)
        if found:
            return ("id", argument, above, found), f"Slurm id {found} in names"
        return ("folder", argument, "", "/".join(parts[: depth + 1])), "a directory"

    def _file(self, source: Source, above: str) -> tuple[Key, str]:
        """A file that lies beside those of other jobs."""
        argument = str(source.argument) if self.folders[source.argument] else ""
        name = source.path.rpartition("/")[2]
        if found := id_in(name):
            return ("id", argument, above, found), f"Slurm id {found} in names"
        if source.archive:
            return ("file", str(source.argument), above, name), "an archive"
        if found := id_in_text(source):
            return ("id", argument, above, found), f"run id {found} in the text"
        return ("series", argument, above, _SERIES.sub("", name) or name), _file(source)

    def _is_shelf(self, argument: int, folder: str) -> bool:
        """A folder that only sorts jobs: by date, or with nothing but jobs in it."""
        name = folder.rpartition("/")[2]
        return bool(_DATE_FOLDER.match(name)) or self._holds_jobs(argument, folder)

    def _holds_jobs(self, argument: int, folder: str) -> bool:
        names = self.children[argument, folder]
        ids = {id_in(name) for name in names}
        return len(ids) > 1 and None not in ids


def id_in(name: str) -> str | None:
    """The number of a batch job in a name: 48213 or, of an array, 48213_7. A date is none."""
    if match := _NAMED_ID.search(name):
        return match[1]
    return next((found for found in _BARE_ID.findall(name) if not _DATE.match(found)), None)


def id_in_text(source: Source) -> str | None:
    """The id of a job or run that the beginning of a file states; None where it states several."""
    if source.archive:
        return None
    try:
        with open_file(source.location) as file:
            head = Flow(chunks_of(file, source.compression)).peek(HEAD_BYTES)
    except OSError:
        return None
    found = {(a or b).decode("ascii", "ignore").strip(".-") for a, b in _TEXT_ID.findall(head)}
    found = {one for one in found if one.lower() not in _NO_ID}
    return next(iter(found)) if len(found) == 1 else None


def tree_of(member: str) -> str:
    """The folder of a member that is a job's, by the id in its name; "" where there is none."""
    parts = member.split("/")
    for depth, name in enumerate(parts[:-1], 1):
        if id_in(name):
            return "/".join(parts[:depth])
    return ""


def trees(source: Source) -> set[str]:
    """The jobs' folders near the beginning of an archive, those of a plain one to its end."""
    found: set[str] = set()
    try:
        with open_file(source.location) as file:
            raw = file if source.archive == "zip" and not source.compression else None
            flow = Flow(chunks_of(file, source.compression), PEEK_BYTES if source.compression else None)
            for number, member in enumerate(members_of(source.archive or "", raw or flow)):
                name = member.name
                while name.startswith("./"):
                    name = name[2:]
                found.add(tree_of(name))
                if number >= PEEK_MEMBERS:
                    break
    except (OSError, Damage):
        pass
    return found


def _volume(job: Job) -> Job:
    """The job, or an archive of several jobs."""
    if len(job.sources) != 1 or not job.sources[0].archive:
        return job
    found = trees(job.sources[0])
    own = id_in(job.sources[0].path.rpartition("/")[2])
    named = found - {""}
    if not named or (len(named) == 1 and ("" in found or (own is not None and own in next(iter(named))))):
        return job
    return replace(job, is_volume=True, how="an archive with a tree for each job")


def _file(source: Source) -> str:
    return "an archive" if source.archive else "a file or series of files"


def _job(paths: Sequence[str], key: Key, how: str, sources: Sequence[Source], problems: Sequence[Problem]) -> Job:
    every = [*sources, *(problem.source for problem in problems)]
    above = key[3] if key[0] == "folder" else key[2]
    tops = {_top(source, above) for source in every}
    lone = next(iter(tops)) if key[0] == "id" and len(tops) == 1 and all(s.path != _top(s, above) for s in every) else ""
    root = lone or above
    numbers = {argument: n for n, argument in enumerate(sorted({source.argument for source in every}))}
    sources = [_below(source, root, numbers) for source in sources]
    problems = [replace(problem, source=_below(problem.source, root, numbers)) for problem in problems]
    name = key[3].rpartition("/")[2] or os.path.basename(os.path.abspath(paths[every[0].argument]))
    shown = {source: root if key[0] == "folder" or lone else _top(source, above) for source in every}
    if key[0] == "id":
        top = next(iter(tops)).rpartition("/")[2]
        if len(tops) == 1 and (id_in(top) == name or len(every) == 1):
            name = top
        else:
            shown = {source: path if id_in(path.rpartition("/")[2]) == name else source.path for source, path in shown.items()}
            name = f"job-{name}" if name[:1].isdigit() else name
    given = sorted({_shown(paths[source.argument], path) for source, path in shown.items()})
    return Job(slug(name), how, tuple(given), tuple(sources), tuple(problems))


def _top(source: Source, above: str) -> str:
    """The path of the file or folder below `above` that a source is or lies in."""
    start = len(above) + 1 if above else 0
    return source.path[: start + len(source.path[start:].partition("/")[0])]


def _below(source: Source, root: str, numbers: dict[int, int]) -> Source:
    """The source as if its job had been scanned alone, from the folder `root` on."""
    path = source.path[len(root) + 1 :] if root and source.path.startswith(f"{root}/") else source.path
    argument = numbers[source.argument]
    return replace(source, path=path, argument=argument, file_id=file_id_of(argument, path, source.member))


def _shown(argument: str, path: str) -> str:
    return os.path.join(argument, path) if path and os.path.isdir(argument) else argument


def slug(name: str) -> str:
    """A name that is safe as a directory."""
    stem = _ARCHIVE.sub("", _ARCHIVE.sub("", name))
    return re.sub(r"[^\w.-]", "_", stem).lstrip(".")[:100] or "job"


def _distinct(made: Sequence[Job]) -> list[Job]:
    """Jobs by name. Of those with one name each gets a mark of its paths, so that a new one changes no other's name."""
    names: dict[str, int] = defaultdict(int)
    for job in made:
        names[job.name] += 1
    return sorted((marked(job) if names[job.name] > 1 else job for job in made), key=lambda job: job.name)


def marked(job: Job) -> Job:
    """The job with a mark of its paths in its name."""
    mark = hashlib.sha256("\0".join(map(os.path.abspath, job.paths)).encode("utf-8", "surrogateescape")).hexdigest()[:6]
    return replace(job, name=f"{job.name}-{mark}")


def chosen(found: Iterable[Job], wanted: Sequence[str]) -> Iterator[Job]:
    """The jobs that were asked for, by name or by the id in it; all where none were. A volume may hold any."""
    for job in found:
        if not wanted or job.is_volume or any(is_meant(job.name, one) for one in wanted):
            yield job


def is_meant(name: str, wanted: str) -> bool:
    """Is this the job that somebody calls so?"""
    return name == wanted or id_in(name) == (id_in(wanted) or wanted)
