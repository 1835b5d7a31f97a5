"""What hosts log: kernel and service lines around the job, in one envelope a site, and dmesg where asked."""

from datetime import timedelta

from tests.generator.job import Host, Job

# Ordinary business: (program, text); {n} is a number, {utc} the host's clock in UTC.
DAILY = [
    ("CRON[{n}]", "(root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)"),
    ("systemd[1]", "Starting Cleanup of Temporary Directories..."),
    ("systemd[1]", "Finished Cleanup of Temporary Directories."),
    (
        "sshd[{n}]",
        "Accepted publickey for monitor from 10.2.0.9 port 50122 ssh2: ED25519 SHA256:mR2vN0c5xk1J0o5bqv1hE3b1y0Qm0TQmJ0eJ2yq7d6w",
    ),
    ("sshd[{n}]", "pam_unix(sshd:session): session opened for user monitor(uid=991) by (uid=0)"),
    ("systemd-logind[812]", "New session {n} of user monitor."),
    ("node_exporter[1311]", 'ts={utc} caller=stdlib.go:105 level=error caller="error encoding" msg="broken pipe"'),
    ("containerd[1999]", 'time="{utc}" level=info msg="cleaning up dead shim"'),
    ("chronyd[1042]", "Selected source 10.0.0.4"),
    ("snmpd[2233]", "Connection from UDP: [10.0.0.25]:57690->[10.0.1.2]:161"),
]


def log_file(job: Job, host: Host) -> str:
    return {
        0: f"hosts/{host.name}/syslog",
        1: f"syslog/{host.name}.syslog",
        2: f"sys/messages-{host.name}.log",
        3: f"hosts/{host.name}/messages",
    }[job.id % 4]


def _stamp(job: Job, host: Host, time: float) -> str:
    when = job.clock(host, time, system=True)
    if job.id % 5 == 0:
        sign = "-" if job.system_zone < 0 else "+"
        return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond:06d}{sign}{abs(job.system_zone):02d}:00"
    return f"{when:%b} {when.day:2d} {when:%H:%M:%S}"


def service(job: Job, host: Host, time: float, program: str, text: str) -> None:
    """A line of a user-space service."""
    if time <= job.silent_hosts.get(host.index, float("inf")):
        job.write(log_file(job, host), time, f"{_stamp(job, host, time)} {host.name} {program}: {text}")


def kernel(job: Job, host: Host, time: float, text: str) -> None:
    """A kernel line, in the host's log and in its dmesg where the site keeps one."""
    if time > job.silent_hosts.get(host.index, float("inf")):
        return
    up = time - host.boot
    bracket = f"[{up:12.6f}] " if job.id % 3 else ""
    job.write(log_file(job, host), time, f"{_stamp(job, host, time)} {host.name} kernel: {bracket}{text}")
    if job.id % 7 < 3:
        if job.id % 7 == 0:
            when = job.clock(host, time, system=True)
            job.write(f"dmesg/{host.name}.txt", time, f"[{when:%a %b} {when.day:2d} {when:%H:%M:%S %Y}] {text}")
        else:
            job.write(f"hosts/{host.name}/dmesg.txt", time, f"[{up:12.6f}] {text}")


def boot(job: Job, host: Host, time: float) -> None:
    """A start of the machine as its log shows it."""
    host.boot = time
    kernel(job, host, time, "Linux version 5.15.0-105-generic (buildd@lcy02-amd64-007) #115-Ubuntu SMP")
    kernel(job, host, time + 0.1, "Command line: BOOT_IMAGE=/vmlinuz-5.15.0-105-generic root=/dev/sda2 ro")
    service(job, host, time + 9, "systemd[1]", "systemd 249.11-0ubuntu3 running in system mode")
    service(job, host, time + 12, "rsyslogd", '[origin software="rsyslogd" swVersion="8.2112.0" x-pid="901"] start')
    kernel(job, host, time + 14, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024")


def business(job: Job, begin: float, end: float) -> None:
    """Ordinary lines on every host from before the job until after it."""
    for host in job.hosts:
        time = begin - 1200
        while time < end + 300:
            program, text = job.rng.choice(DAILY)
            number = job.rng.randrange(20000, 90000)
            utc = (job.clock(host, time, system=True) - timedelta(hours=job.system_zone)).isoformat(timespec="milliseconds") + "Z"
            service(job, host, time, program.format(n=number), text.format(n=number, utc=utc))
            time += job.rng.expovariate(1 / (180 if job.world <= 32 else 600))


def benign(job: Job, begin: float, end: float) -> None:
    """Alarming lines that mean nothing: before the job, of other processes, or short."""
    for host in job.hosts:
        gpu, nic = job.rng.choice(host.gpus), job.rng.choice(host.nics)
        early = begin - job.rng.uniform(3, 9) * 3600
        kernel(
            job,
            host,
            early,
            f"NVRM: Xid (PCI:0000:{gpu.bus}:00): 31, pid={job.rng.randrange(3000, 8000)}, name=python, Ch 00000018, intr 00000000. "
            "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_13 faulted @ 0x7fca_5c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
        )
        kernel(
            job, host, early + 1, f"NVRM: Xid (PCI:0000:{gpu.bus}:00): 43, pid={job.rng.randrange(3000, 8000)}, name=python, Ch 00000018"
        )
        middle = begin + (end - begin) * job.rng.uniform(0.2, 0.8)
        choice = job.rng.randrange(5)
        if choice == 0:
            kernel(job, host, middle, "perf: interrupt took too long (4911 > 4901), lowering kernel.perf_event_max_sample_rate to 40750")
        elif choice == 1:
            kernel(job, host, middle, f"pcieport 0000:48:01.0: AER: Corrected error received: 0000:{gpu.bus}:00.0")
            kernel(job, host, middle, f"nvidia 0000:{gpu.bus}:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)")
            kernel(job, host, middle, f"nvidia 0000:{gpu.bus}:00.0:   device [10de:2330] error status/mask=00000001/0000a000")
            kernel(job, host, middle, f"nvidia 0000:{gpu.bus}:00.0:    [ 0] RxErr                  (First)")
        elif choice == 2:
            kernel(job, host, middle, "nfs: server 10.9.0.7 not responding, still trying")
            kernel(job, host, middle + 2, "nfs: server 10.9.0.7 OK")
        elif choice == 3:
            kernel(
                job,
                host,
                middle,
                f"mlx5_core 0000:{nic.bus}:00.0: mlx5_cmd_out_err:838:(pid 1234): ACCESS_REG(0x805) op_mod(0x1) failed, "
                "status bad operation(0x2), syndrome (0x305684), err(-22)",
            )
        else:
            kernel(
                job,
                host,
                middle,
                "EDAC skx MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x3a2f1 "
                "offset:0x40 grain:32 syndrome:0x0)",
            )


def job_left(job: Job, time: float) -> None:
    """Processes with registered GPU memory ended: harmless."""
    for host in job.hosts:
        for n in range(3):
            kernel(
                job,
                host,
                time + n * 0.01,
                "nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, skipping further processing",
            )
