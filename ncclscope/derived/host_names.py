"""The tables `host_names` and `host_spans`, and which host a whole source belongs to."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ncclscope.case import Case
from ncclscope.derived.source import Source
from ncclscope.pathhints import beside, hints, varying

# Commands that show the machine they run on; what others print (a job's log, a pod, another host over ssh) may be of anywhere.
_LOCAL = re.compile(
    r"^(?:(?:sudo|watch|timeout|time|LC_ALL=C)(?: -\S+| \d+\S*)* )*(?:\S*/)?"
    r"(?:dmesg|nvidia-smi|nvidia-bug-report\S*|rocm-smi|amd-smi|dcgmi|ibstat|ibstatus|ibv_\w+|ibdev2netdev|show_gids|ethtool|rdma|mlxlink|mst"
    r"|lspci|lldpcli|ip|ifconfig|ss|netstat|nstat|ipmitool|sensors|free|vmstat|iostat|nfsiostat|mpstat|sar|top|ps|py-spy|gdb|lsof|numactl|lscpu"
    r"|uptime|last|who|hostname|uname|df|mount|nvme|smartctl|chronyc|timedatectl|systemctl|ulimit|sysctl|lsmod|modinfo"
    r"|journalctl(?! .*(?:-D|--directory|--file))|(?:cat|tail|head|less|grep|zgrep|egrep)\b.* /(?:var/log|proc|sys)/)\b",
)
# Commands that show what runs or was written elsewhere; others, as a launcher of this machine's processes, speak of it.
_ELSEWHERE = re.compile(
    r"\b(?:ssh|pdsh|clush|ansible|srun|sbatch|salloc|kubectl|oc|mpirun|mpiexec|horovodrun|ray|deepspeed|docker|podman|cat|zcat|less|more|tail|head|z?e?grep)\b"
)


def write(case: Case, found: Sequence[Source]) -> None:
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
    paths = [source.name for source in found]
    alike = varying(paths) | beside(paths, hosts)
    pasted = _pasted(case, names)
    for source in found:
        source.hints = hints(source.name, hosts, alike)
        if source.hints.host in pods:
            source.hints = replace(source.hints, host=pods[source.hints.host])
        inside = named.get(source.file_id)
        if source.file_id in pasted and pasted[source.file_id] != set(inside or ()):
            continue
        if inside and len(inside) == 1 and not (source.file_id in shared and shared[source.file_id] - set(inside)):
            source.host, source.host_from = next(iter(inside)), "text"
        elif source.hints.host and (not inside or source.hints.host in inside):
            source.host, source.host_from = source.hints.host, "path"


def _pasted(case: Case, names: set[str]) -> dict[int, set[str]]:
    """Sources with shell prompts and whose lines they hold, after writing which lines are of the host of a prompt.

    That is the host of the prompts, and nobody's ("") where a command shows what is elsewhere.
    """
    prompts = case.found("SELECT file_id, line, prompt_host, command FROM shell_prompt ORDER BY ALL")
    rows = []
    held: dict[int, set[str]] = defaultdict(set)
    for (file_id, line, at, command), after in zip(prompts, [*prompts[1:], None][: len(prompts)], strict=True):
        is_local = bool(command and _LOCAL.match(command))
        held[file_id] |= {_short(at, names)} if is_local or not _ELSEWHERE.search(command or "") else {""}
        if is_local:
            end = after[1] if after and after[0] == file_id else 2**62
            rows.append((file_id, line + 1, end, _short(at, names)))
    if rows:
        case.write("host_spans", rows)
    return held


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
