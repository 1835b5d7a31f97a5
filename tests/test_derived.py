"""Tables that only the whole case can fill: what a host runs and which GPU a rank used, from whatever names them."""

from pathlib import Path

from support import case_of

INIT = (
    "{host}:{pid}:{pid} [{gpu}] NCCL INFO comm 0x55d0 rank {rank} nranks 2 cudaDev {gpu} nvmlDev {gpu} busId {bus} commId 0xabc"
    " - Init COMPLETE\n"
)
IDENTITIES = """index, uuid, pci.bus_id, driver_version
0, GPU-00000000-0000-4000-8000-00000000000a, 00000000:1B:00.0, {driver}
1, GPU-00000000-0000-4000-8000-00000000000b, 00000000:43:00.0, {driver}
"""


def test_a_rank_has_the_uuid_of_the_gpu_at_its_place_on_the_bus(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "nccl.log").write_text(
        INIT.format(host="n1", pid=10, gpu=0, rank=0, bus="43000") + INIT.format(host="n2", pid=11, gpu=0, rank=1, bus="1b000")
    )
    (logs / "n1.csv").write_text(IDENTITIES.format(driver="550.90.07"))
    case = case_of(logs, tmp_path / "case")
    ranks = case.sql("SELECT rank, host, pci_bus, gpu_uuid FROM ranks ORDER BY rank")
    # NCCL's index is what the job was given; the bus says which GPU that was. Nothing lists the GPUs of n2.
    assert ranks == [
        (0, "n1", "0000:43:00.0", "GPU-00000000-0000-4000-8000-00000000000b"),
        (1, "n2", "0000:1b:00.0", None),
    ]


def test_a_host_has_its_driver_by_the_last_line_that_says_it(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "nccl.log").write_text("n1:10:10 [0] NCCL INFO cudaDriverVersion 12040\nn2:10:10 [0] NCCL INFO cudaDriverVersion 12020\n")
    loaded = "2026-11-{day}T03:00:00.000000+00:00 n1 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}  Release Build\n"
    (logs / "n1-kern.log").write_text(loaded.format(day=29, driver="535.129.03") + loaded.format(day=30, driver="550.90.07"))
    (logs / "n2.csv").write_text(IDENTITIES.format(driver="535.129.03"))
    case = case_of(logs, tmp_path / "case")
    assert case.sql("SELECT host, driver, driver_from, cuda FROM hosts ORDER BY host") == [
        ("n1", "550.90.07", "kernel_gpu", "12.4"),
        ("n2", "535.129.03", "nvidia_smi", "12.2"),
    ]


PASTE = """root@node017:~# dmesg -T | grep -i xid
[Sun Nov 30 03:14:07 2025] NVRM: Xid (PCI:0000:1b:00): 79, pid=4121, name=python, GPU has fallen off the bus.
root@node017:~# exit
[mira@login2 ~]$ cat slurm-48213.out
[rank3]: KeyError: 'labels'
[mira@login2 ~]$ ssh node018
[mira@node018 ~]$ ibstat mlx5_0
CA 'mlx5_0'
	CA type: MT4129
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 400
"""


def test_in_a_pasted_terminal_lines_are_of_the_host_whose_prompt_asked_for_them(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "paste.txt").write_text(PASTE)
    case = case_of(logs, tmp_path / "case")
    assert case.sql("SELECT host FROM gpu_xid") == [("node017",)]
    # What a command shows that is not of its machine has no host.
    assert case.sql("SELECT rank, host FROM python_exception") == [(3, None)]
    assert case.sql("SELECT DISTINCT host FROM events WHERE line BETWEEN 8 AND 13") == [("node018",)]
    assert case.sql("SELECT host FROM files") == [(None,)]
