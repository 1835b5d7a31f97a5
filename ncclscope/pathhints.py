"""What the path of a file says about it: host, rank, local rank, attempt. Hints, each overruled by content."""

import re
from collections.abc import Collection
from dataclasses import dataclass

# rank_003.log, rank0.err, ranks/rank3.stderr.log, comm_lib_trace_rank_2, trace_rank_1.json, pyspy/rank2.txt
_RANK = re.compile(r"(?:^|[/._-])(?:global_?)?rank[_.-]?(\d{1,6})(?=[/._-]|$)", re.I)
# torchrun --log-dir: {run_id}_{random}/attempt_{k}/{local_rank}/stdout.log
_TORCHRUN = re.compile(r"(?:^|/)attempt_(\d+)/(\d+)/(?:std(?:out|err)|error)[^/]*$")
_ATTEMPT = re.compile(r"(?:^|[/._-])attempt[_-]?(\d+)(?=[/._-]|$)", re.I)
# A directory of hosts: hosts/node017/syslog, counters/ip-10-1-2-3/before.txt, syslog/node008.syslog.1.gz
_HOST_DIR = re.compile(
    r"(?:^|/)(?:hosts?|nodes?|counters|telemetry|dmesg|syslogs?|messages|journal|smi|metrics|dcgm)/([A-Za-z][\w-]*\d[\w-]*)(?=[/.]|$)",
    re.I,
)
# nvidia-smi_gpu-a09.csv, gpu_metrics-node017.csv, gpu-a09_before.txt, node064.log, h100-07.log
_HOST_FILE = re.compile(
    r"(?:^|/)(?:(?:nvidia-smi|nvidia_smi|smi|gpu_metrics|gpu|dcgm|dmesg|syslog|nic_counters|counters|ethtool|perfquery|ibstat|kern|journal|messages|nccl|sel|ipmi|bmc)[_.-])?"
    r"([A-Za-z][A-Za-z-]*\d[\w-]*?)(?:[_.-](?:before|after|syslog|dmesg|journal|kern|messages|metrics|smi|t\d+))?(?:\.[\w.]+)?$",
    re.I,
)
_NOT_HOSTS = re.compile(
    r"^(?:rank|attempt|gpu|step|epoch|log|job|slurm|run|stdout|stderr|trace|nccl|mlx|part|seq|out|err|train|iter|ckpt|v|t|worker|pid|syslog|comm_lib_trace|nccl_trace)"
    r"[_.-]?\w{0,3}[_.-]?\d*$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Hints:
    """None where the path says nothing."""

    host: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    attempt: int | None = None


def hints(path: str, hosts: Collection[str]) -> Hints:
    """What a path says; a component that is, or holds between separators, one of the known `hosts` is a host."""
    torchrun = _TORCHRUN.search(path)
    attempt = _ATTEMPT.search(path)
    rank = _RANK.findall(path)
    return Hints(
        host=_known(path, hosts) or _guessed(path),
        rank=int(rank[-1]) if rank else None,
        local_rank=int(torchrun[2]) if torchrun else None,
        attempt=int(torchrun[1]) if torchrun else (int(attempt[1]) if attempt else None),
    )


def _known(path: str, hosts: Collection[str]) -> str | None:
    found = [host for host in hosts if re.search(rf"(?:^|[/._-]){re.escape(host)}(?=[/._]|-\D|-?$)", path)]
    return max(found, key=lambda host: (len(host), host)) if found else None


def _guessed(path: str) -> str | None:
    for pattern in (_HOST_DIR, _HOST_FILE):
        if (match := pattern.search(path)) and not _NOT_HOSTS.match(match[1]):
            return match[1]
    return None
