"""An adapter, a port, a path or the choice of the network fails."""

from tests.generator import launcher, nccl, output, steps, system, torch_log, victims
from tests.generator.job import Host, Job, Nic, version
from tests.generator.label import Label
from tests.generator.story import Outcome, begin, fault, own_error, train

SLOW_SILENT = ["crash.python", "crash.signal", "hang.watchdog_timeout", "desync.rank_behind"]


def _down(job: Job, host: Host, nic: Nic, time: float) -> None:
    if job.fabric == "RoCE":
        system.kernel(job, host, time, f"mlx5_core 0000:{nic.bus}:00.0 {nic.netdev}: Link down")
    else:
        system.service(job, host, time, "systemd-networkd[901]", f"{nic.netdev}: Lost carrier")


def _up(job: Job, host: Host, nic: Nic, time: float) -> None:
    if job.fabric == "RoCE":
        system.kernel(job, host, time, f"mlx5_core 0000:{nic.bus}:00.0 {nic.netdev}: Link up")
    else:
        system.service(job, host, time, "systemd-networkd[901]", f"{nic.netdev}: Gained carrier")
    system.kernel(job, host, time + 0.5, f"IPv6: ADDRCONF(NETDEV_CHANGE): {nic.netdev}: link becomes ready")


@fault("net.link_flap")
def link_flap(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    host, nic = rank.host, rank.nic
    _down(job, host, nic, at)
    if job.rng.random() < 0.5:
        system.kernel(
            job,
            host,
            at - 0.1,
            f"mlx5_core 0000:{nic.bus}:00.0: Port module event[error]: module {rank.local}, Cable error, Bad or shorted cable/module",
        )
    for other in job.on(host):
        nccl.event(job, other, at + 0.2 + other.local * 0.01, nic.name, "port error", 10)
    job.counters[host.index, host.nics.index(nic)] = {"link_downed": 1, "symbol_error": 62}
    end = victims.retries(job, at + 31, host, rank.local)
    _up(job, host, nic, at + 95)
    return Outcome(
        Label(["net.link_flap", "net.ib_error"], f"The link of {nic.name} on {host.name} went down.", level="host").device(job, host, nic),
        end,
    )


@fault("net.ib_error")
def path_to_one_host(job: Job) -> Outcome:
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    host, nic = rank.host, rank.nic
    job.counters[host.index, host.nics.index(nic)] = {
        "symbol_error": 4096,
        "link_error_recovery": 3,
        "port_rcv_errors": 812,
        "local_ack_timeout_err": 411,
    }
    end = victims.retries(job, at + 20, host, rank.local)
    label = Label(
        ["net.ib_error", "net.packet_loss", "net.link_flap"],
        f"Requests to {nic.name} of {host.name} were not answered; its port counts errors.",
    )
    label.device(job, host, nic)
    if len(job.hosts) == 2:
        label.host(job, *job.hosts)
        for other in job.hosts:
            label.device(job, other, other.nics[host.nics.index(nic)])
    return Outcome(label, end)


@fault("net.ib_error.firmware")
def adapter_firmware(job: Job) -> Outcome:
    at, _ = train(job)
    rank = job.rng.choice(job.ranks)
    host, nic = rank.host, rank.nic
    system.kernel(
        job, host, at, f"mlx5_core 0000:{nic.bus}:00.0: poll_health:852:(pid 0): device's health compromised - reached miss count"
    )
    system.kernel(
        job,
        host,
        at + 0.01,
        f"mlx5_core 0000:{nic.bus}:00.0: print_health_info:501:(pid 0): Health issue observed, firmware internal error, severity(3) ERROR:",
    )
    system.kernel(
        job, host, at + 0.02, f"mlx5_core 0000:{nic.bus}:00.0: print_health_info:517:(pid 0): synd 0x8: unrecoverable hardware error"
    )
    for other in job.on(host):
        nccl.event(job, other, at + 0.3, nic.name, "local catastrophic error", 8)
    end = victims.retries(job, at + 9, host, rank.local)
    return Outcome(Label(["net.ib_error"], f"The firmware of {nic.name} on {host.name} failed.", level="host").device(job, host, nic), end)


@fault("net.packet_loss")
def packet_loss(job: Job) -> Outcome:
    job.fabric = "RoCE"
    at, step = train(job)
    rank = job.rng.choice(job.ranks)
    host, nic = rank.host, rank.nic
    index = host.nics.index(nic)
    factor = job.rng.uniform(1.5, 2.2)
    job.pace.append((at, job.step_s * factor))
    job.counters[host.index, index] = {"out_of_sequence": 214566, "packet_seq_err": 12, "port_rcv_errors": 90211}
    for other in job.hosts:
        if other is not host:
            job.counters[other.index, index] = {"packet_seq_err": 214566 // (len(job.hosts) - 1), "local_ack_timeout_err": 1840}
    end = at + 80 * job.step_s * factor
    steps.run(job, at, end, step + 1)
    launcher_end = max(launcher.terminated(job, h, end) for h in job.hosts)
    label = Label(
        ["net.packet_loss"],
        f"Packets to {nic.name} of {host.name} are lost; steps take {factor:.1f} times as long.",
        level="host",
        silent=SLOW_SILENT,
    )
    return Outcome(label.device(job, host, nic), launcher_end, "CANCELLED by 10432", "0:15")


@fault("net.congestion")
def congestion(job: Job) -> Outcome:
    job.fabric = "RoCE"
    at, step = train(job)
    factor = job.rng.uniform(1.6, 2.4)
    job.pace.append((at, job.step_s * factor))
    for host in job.hosts:
        for n in range(len(host.nics)):
            paused = int(80 * job.step_s * factor * 1e6 * job.rng.uniform(0.2, 0.3))
            job.counters[host.index, n] = {
                "rx_prio3_pause_duration": paused,
                "np_cnp_sent": job.rng.randrange(2_000_000, 3_000_000),
                "rp_cnp_handled": job.rng.randrange(2_000_000, 3_000_000),
                "np_ecn_marked_roce_packets": job.rng.randrange(9_000_000, 12_000_000),
            }
    end = at + 80 * job.step_s * factor
    steps.run(job, at, end, step + 1)
    done = max(launcher.terminated(job, h, end) for h in job.hosts)
    return Outcome(
        Label(["net.congestion"], "The network pushed back on all hosts; steps became slow.", silent=SLOW_SILENT),
        done,
        "CANCELLED by 10432",
        "0:15",
    )


@fault("net.wrong_interface")
def wrong_interface(job: Job) -> Outcome:
    job.options.restart = False
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    host = job.rng.choice(job.hosts[1:])
    job.quirks[host.name] = {"ifname": "docker0", "address": "172.17.0.1", "stop": "bootstrap"}
    for other in job.hosts:
        if other is not host:
            job.quirks[other.name]["stop"] = "bootstrap"
    ready = begin(job)
    exits = {}
    for rank in job.ranks:
        if rank.host is host or rank.local > 1:
            continue
        t = ready + 60 + job.rng.uniform(0, 2)
        seen = f"172.17.0.1<{job.rng.randrange(33000, 60000)}>"
        v = version(job.nccl)
        if v >= (2, 27):
            text = f"socketPollConnect: connect to {seen} returned Connection refused, exceeded error retry count after 35 attempts"
        elif v >= (2, 24):
            text = "socketPollConnect: connect returned Connection refused, exceeded error retry count (35)"
        elif v >= (2, 16):
            text = f"socketStartConnect: Connect to {seen} failed : Connection refused"
        else:
            text = f"Net : Connect to {seen} failed : Connection refused"
        nccl.warn(job, rank, t, "misc/socket.cc:484", text)
        error = (
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, unhandled system error (run with "
            f"NCCL_DEBUG=INFO for details), NCCL version {job.nccl}\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or "
            f"device error. \nLast error:\n{text}"
        )
        own_error(job, rank, t + 0.2, error, "init")
        exits[rank.rank] = (t + 0.8, 1)
    end = launcher.fail(job, exits)
    label = Label(
        ["net.wrong_interface"], f"{host.name} advertises the address of docker0, which nobody else can reach.", level="host"
    ).host(job, host)
    label.devices += ["docker0", f"{host.name}/docker0", f"{host.pod}/docker0", "172.17.0.1"]
    label.aliases += ["172.17.0.1"]
    return Outcome(label, end)


@fault("net.socket_error")
def no_route(job: Job) -> Outcome:
    job.options.restart = False
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    host = job.rng.choice(job.hosts[1:])
    for other in job.hosts:
        job.quirks[other.name]["stop"] = "init"
    ready = begin(job)
    exits = {}
    for rank in job.ranks:
        if rank.host is host:
            continue
        t = ready + 40 + job.rng.uniform(0, 2)
        seen = f"{host.address}<{job.rng.randrange(33000, 60000)}>"
        old = version(job.nccl) < (2, 16)
        text = f"{'Net : ' if old else 'socketStartConnect: '}Connect to {seen} failed : No route to host"
        nccl.warn(job, rank, t, "misc/socket.cc:484", text)
        own_error(
            job,
            rank,
            t + 0.2,
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, unhandled system "
            f"error (run with NCCL_DEBUG=INFO for details), NCCL version {job.nccl}\nncclSystemError: System call (e.g. socket, malloc) or external library "
            f"call failed or device error. \nLast error:\n{text}",
            "init",
        )
        exits[rank.rank] = (t + 0.8, 1)
    end = launcher.fail(job, exits)
    label = Label(["net.socket_error", "net.wrong_interface", "hang.init"], f"There is no route to {host.name} from the other hosts.").host(
        job, host
    )
    return Outcome(label.host(job, *job.hosts) if len(job.hosts) == 2 else label, end)


@fault("perf.transport_fallback")
def sockets(job: Job) -> Outcome:
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    job.options.terse = False
    for host in job.hosts:
        job.quirks[host.name]["net"] = "Socket"
    job.quirks["env"] = {"NCCL_IB_TIMEOUT": "22"}
    odd = job.hosts[0] if len(job.hosts) == 1 else None
    job.step_s *= 4
    at, _ = train(job, 40)
    end = max(launcher.terminated(job, h, at) for h in job.hosts)
    for host in job.hosts:
        system.kernel(job, host, job.start - 900, f"mlx5_core 0000:{host.nics[0].bus}:00.0: firmware version: 28.39.1002")
    label = Label(
        ["perf.transport_fallback", "sched.cancelled", "config.env"],
        "Every host talks over sockets although adapters for RDMA are there.",
        status=["cause_found", "suspect", "ended_by_request"],
    ).host(job, *job.hosts)
    del odd
    return Outcome(label, end, "CANCELLED by 10432", "0:15")


@fault("perf.gdr_off")
def gdr_off(job: Job) -> Outcome:
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    job.options.terse = False
    host = job.rng.choice(job.hosts)
    job.quirks[host.name]["gdr"] = False
    system.service(job, host, job.start - 3000, "systemd-modules-load[611]", "Failed to insert module 'nvidia_peermem': Invalid argument")
    at, _ = train(job)
    end = max(launcher.terminated(job, h, at) for h in job.hosts)
    return Outcome(
        Label(["perf.gdr_off"], f"GPUDirect RDMA is off on {host.name} alone.", level="host", silent=SLOW_SILENT).host(job, host),
        end,
        "CANCELLED by 10432",
        "0:15",
    )


@fault("perf.p2p_off")
def p2p_off(job: Job) -> Outcome:
    job.nccl_to = "stdout" if job.nccl_to == "none" else job.nccl_to
    job.options.terse = False
    host = job.rng.choice(job.hosts)
    job.quirks[host.name] = {"p2p": False, "env": {"NCCL_P2P_DISABLE": "1"}}
    at, _ = train(job)
    end = max(launcher.terminated(job, h, at) for h in job.hosts)
    return Outcome(
        Label(
            ["perf.p2p_off", "perf.transport_fallback", "config.env"],
            f"NCCL_P2P_DISABLE=1 on {host.name} alone.",
            level="host",
            silent=SLOW_SILENT,
        ).host(job, host),
        end,
        "CANCELLED by 10432",
        "0:15",
    )


@fault("launcher.store")
def store_unreachable(job: Job) -> Outcome:
    job.options.restart = False
    launcher.begin(job, job.start)
    head, t = job.hosts[0], job.start + 305
    exits = {}
    for rank in job.ranks:
        when = rank.host
        if when is head:
            continue
        text = f"[c10d] The client socket has timed out after 300000ms while trying to connect to ({head.name}, 29500)."
        stamp = ""
        if version(job.torch) >= (2, 4):
            now = job.clock(rank.host, t)
            stamp = f"{now.month}{now.day:02d} {now:%H:%M:%S}.{job.rng.randrange(10**9):09d}"
        output.say(job, rank, t, f"[E{stamp} socket.cpp:957] {text}", error=True)
        torch_log.traceback(
            job,
            rank,
            t + 0.2,
            [("/workspace/train.py", 51, "main", "dist.init_process_group('nccl')")],
            f"torch.distributed.DistNetworkError: The client socket has timed out after 300000ms while trying to connect to ({head.name}, 29500).",
        )
        exits[rank.rank] = (t + 0.9, 1)
    end = launcher.fail(job, exits, {h.index for h in job.hosts if h is not head})
    return Outcome(
        Label(
            ["launcher.store", "launcher.rendezvous"],
            f"Nobody reached the store on {head.name}.",
            status=["cause_found", "suspect", "symptoms_only"],
        ).host(job, head),
        end,
    )
