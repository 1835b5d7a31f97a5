"""The job: hosts, GPUs, adapters, ranks and processes, one true clock, and the site's conventions.

Times are true UTC seconds since the epoch (float). What a host's clock shows is the true time plus its `skew`, in the
zone of whoever writes.
"""

import random
import string
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

UTC = timezone.utc  # noqa: UP017 - the one spelling that 3.10 tools know too
BUSES = {
    8: ["18", "2a", "3a", "5d", "9a", "ab", "ba", "db"],
    4: ["1b", "43", "9b", "cb"],
}
NIC_BUSES = ["1c", "2e", "3f", "5e", "9c", "ad", "bc", "dc"]
HOSTS = ["node{:03d}", "gpu-b{:02d}", "hgx-t1-{:03d}", "ip-10-4-17-{}", "cn{:04d}", "a3u-{:02d}", "rack7-dgx{:02d}", "h100-{:03d}-p"]
NAMES = ["llama-8b-pt", "moe-16x3b", "sft-32b", "vit-l-clip", "code-13b", "asr-large", "dpo-70b", "t5-xl"]
# Versions that were released together: torch, its NCCL, CUDA.
STACKS = [
    ("1.13", "2.14.3", "11.7"),
    ("2.1", "2.18.5", "12.1"),
    ("2.2", "2.19.3", "12.1"),
    ("2.3", "2.20.5", "12.1"),
    ("2.4", "2.20.5", "12.4"),
    ("2.5", "2.21.5", "12.4"),
    ("2.6", "2.21.5", "12.4"),
    ("2.7", "2.26.2", "12.6"),
    ("2.8", "2.27.3", "12.8"),
    ("2.9", "2.28.9", "12.8"),
]
LAYOUTS = ("console", "ranks", "torchrun", "nodes", "pods", "kubectl")
FRAMEWORKS = ("megatron", "deepspeed", "titan", "hf", "nanogpt", "lightning")


def version(text: str) -> tuple[int, ...]:
    """A dotted version as numbers."""
    return tuple(int(part) for part in text.split("."))


@dataclass
class Gpu:
    """One GPU: index in its host, short bus (`9a`), uuid, board serial."""

    index: int
    bus: str
    uuid: str
    serial: str


@dataclass
class Nic:
    """One adapter port: RDMA name, network interface, bus."""

    name: str
    netdev: str
    bus: str


@dataclass
class Host:
    """A machine. `skew`: what its clock is ahead of the truth, in seconds; `boot`: when it started."""

    index: int
    name: str
    pod: str
    address: str
    gpus: list[Gpu]
    nics: list[Nic]
    boot: float
    agent: int
    skew: float = 0.0


@dataclass
class Rank:
    """A process of the job."""

    rank: int
    host: Host
    local: int
    pid: int
    comm: str

    @property
    def gpu(self) -> Gpu:
        return self.host.gpus[self.local]

    @property
    def nic(self) -> Nic:
        return self.host.nics[self.local % len(self.host.nics)]


@dataclass
class Options:
    """What the command line can ask for."""

    fault: str
    ranks: int = 16
    hosts: int = 2
    seed: int = 0
    skew: float = 0.0
    drop: float = 0.0
    torn: float = 0.0
    benign: bool = True
    zone: int | None = None
    restart: bool = False
    terse: bool = False
    layout: str | None = None
    framework: str | None = None
    torch: str | None = None


