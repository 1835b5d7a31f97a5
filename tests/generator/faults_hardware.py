"""A GPU, a link between GPUs, a slot or a whole machine fails."""

from tests.generator import scheduler, system, torch_log, victims
from tests.generator.job import Job, Rank
from tests.generator.label import Label
from tests.generator.story import Outcome, fault, hang_states, own_error, train


def _pid(job: Job, rank: Rank) -> int:
    return rank.pid if not job.kubernetes else rank.pid + 400_000


def _cuda_death(job: Job, rank: Rank, at: float, text: str) -> float:
    own_error(
        job,
        rank,
        at + 0.1,
        f"RuntimeError: CUDA error: {text}\nCUDA kernel errors might be asynchronously reported at some other API call, so the "
        "stacktrace below might be incorrect.",
        "backward",
    )
    torch_log.ended(job, rank, at + 0.4, f"CUDA error: {text}")
    return victims.lose_peer(job, at + 1.5, rank, {rank.rank: (at + 0.9, -6)})


@fault("hw.xid.79")
def off_the_bus(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    host, gpu = rank.host, rank.gpu
    system.kernel(job, host, at, f"NVRM: GPU at PCI:0000:{gpu.bus}:00: {gpu.uuid}")
    system.kernel(job, host, at + 0.01, f"NVRM: GPU Board Serial Number: {gpu.serial}")
    system.kernel(
        job, host, at + 0.02, f"NVRM: Xid (PCI:0000:{gpu.bus}:00): 79, pid={_pid(job, rank)}, name=python3, GPU has fallen off the bus."
    )
    system.kernel(job, host, at + 0.03, f"NVRM: GPU 0000:{gpu.bus}:00.0: GPU has fallen off the bus.")
    system.kernel(job, host, at + 0.2, "NVRM: A GPU crash dump has been created. If possible, please run")
    if job.rng.random() < 0.5:
        end = _cuda_death(job, rank, at + 0.3, "unspecified launch failure")
    else:
        end = victims.time_out(job, at + job.step_s, step + 1, [rank], stuck=[rank])
        hang_states(job, at, end, [rank])
    mode = {"lost": True} if job.id % 2 else {"gone": True}
    job.gpu_states.append((host.index, gpu.index, at, end + 9999, mode))
    return Outcome(
        Label(["hw.xid", "hw.gpu_lost", "hw.pcie"], f"GPU {gpu.index} of {host.name} fell off the bus.", level="gpu").gpu(job, host, gpu),
        end,
    )


@fault("hw.gpu_lost")
def gpu_lost_no_kernel_log(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    end = victims.time_out(job, at + job.step_s, step + 1, [rank], stuck=[rank])
    hang_states(job, at, end, [rank])
    job.gpu_states.append((rank.host.index, rank.local, at, end + 9999, {"lost": True}))
    label = Label(["hw.gpu_lost", "hw.xid", "hw.pcie"], f"GPU {rank.local} of {rank.host.name} is lost, says the telemetry.", level="gpu")
    return Outcome(label.gpu(job, rank.host, rank.gpu), end)


@fault("hw.ecc")
def ecc(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    host, bus, pid = rank.host, rank.gpu.bus, _pid(job, rank)
    if job.id % 2:
        system.kernel(
            job,
            host,
            at,
            f"NVRM: Xid (PCI:0000:{bus}:00): 48, pid={pid}, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU "
            "in the framebuffer at partition 6, subpartition 0.",
        )
    else:
        system.kernel(
            job, host, at, f"NVRM: Xid (PCI:0000:{bus}:00): 94, pid={pid}, name=python3, Contained: LTC TAG (0x2,0x0). RST: No, D-RST: No"
        )
    system.kernel(
        job,
        host,
        at + 0.1,
        f"NVRM: Xid (PCI:0000:{bus}:00): 63, pid={pid}, name=python3, Row Remapper: New row (0x00000000a1b2c300) marked for "
        "remapping, reset gpu to activate.",
    )
    system.kernel(job, host, at + 0.2, f"NVRM: Xid (PCI:0000:{bus}:00): 45, pid={pid}, name=python3, Ch 00000008")
    end = _cuda_death(job, rank, at + 0.2, "uncorrectable ECC error encountered")
    return Outcome(
        Label(["hw.ecc", "hw.xid"], f"Uncorrectable memory error on GPU {rank.local} of {host.name}.", level="gpu").gpu(
            job, host, rank.gpu
        ),
        end,
    )


@fault("hw.nvlink")
def nvlink(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    host, gpu = rank.host, rank.gpu
    system.kernel(
        job,
        host,
        at,
        f"NVRM: Xid (PCI:0000:{gpu.bus}:00): 74, pid={_pid(job, rank)}, name=python3, NVLink: fatal error detected on link 7"
        "(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)",
    )
    system.kernel(job, host, at + 0.05, "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 33 LTSSM Fault Up")
    for other in job.on(host):
        system.kernel(
            job, host, at + 0.3, f"NVRM: Xid (PCI:0000:{other.gpu.bus}:00): 45, pid={_pid(job, other)}, name=python3, Ch 00000008"
        )
    end = _cuda_death(job, rank, at + 0.4, "Invalid access of peer GPU memory over nvlink or a hardware error")
    label = Label(["hw.nvlink", "hw.xid"], f"Fatal NVLink error on GPU {gpu.index} of {host.name}.", level="host")
    label.gpu(job, host, gpu)
    label.devices += [
        f"{host.name}/nvswitch0",
        "nvswitch0",
        "0000:05:00.0",
        f"{host.name}/link 7",
        "nvidia-nvswitch0",
        f"{host.name}/nvidia-nvswitch0",
    ]
    return Outcome(label, end)


@fault("hw.pcie")
def contained(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    host, bus = rank.host, rank.gpu.bus
    port = f"0000:{int(bus, 16) - 3:02x}:01.0"
    system.kernel(job, host, at, f"pcieport {port}: DPC: containment event, status:0x1f01 source:0x0000")
    system.kernel(job, host, at + 0.01, f"pcieport {port}: AER: Uncorrected (Fatal) error received: 0000:{bus}:00.0")
    system.kernel(
        job, host, at + 0.02, f"nvidia 0000:{bus}:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)"
    )
    system.kernel(job, host, at + 0.03, f"nvidia 0000:{bus}:00.0:    [ 5] SDES                   (First)")
    system.kernel(
        job, host, at + 0.8, f"NVRM: Xid (PCI:0000:{bus}:00): 79, pid={_pid(job, rank)}, name=python3, GPU has fallen off the bus."
    )
    end = _cuda_death(job, rank, at + 1, "unknown error")
    job.gpu_states.append((host.index, rank.local, at, end + 9999, {"gone": True}))
    label = Label(["hw.pcie", "hw.gpu_lost", "hw.xid"], f"The slot of GPU {rank.local} of {host.name} failed.", level="gpu").gpu(
        job, host, rank.gpu
    )
    label.devices += [port, f"{host.name}/{port}"]
    return Outcome(label, end)


@fault("hw.xid.119")
def firmware(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    host, bus = rank.host, rank.gpu.bus
    for n in range(3):
        system.kernel(
            job,
            host,
            at + n * 6,
            f"NVRM: Xid (PCI:0000:{bus}:00): 119, pid={_pid(job, rank)}, name=python3, Timeout after 6s of waiting for RPC response "
            f"from GPU{rank.local} GSP! Expected function 76 (GSP_RM_CONTROL) sequence {1200 + n} (0x20802a02 0x8).",
        )
    end = victims.time_out(job, at + job.step_s, step + 1, [rank], stuck=[rank])
    hang_states(job, at, end, [rank])
    return Outcome(
        Label(["hw.xid", "hw.gpu_lost"], f"The firmware of GPU {rank.local} of {host.name} does not answer (Xid 119).", level="gpu").gpu(
            job, host, rank.gpu
        ),
        end,
    )


@fault("hw.host_mce")
def machine_check(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    host, pid = rank.host, _pid(job, rank)
    system.kernel(job, host, at, "mce: [Hardware Error]: Machine check events logged")
    system.kernel(
        job,
        host,
        at + 0.01,
        "EDAC skx MC3: 1 UE memory read error on CPU_SrcID#1_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x5d2a7e offset:0x0 grain:32 "
        "syndrome:0x0 - err_code:0x00a0:0x0090)",
    )
    system.kernel(job, host, at + 0.1, f"Memory failure: 0x5d2a7e: Killing python3:{pid} due to hardware memory corruption")
    end = victims.lose_peer(job, at + 1, rank, {rank.rank: (at + 0.3, -7)})
    return Outcome(Label(["hw.host_mce"], f"Uncorrected memory error on {host.name}.", level="host").rank(rank), end)


@fault("hw.reboot")
def reboot(job: Job) -> Outcome:
    at, step = train(job)
    host = job.rng.choice(job.hosts[1:])
    if job.id % 2:
        system.kernel(job, host, at - 0.5, "Kernel panic - not syncing: Fatal machine check")
    system.boot(job, host, at + 240)
    scheduler.controller(
        job, at + 310, f"validate_node_specs: Node {host.name} unexpectedly rebooted boot_time={int(at + 240)} last response={int(at - 12)}"
    )
    behind = job.on(host)
    job.gpu_states.append((host.index, -1, at, at + 240, {"gone": True}))
    job.gpu_states.append((host.index, -1, at + 240, at + 99999, {"util": 0, "mem": 4, "sm": 345, "power": 70.0, "temp": 31, "reasons": 1}))
    for rank in behind:
        job.quirks["rebooted"][str(rank.rank)] = True
    job.silent_hosts[host.index] = at
    end = victims.retries(job, at + 30, host, None) if job.id % 3 else victims.time_out(job, at + job.step_s, step + 1, behind)
    del job.silent_hosts[host.index]
    return Outcome(Label(["hw.reboot", "hw.host_lost"], f"{host.name} restarted in mid-run.", level="host").host(job, host), end)


@fault("hw.host_lost")
def host_lost(job: Job) -> Outcome:
    at, step = train(job)
    host = job.rng.choice(job.hosts[1:])
    job.silent_hosts[host.index] = at
    end = victims.retries(job, at + 20, host, None) if job.id % 2 else victims.time_out(job, at + job.step_s, step + 1, job.on(host))
    label = Label(
        ["hw.host_lost", "net.ib_error", "desync.rank_behind", "net.socket_error"],
        f"{host.name} vanished: every log of it ends.",
        level="host",
    )
    # Of two hosts that lost each other neither is the surer one.
    return Outcome(label.host(job, *(job.hosts if len(job.hosts) == 2 else [host])), end)


@fault("host.soft_lockup")
def soft_lockup(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    host = rank.host
    for n in range(8):
        system.kernel(
            job,
            host,
            at + 26 + 28 * n,
            f"watchdog: BUG: soft lockup - CPU#{rank.local * 6 + 3} stuck for {26 + n}s! [python3:{_pid(job, rank)}]",
        )
    end = victims.time_out(job, at + job.step_s, step + 1, [rank], stuck=[rank])
    hang_states(job, at, end, [rank])
    return Outcome(
        Label(["host.soft_lockup"], f"A CPU of {host.name} is locked up in the process of rank {rank.rank}.", level="host").rank(rank), end
    )


@fault("host.hung_task")
def hung_task(job: Job) -> Outcome:
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    host = rank.host
    for n in range(3):
        t = at + 122 + n * 121
        system.kernel(job, host, t, f"INFO: task python3:{_pid(job, rank)} blocked for more than {122 + n * 121} seconds.")
        system.kernel(job, host, t + 0.01, "      Tainted: P           OE     5.15.0-105-generic #115-Ubuntu")
        system.kernel(job, host, t + 0.02, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.')
        system.kernel(job, host, t + 0.03, f"task:python3 state:D stack:    0 pid:{_pid(job, rank)} ppid:     1 flags:0x00004006")
        system.kernel(job, host, t + 0.04, "Call Trace:")
        for frame in (
            "__schedule+0x2cd/0x890",
            "schedule+0x69/0x110",
            "rwsem_down_write_slowpath+0x2a0/0x5a0",
            "os_acquire_rwlock_write+0x35/0x50 [nvidia]",
            "_nv042329rm+0x10/0x40 [nvidia]",
        ):
            system.kernel(job, host, t + 0.05, f" {frame}")
    end = victims.time_out(job, at + job.step_s, step + 1, [rank], stuck=[rank])
    hang_states(job, at, end, [rank])
    return Outcome(
        Label(
            ["host.hung_task", "hw.gpu_lost", "hw.xid"],
            f"The process of rank {rank.rank} is blocked in the kernel of {host.name}.",
            level="host",
        )
        .rank(rank)
        .gpu(job, host, rank.gpu),
        end,
    )


@fault("hw.nvswitch")
def nvswitch(job: Job) -> Outcome:
    at, _ = train(job)
    host = job.rng.choice(job.hosts)
    system.kernel(job, host, at, "nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 12028, Fatal, Link 17 egress non-posted PRIV error (First)")
    exits = {}
    for rank in job.on(host):
        system.kernel(job, host, at + 0.4, f"NVRM: Xid (PCI:0000:{rank.gpu.bus}:00): 45, pid={_pid(job, rank)}, name=python3, Ch 00000008")
        own_error(job, rank, at + 0.6, "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution", "backward")
        exits[rank.rank] = (at + 1.0 + job.rng.uniform(0, 0.3), 1)
    end = victims.lose_peer(job, at + 2, job.on(host)[0], exits)
    label = Label(["hw.nvlink"], f"NVSwitch 2 of {host.name} reported a fatal error.", level="host").host(job, host)
    for gpu in host.gpus:
        label.gpu(job, host, gpu)
    label.devices += [
        "nvidia-nvswitch2",
        f"{host.name}/nvidia-nvswitch2",
        "nvswitch2",
        f"{host.name}/nvswitch2",
        "0000:07:00.0",
        f"{host.name}/0000:07:00.0",
    ]
    return Outcome(label, end)
