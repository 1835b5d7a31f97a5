"""What NCCL prints, by version: set-up, channels, warnings.

Quirks of a host (`job.quirks[host name]`): `net` ("Socket"), `gdr` (False), `p2p` (False), `version`, `env` {NAME: value},
`address`, `ifname`, `hcas` (how many adapters), `stop` (set-up ends there, also a rank's key).
"""

from collections.abc import Iterator

from tests.generator import output
from tests.generator.job import Host, Job, Rank, version


def line(job: Job, rank: Rank, time: float, text: str, tid: int | None = None) -> None:
    """An INFO line."""
    prefix = f"{job.nodename(rank.host)}:{rank.pid}:{tid or rank.pid} [{rank.local}] NCCL INFO "
    _emit(job, rank, time, prefix + text)


def warn(job: Job, rank: Rank, time: float, place: str, text: str, dev: int | None = None) -> None:
    """A WARN line with the empty line before it; dated from 2.26 on."""
    stamp = f"[{job.clock(rank.host, time):%Y-%m-%d %H:%M:%S}] " if version(job.nccl) >= (2, 26, 2) else ""
    shown = rank.local if dev is None else dev
    _emit(job, rank, time, f"\n{stamp}{job.nodename(rank.host)}:{rank.pid}:{rank.pid + 700} [{shown}] {place} NCCL WARN {text}")


def _emit(job: Job, rank: Rank, time: float, text: str) -> None:
    if job.nccl_to == "files":
        job.write(f"nccl/nccl.{job.nodename(rank.host)}.{rank.pid}.log", time, text)
    elif job.nccl_to == "stdout":
        output.say(job, rank, time, text)


def start(job: Job, time: float) -> float:
    """All ranks set up the default group; gives the time when it is done."""
    if job.nccl_to == "none":
        return time + 12
    number = job.hex(16)
    for rank in job.ranks:
        if rank.rank in job.quirks["absent"]:
            continue
        t = time + job.rng.uniform(0, 0.8)
        for n, text in enumerate(_setup(job, rank, number)):
            line(job, rank, t + n * 0.02 + (3 if n > 6 else 0), text, rank.pid + 700 if n > 3 else None)
    return time + 12


def _setup(job: Job, rank: Rank, number: str) -> Iterator[str]:
    host, quirk = rank.host, {**job.quirks[rank.host.name], **job.quirks[f"rank{rank.rank}"]}
    shown = str(quirk.get("version", job.nccl))
    v = version(shown)
    colon = "Bootstrap:" if v >= (2, 24, 3) else "Bootstrap :"
    interface, address = quirk.get("ifname", job.ifname), quirk.get("address", host.address)
    yield f"cudaDriverVersion {quirk.get('driver', '12040')}"
    if "ifname" not in quirk:
        yield f"NCCL_SOCKET_IFNAME set by environment to {job.ifname}"
    yield f"{colon} Using {interface}:{address}<0>"
    if v >= (2, 22) or rank.rank == 0 or "version" in quirk:
        yield f"NCCL version {shown}+cuda{job.cuda}"
    yield from _plugin(v)
    for name, value in {**job.quirks["env"], **quirk.get("env", {})}.items():
        yield f"{name} set by environment to {value}" + ("." if value.isdigit() else "")
    if quirk.get("net") == "Socket":
        yield "NET/IB : No device found."
        yield f"NET/Socket : Using [0]{interface}:{address}<0>"
        yield "Using network Socket"
    else:
        hcas = host.nics[: quirk.get("hcas", len(host.nics))]
        listed = " ".join(f"[{n}]{nic.name}:1/{job.fabric}" for n, nic in enumerate(hcas))
        yield f"NET/IB : Using {listed} [RO]; OOB {interface}:{address}<0>"
        yield "Using network IB"
    if quirk.get("stop") == "bootstrap":
        return
    yield _life(job, rank, number, v, "START")
    if quirk.get("stop") == "init":
        return
    yield f"Setting affinity for GPU {rank.local} to ffffffff,00000000,ffffffff"
    if not job.options.terse:
        yield from _channels(job, rank)
    channels = job.quirks["channels"].get("coll", 16)
    yield f"{channels} coll channels, {channels} nvls channels, {channels} p2p channels, 2 p2p channels per peer"
    yield _life(job, rank, number, v, "COMPLETE")


def _plugin(v: tuple[int, ...]) -> Iterator[str]:
    if v >= (2, 27):
        yield "NET/Plugin: Could not find: libnccl-net.so."
        yield "Initialized NET plugin IB"
    elif v >= (2, 22):
        yield "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin."
    elif v >= (2, 21):
        yield "NET/Plugin: No plugin found (libnccl-net.so)"
        yield "NET/Plugin: Using internal network plugin."
    elif v >= (2, 19):
        yield (
            "NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory "
            "No plugin found (libnccl-net.so), using internal implementation"
        )
    else:
        yield "NET/Plugin : No plugin found (libnccl-net.so), using internal implementation"


