"""What the path of a file says about it: host, rank, local rank, attempt. Hints, each overruled by content."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

# rank_003.log, rank0.err, ranks/rank3.stderr.log, comm_lib_trace_rank_2, trace_rank_1.json, pyspy/rank2.txt
_RANK = re.compile(r"(?:^|[/._-])(?:global_?)?rank[_.-]?(\d{1,6})(?=[/._-]|$)", re.I)
# torchrun --log-dir: {run_id}_{random}/attempt_{k}/{local_rank}/stdout.log
_TORCHRUN = re.compile(r"(?:^|/)attempt_(\d+)/(\d+)/(?:std(?:out|err)|error)[^/]*$")
_ATTEMPT = re.compile(r"(?:^|[/._-])attempt[_-]?(\d+)(?=[/._-]|$)", re.I)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


# Tools and logs that are collected host by host: next to one of these words a name is a host's.
_TOOLS = _words(
    """dmesg syslog messages kern kernel journal journalctl secure varlog sel ipmi ipmitool bmc idrac ilo sensors
    nvidia smi nvsmi nvidiasmi rocm rocmsmi amdsmi nvlink dcgm dcgmi exporter dmon pmon topo prom telemetry gpu gpus
    ethtool perfquery ibstat ibstatus ibv devinfo ibdev2netdev ibqueryerrors mlxlink rdma ib nic nics net counters counter hw sysfs
    pfc ecn roce netstat nstat sar ss ip lspci pcie mce mcelog edac lustre nfs fabricmanager fm slurmd kubelet containerd
    nccl rccl ras inspector pyspy spy faulthandler gdb stack stacks chrony chronyd ntp ntpd timesyncd systemd metrics
    p2p nvbandwidth p2pbandwidth bandwidth ibdiagnet ibdiagnet2 iblinkinfo ibnetdiscover
    opensm ufm perftest sdr mmfs mmdiag beegfs ceph weka amd"""
)
# What else stands in names of files and is no host: extensions, streams, positions, what was asked for.
_WORDS = _TOOLS | _words(
    """log logs txt text csv tsv json jsonl xml md out err stdout stderr std output console entrypoint dump dumps report reports info data
    stat stats statistics status state states errors error events event trace
    traces report query full all raw list table summary snapshot snap sample
    samples before after pre post start begin end final first last old new prev previous idle load busy health check py s q m e i x d l
    gz bz2 xz zst lz4 zip tar tgz pickle pkl launcher torchrun train training run eval test debug job jobs node nodes host hosts server
    servers worker workers per cluster compute local pair single many hour day today yesterday"""
)
_LABEL = re.compile(
    r"^(?:t\d{1,3}|snap(?:shot)?\d+|v\d+|part\d+|pid\d+|rank\d*|local\d*|attempt\d*|\d+[smhd]|(?:19|20)\d{6}t?\d*z?)$", re.I
)
_DEVICE = re.compile(
    r"^(?:en[opsx]\w*\d\w*|eth\d+|ib(?:\d+|s\d\w*|p\d+s\w+)|bond\d+|hsn\d+|rail\d+"
    r"|mlx[45]|mlx\d|bnxt|irdma\d+|rocep\w+|rdmap\w+|efa\d*|gpu\d+|nvme\d\w*)$",
    re.I,
)
# Hosts have a digit, no underscore, and are not what else is numbered.
_HOST = re.compile(r"^[A-Za-z][A-Za-z0-9-]*\d[A-Za-z0-9-]*$")
_PLAIN = re.compile(r"^[A-Za-z][A-Za-z-]{2,30}$")
_ADDRESS_NAME = re.compile(r"(?<![A-Za-z0-9])ip(?:-\d{1,3}){4}(?!\d)")
_NOT_HOSTS = re.compile(
    r"^(?:gpu[._-]?\d{1,2}|(?:rank|attempt|restart|step|epoch|log|job|slurm|run|stdout|stderr|trace|nccl|mlx|part|seq|out|err|train|iter|ckpt|checkpoint|pid|syslog"
    r"|local|k8s|k3s|exp|experiment|test|case|incident|issue|ticket|trial|fold|phase|stage|day|week|batch|build|version|pr|round|try|boot|diag|cuda|fp|bf|fig|set"
    r"|xid|sxid|raid|nvswitch|nvlink|ibdiagnet|ipv|pcie|python|nfs|numa|psu|fan|dimm|port|swp|ethernet|qsfp|osfp|socket)[._-]?\w{0,3}[._-]?\d*"
    # a rank in short, a version, a time
    r"|[rtv]\d{1,4}"
    # a board, alone or by how many
    r"|(?:[ah]100|[ah]800|h20|h200|b[1-3]00|gb[23]00|v100|a10|a30|a40|l4|l40s?|t4|mi\d{3}x?)(?:x\d{1,2})?"
    # a model and its size
    r"|.*(?:^|[-])\d+(?:\.\d+)?[bm](?:$|-).*|(?:llama|gpt|qwen|mixtral|mistral|bert|resnet|vit|t|opt|phi|gemma|deepseek|falcon|bloom|moe)-?\d.*)$",
    re.I,
)
# Directories whose members are hosts.
_HOST_DIRS = _words("host hosts node nodes counters telemetry dmesg syslog syslogs messages journal kern smi metrics dcgm bmc sel pyspy")
# In front of a dash these belong to a name (gpu-a09, node-17) unless what follows is one by itself.
_OWN = _words("gpu gpus node nodes host hosts server servers worker workers compute ib nic net cluster")
_STRONG = re.compile(r"^(?:node|host|worker|server|srv|dgx|hgx|gpu|cn|nid|compute|ip-)[A-Za-z-]*\d", re.I)


@dataclass(frozen=True, slots=True)
class Hints:
    """None where the path says nothing."""

    host: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    attempt: int | None = None


def hints(path: str, hosts: Collection[str], alike: Mapping[str, str] | None = None) -> Hints:
    """What a path says; a component that is, or holds between separators, one of the known `hosts` is a host.

    `alike` holds what `varying` found among all paths of the case.
    """
    torchrun = _TORCHRUN.search(path)
    attempt = _ATTEMPT.search(path)
    rank = _RANK.findall(path)
    return Hints(
        host=_known(path, hosts) or _guessed(path) or (alike or {}).get(path),
        rank=int(rank[-1]) if rank else None,
        local_rank=int(torchrun[2]) if torchrun else None,
        attempt=int(torchrun[1]) if torchrun else (int(attempt[1]) if attempt else None),
    )


def varying(paths: Iterable[str]) -> dict[str, str]:
    """Names without digits that three or more files of one pattern differ by: dmesg-alpha.txt, dmesg-beta.txt, dmesg-gamma.txt.

    The rest of the pattern must name a tool that is run host by host.
    """
    groups: dict[tuple[str, str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        directory, _, name = path.rpartition("/")
        core, before, after = _core(name)
        if core and _PLAIN.match(core) and _tools(before + after) and not any(word in _WORDS for word in core.lower().split("-")):
            pattern = " ".join(before).lower(), " ".join(word for word in after if word.lower() not in ("before", "after")).lower()
            groups[directory, *pattern][core].append(path)
    return {path: core for cores in groups.values() if len(cores) >= 3 for core, of in cores.items() for path in of}


def beside(paths: Iterable[str], hosts: Collection[str]) -> dict[str, str]:
    """Directories numbered like siblings of theirs that the text shows to be hosts: with t0/ and t2/ known, t1/ is one too."""
    inside: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        directories = path.split("/")[:-1]
        for at, name in enumerate(directories):
            if _HOST.match(name):
                inside["/".join(directories[:at]), re.sub(r"\d+", "#", name)][name].append(path)
    return {
        path: name
        for siblings in inside.values()
        if sum(name in hosts for name in siblings) >= 2
        for name, members in siblings.items()
        if name not in hosts
        for path in members
    }


def _known(path: str, hosts: Collection[str]) -> str | None:
    found = [host for host in hosts if re.search(rf"(?:^|[/._-]){re.escape(host)}(?=[/._]|-\D|-?$)", path)]
    return max(found, key=lambda host: (len(host), host)) if found else None


def _guessed(path: str) -> str | None:
    *directories, name = path.split("/")
    if cloud := _ADDRESS_NAME.findall(path):
        return str(cloud[-1])
    core, before, after = _core(name)
    if core and _is_host(core):
        # A bare name is a host's unless a number behind it was cut: a job and its id.
        if _tools(before + after) or not any(word.isdigit() for word in after) or (directories and directories[-1].lower() in _HOST_DIRS):
            return core
        return None
    if _tools(re.split(r"[._-]", name)):
        # words nobody foresaw beside a tool's: rdma_stat_before_jh2.txt, dcgmi-diag_long.node7.log
        inner = [_core(piece)[0] for piece in re.split(r"[._]", name)]
        found = {one for one in inner if one and _is_host(one)}
        if len(found) == 1:
            return found.pop()
    for at in range(len(directories) - 1, -1, -1):
        core, before, after = _core(directories[at])
        if not core or not _is_host(core):
            continue
        above = directories[at - 1].lower() if at else ""
        if above in _HOST_DIRS or _tools(before + after) or not (before or after):
            return core
    return None


def _core(name: str) -> tuple[str, list[str], list[str]]:
    """What is left of a name when words, labels, numbers and devices at both ends are cut, and what was cut."""
    parts = re.split(r"([._-])", name)
    words, marks = parts[::2], ["", *parts[1::2]]
    low, high = 0, len(words)
    while low < high and _cut_front(words, marks, low, high):
        low += 1
    while high > low and _cut_back(words, marks, low, high):
        high -= 1
    core = "".join(mark + word for mark, word in zip(marks[low:high], words[low:high], strict=True))
    return core.removeprefix(marks[low] if low < high else ""), words[:low], words[high:]


def _cut_front(words: list[str], marks: list[str], low: int, high: int) -> bool:
    word = words[low].lower()
    if not word or word.isdigit() or _LABEL.match(word):
        return True
    if word in _OWN and low + 1 < high and marks[low + 1] == "-":
        rest = "-".join(words[low + 1 : high])
        return bool(_STRONG.match(rest)) or words[low + 1].lower() in _WORDS
    return word in _WORDS


def _cut_back(words: list[str], marks: list[str], low: int, high: int) -> bool:
    word, mark = words[high - 1].lower(), marks[high - 1]
    if word.isdigit():
        # hgx-01 is a name; node7_3, node7.4711.log and node7-20260301 are numbered
        return mark != "-" or len(word) >= 8
    # the `_0` of mlx5_0 was a number
    return not word or word in _WORDS or bool(_LABEL.match(word)) or (high - 1 > low and bool(_DEVICE.match(word)) and mark != "-")


def _tools(words: Iterable[str]) -> bool:
    return any(word.lower() in _TOOLS for word in words)


def _is_host(name: str) -> bool:
    return bool(_HOST.match(name)) and not _NOT_HOSTS.match(name) and not _DEVICE.match(name)
