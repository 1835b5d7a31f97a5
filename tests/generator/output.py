"""Where the lines of a rank, an agent, the console and a host go, by the site's layout."""

from tests.generator.job import Host, Job, Rank


def rank_file(job: Job, rank: Rank, error: bool = False) -> tuple[str, str]:
    """File and line prefix of what a rank prints."""
    host, attempt = rank.host, job.attempt
    if job.layout == "console":
        return f"slurm-{job.id}.out", f"{host.index:>{len(str(len(job.hosts) - 1))}}: "
    if job.layout == "ranks":
        return f"logs/rank_{rank.rank:03d}.log", ""
    if job.layout == "torchrun":
        kind = "stderr" if error else "stdout"
        return f"logs/{job.id}_{run_hash(job, host)}/attempt_{attempt}/{rank.local}/{kind}.log", ""
    if job.layout == "nodes":
        return f"logs/{job.name}_{job.id}_{host.index}.log", f"[default{rank.local}]:" if job.id % 2 else f"[rank{rank.rank}]:"
    if job.layout == "pods":
        return f"pods/{host.pod}.log", ""
    return f"{job.name}.log", f"[pod/{host.pod}/pytorch] "


def agent_file(job: Job, host: Host) -> tuple[str, str]:
    """File and line prefix of what a host's launcher prints."""
    if job.layout == "console":
        return f"slurm-{job.id}.out", f"{host.index:>{len(str(len(job.hosts) - 1))}}: "
    if job.layout == "nodes":
        return f"logs/{job.name}_{job.id}_{host.index}.log", ""
    if job.layout == "pods":
        return f"pods/{host.pod}.log", ""
    if job.layout == "kubectl":
        return f"{job.name}.log", f"[pod/{host.pod}/pytorch] "
    return f"slurm-{job.id}.out", ""


def say(job: Job, rank: Rank, time: float, text: str, error: bool = False) -> None:
    """A rank prints; each line of the text carries the prefix."""
    path, prefix = rank_file(job, rank, error)
    job.write(path, time, "\n".join(prefix + line for line in text.split("\n")))


def agent(job: Job, host: Host, time: float, text: str) -> None:
    """The launcher of a host prints."""
    path, prefix = agent_file(job, host)
    job.write(path, time, "\n".join(prefix + line for line in text.split("\n")))


def console(job: Job, time: float, text: str) -> None:
    """The batch script or srun prints; nobody does in Kubernetes."""
    if not job.kubernetes:
        job.write(f"slurm-{job.id}.out", time, text)


def run_hash(job: Job, host: Host) -> str:
    """The random part of torchrun's log directory, one for each agent."""
    return f"{(job.id * 7919 + host.index * 104729) & 0xFFFFFFFF:08x}"