def _life(job: Job, rank: Rank, number: str, v: tuple[int, ...], what: str) -> str:
    head = f"rank {rank.rank} nranks {job.world} cudaDev {rank.local} "
    bus = f"busId {rank.gpu.bus}000"
    if v >= (2, 21):
        call = "ncclCommInitRankConfig " if v >= (2, 23) else "ncclCommInitRank "
        return f"{call}comm {rank.comm} {head}nvmlDev {rank.local} {bus} commId 0x{number} - Init {what}"
    if v >= (2, 18, 3):
        return f"comm {rank.comm} {head}nvmlDev {rank.local} {bus} commId 0x{number} - Init {what}"
    if what == "START":
        return "Trees [0] -1/-1/-1->0->-1"
    return f"comm {rank.comm} {head}{bus} - Init COMPLETE"


def _channels(job: Job, rank: Rank) -> Iterator[str]:
    """A ring through the GPUs of each host; the last of a host sends to the first of the next."""
    after, before = job.ranks[(rank.rank + 1) % job.world], job.ranks[rank.rank - 1]
    joined = f"Connected all rings, use ring PXN 0 GDR {int(_gdr(job, rank))}" if version(job.nccl) >= (2, 24) else "Connected all rings"
    if version(job.nccl) < (2, 18, 3):
        name = {r.rank: f"{r.gpu.bus}000" for r in (rank, after, before)}
    else:
        name = {r.rank: str(r.local) for r in (rank, after, before)}
    for channel in range(2 if job.world > 64 else 4):
        head = f"Channel {channel:02d}/0 : "
        if before.host is not rank.host and version(job.nccl) >= (2, 12):
            yield f"{head}{before.rank}[{name[before.rank]}] -> {rank.rank}[{name[rank.rank]}] [receive] via {_network(job, rank, channel)}"
        if after is rank:
            continue
        pair = f"{rank.rank}[{name[rank.rank]}] -> {after.rank}[{name[after.rank]}]"
        if after.host is not rank.host:
            yield f"{head}{pair} [send] via {_network(job, rank, channel)}"
        elif job.quirks[rank.host.name].get("p2p") is False:
            yield f"Channel {channel:02d} : {pair} via SHM/direct/direct"
        else:
            yield f"{head}{pair} via P2P/{'IPC' if version(job.nccl) < (2, 19) else 'CUMEM'}"
    yield joined
    yield "Connected all trees"


def _gdr(job: Job, rank: Rank) -> bool:
    quirk = job.quirks[rank.host.name]
    return quirk.get("gdr", True) and quirk.get("net") != "Socket"


def _network(job: Job, rank: Rank, channel: int) -> str:
    if job.quirks[rank.host.name].get("net") == "Socket":
        return "NET/Socket/0"
    return f"NET/IB/{(rank.local + channel) % len(rank.host.nics)}" + ("/GDRDMA" if _gdr(job, rank) else "")


def completion(job: Job, rank: Rank, time: float, peer: Host, status: int = 12, port: int | None = None) -> None:
    """A failed completion: the requester names its peer's address."""
    v, seen = version(job.nccl), f"{peer.address}<{port or job.rng.randrange(33000, 60000)}>"
    vendor = {12: 129, 5: 249, 10: 136}.get(status, 129)
    if v >= (2, 29):
        text = f"NET/IB: Got completion from peer {seen} with status=error({status}) opcode=0 vendor_err={vendor} req_type=Send hca {rank.nic.name}"
    elif v >= (2, 22):
        text = f"NET/IB: Got completion from peer {seen} with status={status} opcode=0 len=0 vendor err {vendor} (Send) hca {rank.nic.name}"
    elif v >= (2, 20):
        text = f"NET/IB : Got completion from peer {seen} with status={status} opcode=0 len=0 vendor err {vendor} (Send)"
    else:
        text = f"NET/IB : Got completion from peer {seen} with error {status}, opcode 0, len 0, vendor err {vendor}"
    warn(job, rank, time, "transport/net_ib.cc:1295", text)


def event(job: Job, rank: Rank, time: float, nic: str, text: str, number: int) -> None:
    """An asynchronous event of an adapter, seen by a process that opened it."""
    v = version(job.nccl)
    if v >= (2, 28, 7):
        said = f"NET/IB : {nic}:1 Got non-fatal async event: {text}({number})"
    elif v >= (2, 23, 4):
        said = f"NET/IB : {nic}:1 Got async error event: {text}"
    elif v >= (2, 20):
        said = f"NET/IB : {nic}:1 Got async event : {text}"
    else:
        said = f"NET/IB : Got async event : {text}"
    warn(job, rank, time, "transport/net_ib.cc:101", said, dev=0)


def closed(job: Job, rank: Rank, time: float, peer: Host) -> None:
    """The connection to a peer was closed by the other side."""
    old = version(job.nccl) < (2, 16)
    text = f"Connection closed by remote peer {peer.name if not job.kubernetes else peer.address}<{job.rng.randrange(33000, 60000)}>"
    warn(job, rank, time, "misc/socket.cc:49", ("Net : " if old else "socketProgress: ") + text)
