"""The words of findings: kinds, severities, roles, confidences, statuses. Changing one is a schema change."""

from functools import cache

SEVERITIES = ("critical", "high", "medium", "info")
ROLES = ("cause", "symptom", "context")
CONFIDENCES = ("certain", "likely", "possible")
# What a verdict may be, and the colour of it where there are colours.
STATUS_COLOURS = {
    "cause_found": "red",
    "suspect": "yellow",
    "symptoms_only": "yellow",
    "ended_by_request": "cyan",
    "healthy": "green",
    "insufficient": "cyan",
}
STATUSES = tuple(STATUS_COLOURS)

# Every kind and what it means; a rule may declare a more exact one below it (`hw.xid.fallen_off_bus`).
KINDS = {
    "hang.watchdog_timeout": "a collective ran into its timeout and nothing more exact is known",
    "hang.init": "communicator or process-group set-up never finished",
    "hang.heartbeat": "the watchdog thread itself was stuck",
    "desync.rank_behind": "one or some ranks never entered the collective the others wait in",
    "desync.collective_mismatch": "ranks disagree on operation, size, type, order or group",
    "desync.uneven_input": "some ranks ran out of data or steps first",
    "data.stall": "the input pipeline held a rank back",
    "storage.stall": "a file system or checkpoint held a rank back",
    "crash.python": "a process ended with an exception",
    "crash.cuda_error": "a process met a CUDA error",
    "crash.signal": "a process was ended by a signal",
    "crash.oom_gpu": "GPU memory ran out",
    "crash.oom_host": "host memory ran out",
    "hw.xid": "the GPU driver reported an Xid",
    "hw.ecc": "GPU memory errors",
    "hw.nvlink": "NVLink or NVSwitch errors",
    "hw.pcie": "PCIe errors",
    "hw.gpu_lost": "a GPU vanished",
    "hw.host_mce": "CPU or memory machine checks",
    "host.soft_lockup": "a CPU of the host was stuck",
    "host.hung_task": "a task of the host was blocked",
    "hw.reboot": "the host restarted or panicked",
    "hw.host_lost": "the host vanished and nothing says why",
    "net.ib_error": "RDMA completion or device errors",
    "net.link_flap": "a link went down",
    "net.packet_loss": "packets were lost",
    "net.congestion": "the fabric was congested",
    "net.socket_error": "socket connections failed",
    "net.wrong_interface": "bootstrap or sockets bound to an address peers cannot reach",
    "perf.transport_fallback": "traffic goes over a slower transport than hardware or siblings use",
    "perf.gdr_off": "GPUDirect RDMA is not used",
    "perf.p2p_off": "GPU peer access is off",
    "perf.low_channels": "fewer channels than expected",
    "perf.low_busbw": "bandwidth below what the fabric gives",
    "perf.straggler": "one place slows everybody",
    "perf.straggler_thermal": "a GPU throttles for heat",
    "perf.straggler_power": "a GPU throttles for power",
    "perf.pcie_degraded": "a PCIe link runs narrower or slower than it should",
    "config.env": "a setting that harms",
    "config.version_mismatch": "versions differ between hosts or do not fit",
    "config.duplicate_gpu": "two ranks use one GPU",
    "config.shm": "shared memory is too small",
    "launcher.rendezvous": "not all nodes met, or the meeting point could not be used",
    "launcher.child_failed": "a worker failed and nothing better is known",
    "launcher.store": "the key-value store could not be reached or a key never came",
    "sched.node_fail": "the scheduler lost a node",
    "sched.evicted": "the scheduler evicted a pod",
    "sched.preempted": "the job was preempted",
    "sched.time_limit": "the job reached its time limit",
    "sched.cancelled": "a person or program cancelled the job",
    "sched.gang": "not all members could be placed",
    "clock.skew": "clocks differ or stepped",
    "evidence.missing": "a log is missing",
    "evidence.damaged": "a log is truncated or torn",
}

# Kinds that reach `suspect` at most unless the same evidence also says why.
SUSPECT_ONLY = frozenset(
    {"hang.watchdog_timeout", "hang.init", "hang.heartbeat", "desync.rank_behind", "perf.low_busbw"}
)
# Kinds that mean somebody outside ended the job.
BY_REQUEST = frozenset({"sched.preempted", "sched.time_limit", "sched.cancelled"})


def family(kind: str) -> str:
    """The first two words of a kind: what consumers compare."""
    return ".".join(kind.split(".")[:2])


def check(kind: str, severity: str, role: str, confidence: str) -> None:
    """Raises ValueError for a word outside the vocabulary."""
    for value, allowed, what in (
        (family(kind), KINDS, "kind"),
        (severity, SEVERITIES, "severity"),
        (role, ROLES, "role"),
        (confidence, CONFIDENCES, "confidence"),
    ):
        if value not in allowed:
            raise ValueError(f"{what} {value!r} is not in the vocabulary")


def matches(pattern: str, kind: str) -> bool:
    """Does `hang.*`, `hang.init` or `*` name this kind or one above it?"""
    if pattern == "*":
        return True
    stem = pattern.removesuffix(".*")
    return kind == stem or kind.startswith(stem + ".")


@cache
def covers(patterns: tuple[str, ...], kind: str) -> bool:
    """Does any of these name this kind or one above it?"""
    return any(matches(pattern, kind) for pattern in patterns)
