"""How everybody else notices: timeouts, closed connections, retries that ran out."""

from tests.generator import launcher, nccl, torch_log
from tests.generator.job import Host, Job, Rank, version
from tests.generator.torch_log import Work

LIMIT = 600.0


def limit(job: Job) -> float:
    """Seconds until a collective times out."""
    return 1800.0 if version(job.torch) < (2, 2) else LIMIT


def work_of(job: Job, step: int) -> Work:
    """The collective of a step in which a job of this framework waits."""
    if job.framework in ("titan", "hf", "lightning"):
        per_rank = 16384000
        return Work(step * 42 + 7, "_ALLGATHER_BASE", per_rank, per_rank * job.world)
    return Work(step * 11 + 3, "ALLREDUCE", 1 if job.framework == "megatron" else 262144000)


def time_out(
    job: Job,
    began: float,
    step: int,
    behind: list[Rank],
    stuck: list[Rank] | None = None,
    dead: dict[int, tuple[float, int]] | None = None,
    share: float = 1.0,
) -> float:
    """All but `behind` wait from `began` until the limit and abort; gives when the launchers are done.

    `stuck` do not react to SIGTERM; `dead` ended by themselves; `share` of the waiting ranks print before their agent ends them.
    """
    work, span = work_of(job, step), limit(job)
    exits = dict(dead or {})
    job.quirks["stuck"] = {rank.rank: True for rank in stuck or []}
    absent = {rank.rank for rank in behind}
    for rank in job.ranks:
        if rank.rank in absent or rank.rank in exits or rank.host.index in job.silent_hosts:
            continue
        if job.rng.random() > share:
            continue
        time = began + span + job.rng.uniform(0.1, 0.9)
        torch_log.timed_out(job, rank, time, work, span, began + job.rng.uniform(0, 0.05), work.seq + job.rng.choice([0, 0, 1]))
        exits[rank.rank] = (time + 1.0, -6)
    alive = {h.index for h in job.hosts if h.index not in job.silent_hosts}
    late = {r: (t, c) for r, (t, c) in exits.items()}
    return launcher.fail(job, late, alive)


def lose_peer(job: Job, time: float, peer: Rank, exits: dict[int, tuple[float, int]]) -> float:
    """A process died: those with connections to it see them closed and abort, the rest is ended by the launchers."""
    near = [job.ranks[(peer.rank + 1) % job.world], job.ranks[peer.rank - 1]]
    near += [r for r in job.ranks if r.local == peer.local and r.host is not peer.host][:6]
    done = dict(exits)
    for rank in {r.rank: r for r in near if r is not peer and r.rank not in exits}.values():
        t = time + job.rng.uniform(0.2, 1.5)
        nccl.closed(job, rank, t, peer.host)
        word = "Net : " if version(job.nccl) < (2, 16) else "socketProgress: "
        torch_log.remote_error(
            job, rank, t + 0.4, f"{word}Connection closed by remote peer {peer.host.address}<{job.rng.randrange(33000, 60000)}>"
        )
        done[rank.rank] = (t + 0.8, -6)
    return launcher.fail(job, done)


def retries(job: Job, time: float, host: Host, local: int | None, last: str = "") -> float:
    """Requests to a host (by one rail, or all) go unanswered: its peers get status 12 and abort, then everybody ends."""
    exits: dict[int, tuple[float, int]] = {}
    for rank in job.ranks:
        far = rank.host is not host and (local is None or rank.local == local)
        near = rank.host is host and (local is None or rank.local == local) and host.index not in job.silent_hosts
        if not far and not near:
            continue
        t = time + job.rng.uniform(0.5, 4.0)
        peer = host if far else next(h for h in job.hosts if h is not host)
        nccl.completion(job, rank, t, peer)
        said = f"NET/IB : Got completion from peer {peer.address}<{job.rng.randrange(33000, 60000)}> with status=12 opcode=0 len=0 vendor err 129 (Send)"
        torch_log.remote_error(job, rank, t + 0.6, last or said)
        exits[rank.rank] = (t + 1.0, -6)
    return launcher.fail(job, exits, {h.index for h in job.hosts if h.index not in job.silent_hosts})
