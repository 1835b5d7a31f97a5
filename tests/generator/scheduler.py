"""Slurm's books and Kubernetes' events."""

from tests.generator.job import Host, Job


def slurm(job: Job, begin: float, end: float, state: str, code: str, reason: str = "None") -> None:
    """One job's line of `sacct -P`."""
    if job.kubernetes:
        return
    nodes = ",".join(h.name for h in job.hosts)
    start, stop = job.clock(None, begin - 5, system=True), job.clock(None, end, system=True)
    took = int(end - begin + 5)
    elapsed = f"{took // 3600:02d}:{took // 60 % 60:02d}:{took % 60:02d}"
    rows = ["JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|NodeList|Reason"]
    for part, name in (("", job.name), (".batch", "batch"), (".0", "torchrun")):
        rows.append(
            f"{job.id}{part}|{name}|train|{state}|{code}|{start:%Y-%m-%dT%H:%M:%S}|{stop:%Y-%m-%dT%H:%M:%S}|{elapsed}|{nodes}|{reason}"
        )
    job.write("slurm/sacct.txt", end + 60, "\n".join(rows))


def controller(job: Job, time: float, text: str) -> None:
    """A line of slurmctld, in the system's zone."""
    if not job.kubernetes:
        when = job.clock(None, time, system=True)
        job.write("slurm/slurmctld.log", time, f"[{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}] {text}")


def pods(job: Job, begin: float, end: float, failed: dict[int, str] | None = None, ok: bool = False) -> None:
    """What kubectl says of the pods: events and the table. `failed`: host -> status of its pod."""
    if not job.kubernetes:
        return
    rows = ["NAME                           READY   STATUS      RESTARTS   AGE   IP              NODE"]
    for host in job.hosts:
        status = (failed or {}).get(host.index, "Completed" if ok else "Error")
        rows.append(f"{host.pod:<30} 0/1     {status:<11} 0          {int((end - begin) / 60)}m   {host.address:<15} {host.name}")
        event(job, host, begin - 20, "Normal", "Scheduled", f"Successfully assigned train/{host.pod} to {host.name}")
        event(job, host, begin - 15, "Normal", "Pulled", 'Container image "registry.example.com/train:1" already present on machine')
        event(job, host, begin - 12, "Normal", "Started", "Started container pytorch")
    job.write("k8s/pods_wide.txt", end, "\n".join(rows))


def event(job: Job, host: Host, time: float, kind: str, reason: str, message: str) -> None:
    """One row of `kubectl get events` with absolute times."""
    if not job.kubernetes:
        return
    if "k8s/events.txt" not in job.files:
        job.write(
            "k8s/events.txt",
            0,
            "LASTSEEN               TYPE      REASON                    OBJECT                                        MESSAGE",
        )
    stamp = job.clock(None, time).strftime("%Y-%m-%dT%H:%M:%SZ")
    job.write("k8s/events.txt", time, f"{stamp}   {kind:<8}  {reason:<24}  {'pod/' + host.pod:<44}  {message}")