@dataclass
class Job:
    """Everything that is true about the job, and the lines written so far: file -> [(time, order, text)]."""

    options: Options
    rng: random.Random
    id: int
    name: str
    start: float
    layout: str
    framework: str
    torch: str
    nccl: str
    cuda: str
    fabric: str
    zone: int
    system_zone: int
    hosts: list[Host]
    ranks: list[Rank]
    nccl_to: str
    step_s: float
    ifname: str
    files: dict[str, list[tuple[float, int, str]]] = field(default_factory=lambda: defaultdict(list))
    blobs: dict[str, bytes] = field(default_factory=dict)
    quirks: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    pace: list[tuple[float, float]] = field(default_factory=list)
    gpu_states: list[tuple[int, int, float, float, dict[str, Any]]] = field(default_factory=list)
    counters: dict[tuple[int, int], dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    silent_hosts: dict[int, float] = field(default_factory=dict)
    attempt: int = 0
    order: int = 0

    @property
    def world(self) -> int:
        return len(self.ranks)

    @property
    def per_host(self) -> int:
        return self.world // len(self.hosts)

    @property
    def kubernetes(self) -> bool:
        return self.layout in ("pods", "kubectl")

    def write(self, path: str, time: float, text: str) -> None:
        """One line, or several that stay together."""
        self.order += 1
        self.files[path].append((time, self.order, text))

    def clock(self, host: Host | None, time: float, system: bool = False) -> datetime:
        """What the host's clock shows, in the zone of the job's processes or of the system's log."""
        shown = time + (host.skew if host else 0.0)
        return datetime.fromtimestamp(0, UTC).replace(tzinfo=None) + timedelta(
            seconds=shown, hours=self.system_zone if system else self.zone
        )

    def hex(self, digits: int) -> str:
        return "".join(self.rng.choices("0123456789abcdef", k=digits))

    def nodename(self, host: Host) -> str:
        """What gethostname says inside the job: the pod's name in Kubernetes."""
        return host.pod if self.kubernetes else host.name

    def on(self, host: Host) -> list[Rank]:
        return [rank for rank in self.ranks if rank.host is host]


def make(options: Options) -> Job:
    """A job with everything chosen by the seed that the options leave open."""
    rng = random.Random(f"{options.fault}/{options.seed}/{options.ranks}/{options.hosts}")
    stack = next((one for one in STACKS if one[0] == options.torch), None) or rng.choice(STACKS)
    layout = options.layout or rng.choice(LAYOUTS)
    name, number = rng.choice(NAMES), rng.randrange(100_000, 3_000_000)
    zone = options.zone if options.zone is not None else rng.choice([0, 0, 0, 1, 8, -7])
    start = datetime(
        rng.choice([2024, 2025, 2026]), rng.randrange(1, 13), rng.randrange(2, 27), rng.randrange(0, 22), 11, tzinfo=UTC
    ).timestamp()
    kubernetes = layout in ("pods", "kubectl")
    suffix = "".join(rng.choices(string.hexdigits.lower()[:16], k=5))
    pattern, first, subnet = rng.choice(HOSTS), rng.randrange(3, 60), f"10.{rng.randrange(20, 60)}.{rng.randrange(1, 250)}"
    per_host = max(1, options.ranks // options.hosts)
    hosts = []
    for index in range(options.hosts):
        slots = 4 if per_host <= 4 else 8
        gpus = [Gpu(n, BUSES[slots][n], _uuid(rng), str(rng.randrange(1_600_000_000_000, 1_659_999_999_999))) for n in range(slots)]
        nics = [Nic(f"mlx5_{n}", f"ibs{n + 1}" if n % 2 else f"ibp{n + 10}s0", NIC_BUSES[n]) for n in range(slots)]
        pod = f"{name}-{suffix}-" + ("master-0" if index == 0 else f"worker-{index - 1}")
        address = (f"10.244.{rng.randrange(1, 250)}" if kubernetes else subnet) + f".{index % 200 + 11}"
        skew = rng.uniform(-options.skew, options.skew) if options.skew else rng.uniform(-0.02, 0.02)
        boot = start - rng.uniform(3, 40) * 86400
        hosts.append(Host(index, pattern.format(first + index), pod, address, gpus, nics, boot, rng.randrange(9000, 2_000_000), skew))
    job = Job(
        options=options,
        rng=rng,
        id=number,
        name=name,
        start=start,
        layout=layout,
        framework=options.framework or rng.choice(FRAMEWORKS),
        torch=stack[0],
        nccl=stack[1],
        cuda=stack[2],
        fabric=rng.choice(["IB", "IB", "RoCE"]),
        zone=0 if kubernetes else zone,
        system_zone=zone,
        hosts=hosts,
        ranks=[],
        nccl_to=rng.choice(["stdout", "stdout", "files", "none"]),
        step_s=round(rng.uniform(2.5, 9.0), 2),
        ifname="eth0" if kubernetes else rng.choice(["eno1", "bond0", "ens3f0np0"]),
    )
    for host in hosts:
        if job.fabric == "RoCE":
            for n, nic in enumerate(host.nics):
                nic.netdev = f"ens{n + 10}f0np0"
        base = rng.randrange(60, 200) if kubernetes else host.agent + rng.randrange(20, 60)
        for local in range(per_host):
            base += rng.choice([1, 1, 1, 2])
            job.ranks.append(Rank(len(job.ranks), host, local, base, f"0x55{job.hex(8)}0"))
    return job


def _uuid(rng: random.Random) -> str:
    digits = "".join(rng.choices("0123456789abcdef", k=32))
    return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
