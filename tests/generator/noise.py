"""Damage and gaps: torn lines, logs that are not given."""

from tests.generator.job import Job

KEEP = ("slurm-", "syslog", "sys/", "hosts/", "k8s/", "dmesg/", "slurm/")


def drop_logs(job: Job, share: float, keep: set[str]) -> None:
    """Forgets a share of the ranks' and NCCL's files; those in `keep` stay."""
    for path in sorted(job.files):
        if not path.startswith(KEEP) and path not in keep and job.rng.random() < share:
            del job.files[path]


def tear(job: Job, share: float) -> None:
    """Cuts a share of the console's lines in the middle, the rest glued before a later line, as two writers do."""
    for path, lines in job.files.items():
        if not path.endswith((".out", ".log")) or path.startswith(("sys", "hosts", "nccl", "slurm/")):
            continue
        ordered = sorted(lines)
        for n in range(len(ordered) - 3):
            time, order, text = ordered[n]
            if "\n" in text or len(text) < 60 or "NCCL INFO" not in text or job.rng.random() >= share:
                continue
            cut = job.rng.randrange(30, len(text) - 10)
            ordered[n] = (time, order, text[:cut])
            later = ordered[n + 2]
            ordered[n + 2] = (later[0], later[1], text[cut:] + later[2] if job.rng.random() < 0.5 else text[cut:] + "\n" + later[2])
        lines[:] = ordered
