"""Names of hosts in paths: beside a tool's word, alone, above a file of such words; and what is no host."""

from pathlib import Path

import pytest
from support import case_of

from ncclscope.pathhints import beside, hints, varying

HOSTS = {
    "gpu_metrics-node017.csv": "node017",
    "smi-hgx-01.csv": "hgx-01",
    "smi.basalt-n071.csv": "basalt-n071",
    "messages.basalt-n072": "basalt-n072",
    "sel-node3.txt": "node3",
    "ipmi-x9.log": "x9",
    "hgx7_nvlink_before.txt": "hgx7",
    "c4-n01_ens2f0np0_after.txt": "c4-n01",
    "rdma_stat_before_jh2.txt": "jh2",
    "gpu-a09_before.txt": "gpu-a09",
    "nvidia-smi_gpu-a09.csv": "gpu-a09",
    "before-sn1.txt": "sn1",
    "kr05/ibstat.txt": "kr05",
    "quartz-a12/8812_xk29e_dw/attempt_0/3/stderr.log": "quartz-a12",
    "908144/nccl/nccl.node040.1600816.log": "node040",
    "pyspy/nova-gpu08.2911102.txt": "nova-gpu08",
    "nodes/ip-10-8-5-140.smi.csv": "ip-10-8-5-140",
    "syslog/rhea-g12": "rhea-g12",
    "h100-07.log": "h100-07",
    "node1-pid99.log": "node1",
    "tr01.ibstat": "tr01",
    "vx4_before.txt": "vx4",
}
NOBODY = [
    "nvidia_smi_q.txt", "perfquery_pair.txt", "ethtool_S_ens1f0.txt", "mlx5_0_before.txt", "slurm-58213.out", "syslog.1",
    "messages-20240501", "trace_rank_1.json", "rank0.err", "run3/train.log", "job12/nccl.log", "train_llama3-8b.log", "llama3-8b.log",
    "code34b-cpt_207760/slurm/slurmctld.log", "sft-72b_1208036/logs/sft-72b_1208036_1.log", "gpu-07.log", "h100.log", "dmesg_boot2.txt",
    "nccl-tests_h100_2n.out", "r5.log", "p2p.txt", "ibdiagnet2.log", "xid79.log", "ipv6.txt", "nvswitch0.txt", "p2p_matrix.txt",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTS)
def test_a_host_is_found(path: str) -> None:
    assert hints(path, ()).host == HOSTS[path]


@pytest.mark.parametrize("path", NOBODY)
def test_what_is_numbered_otherwise_is_no_host(path: str) -> None:
    assert hints(path, ()).host is None


def test_a_known_host_is_found_without_a_tool() -> None:
    assert hints("notes/alpha_later.log", ()).host is None
    assert hints("notes/alpha_later.log", ["alpha", "beta"]).host == "alpha"


def test_names_without_digits_need_a_pattern_of_three() -> None:
    names = ["d/dmesg-alpha.txt", "d/dmesg-beta.txt", "d/dmesg-gamma.txt"]
    assert varying(names) == {"d/dmesg-alpha.txt": "alpha", "d/dmesg-beta.txt": "beta", "d/dmesg-gamma.txt": "gamma"}
    assert varying(names[:2]) == {}
    assert varying(["smi-before.csv", "smi-idle.csv", "smi-load.csv"]) == {}
    assert varying(["notes-alpha.txt", "notes-beta.txt", "notes-gamma.txt"]) == {}


def test_a_directory_is_numbered_like_the_known_hosts_beside_it() -> None:
    names = ["j/aws-t0/a.log", "j/aws-t1/dmesg.txt", "j/aws-t2/a.log", "j/other3/a.log"]
    assert beside(names, {"aws-t0", "aws-t2"}) == {"j/aws-t1/dmesg.txt": "aws-t1"}
    assert beside(names, {"aws-t0"}) == {}
    assert beside(["rank0/a", "rank1/a", "rank2/a"], {"n1", "n2"}) == {}


def test_where_the_name_comes_from_is_told(tmp_path: Path) -> None:
    whole = tmp_path / "in"
    (whole / "hosts" / "node01").mkdir(parents=True)
    line = "May 01 12:00:00 {}kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up\n"
    (whole / "hosts" / "node01" / "syslog").write_text(line.format("node02 "))
    (whole / "dmesg-node03.txt").write_text("[   11.2] mlx5_core 0000:9a:00.0 ens3f0np0: Link up\n")
    case = case_of(whole, tmp_path / "case")
    rows = case.sql("SELECT path, host, host_from, path_host FROM files ORDER BY path")
    assert rows == [("dmesg-node03.txt", "node03", "path", "node03"), ("hosts/node01/syslog", "node02", "text", "node01")]
