"""Pollers: `nvidia-smi --query-gpu` tables and counters of adapters before and after the job."""

from typing import Any

from tests.generator.job import Gpu, Host, Job

COUNTERS = ["link_downed", "port_rcv_errors", "port_xmit_discards", "symbol_error", "link_error_recovery"]
HARDWARE = [
    "local_ack_timeout_err",
    "out_of_sequence",
    "packet_seq_err",
    "rnr_nak_retry_err",
    "np_cnp_sent",
    "rp_cnp_handled",
    "np_ecn_marked_roce_packets",
]


def gpus(job: Job, begin: float, end: float) -> None:
    """A row a GPU every 15 or 30 s. `job.gpu_states`: (host, gpu, from, to, {column: value or None for no row})."""
    style = job.id % 3
    every = 30 if job.world > 16 else 15
    for host in job.hosts:
        path = f"telemetry/{host.name}/gpu_metrics.csv" if job.id % 2 else f"telemetry/nvidia-smi_{host.name}.csv"
        job.write(path, begin - 700, _header(style))
        time = begin - 120
        while time < end + 60:
            if time > job.silent_hosts.get(host.index, float("inf")):
                break
            for gpu in host.gpus:
                row = _row(job, host, gpu, time, begin, end, style)
                if row:
                    job.write(path, time + gpu.index * 0.006, row)
            time += every


def _header(style: int) -> str:
    if style == 0:
        return (
            "timestamp, index, name, pci.bus_id, temperature.gpu, power.draw [W], clocks.current.sm [MHz], clocks.max.sm [MHz], "
            "utilization.gpu [%], memory.used [MiB], pstate, pcie.link.gen.current, pcie.link.width.current, clocks_event_reasons.active"
        )
    return (
        "timestamp, pci.bus_id, index, pstate, power.draw [W], power.limit [W], temperature.gpu, clocks.current.sm [MHz], "
        "clocks.max.sm [MHz], clocks_throttle_reasons.hw_slowdown, clocks_throttle_reasons.hw_thermal_slowdown, "
        "clocks_throttle_reasons.hw_power_brake_slowdown, clocks_throttle_reasons.sw_thermal_slowdown, clocks_throttle_reasons.sw_power_cap, "
        "pcie.link.gen.current, pcie.link.width.current, utilization.gpu [%], memory.used [MiB]"
    )


def _row(job: Job, host: Host, gpu: Gpu, time: float, begin: float, end: float, style: int) -> str:
    working = begin <= time <= end and gpu.index < job.per_host
    state: dict[str, Any] = {
        "temp": round(job.rng.uniform(54, 63) if working else job.rng.uniform(30, 35)),
        "power": job.rng.uniform(560, 640) if working else job.rng.uniform(66, 74),
        "sm": job.rng.choice([1965, 1980, 1980]) if working else 345,
        "util": job.rng.choice([99, 100, 100]) if working else 0,
        "mem": 68321 if working else 4,
        "reasons": 0 if working else 1,
        "limit": 700,
        "gen": 5,
        "width": 16,
    }
    for where, which, since, until, changes in job.gpu_states:
        if where == host.index and which in (gpu.index, -1) and since <= time <= until:
            if changes.get("gone"):
                return ""
            state |= changes
    when = job.clock(host, time + gpu.index * 0.006, system=True)
    stamp, bus = f"{when:%Y/%m/%d %H:%M:%S}.{when.microsecond // 1000:03d}", f"00000000:{gpu.bus.upper()}:00.0"
    if state.get("lost"):
        known = {"index": str(gpu.index), "pci.bus_id": bus, "name": "NVIDIA H100 80GB HBM3"}
        return ", ".join([stamp, *(known.get(name, "[GPU is lost]") for name in _header(style).split(", ")[1:])])
    if style == 0:
        return (
            f"{stamp}, {gpu.index}, NVIDIA H100 80GB HBM3, {bus}, {state['temp']}, {state['power']:.2f} W, {state['sm']} MHz, 1980 MHz, "
            f"{state['util']} %, {state['mem']} MiB, P0, {state['gen']}, {state['width']}, 0x{state['reasons']:016x}"
        )
    bits = state["reasons"]
    said = [("Active" if bits & bit else "Not Active") for bit in (0x8, 0x40, 0x80, 0x20, 0x4)]
    return (
        f"{stamp}, {bus}, {gpu.index}, P0, {state['power']:.2f} W, {state['limit']:.2f} W, {state['temp']}, {state['sm']} MHz, 1980 MHz, "
        f"{', '.join(said)}, {state['gen']}, {state['width']}, {state['util']} %, {state['mem']} MiB"
    )


def adapters(job: Job, begin: float, end: float) -> None:
    """Counters of every port before and after; `job.counters[(host, nic)]` holds what the job added."""
    for host in job.hosts:
        if host.index in job.silent_hosts:
            continue
        base = {(n, name): job.rng.choice([0, 0, 0, 2, 17, 430]) for n in range(len(host.nics)) for name in [*COUNTERS, *HARDWARE]}
        traffic = {n: job.rng.randrange(10**12, 10**13) for n in range(len(host.nics))}
        for word, when in (("before", begin - 30), ("after", end + 30)):
            path = f"counters/{host.name}_{word}.txt" if job.id % 2 else f"hosts/{host.name}/nic_counters.{word}"
            job.write(path, when, f"##### {word} job {host.name} {job.clock(host, when, system=True):%a %b %e %H:%M:%S %Y}")
            for n, nic in enumerate(host.nics):
                added = job.counters.get((host.index, n), {}) if word == "after" else {}
                grown = int((end - begin) * 2.4e9) if word == "after" else 0
                root = f"/sys/class/infiniband/{nic.name}/ports/1"
                for name in COUNTERS:
                    job.write(path, when, f"{root}/counters/{name}:{base[n, name] + added.get(name, 0)}")
                for name in ("port_rcv_data", "port_xmit_data"):
                    job.write(path, when, f"{root}/counters/{name}:{traffic[n] + grown}")
                for name in HARDWARE:
                    job.write(path, when, f"{root}/hw_counters/{name}:{base[n, name] + added.get(name, 0)}")
                if job.fabric == "RoCE":
                    job.write(path, when, f"##### ethtool -S {nic.netdev}   ({nic.name})")
                    job.write(path, when, f"NIC statistics:\n     rx_packets_phy: {(traffic[n] + grown) // 1000}")
                    for name in ("rx_prio3_pause_duration", "tx_prio3_pause_duration", "rx_discards_phy"):
                        job.write(path, when, f"     {name}: {added.get(name, 0)}")
