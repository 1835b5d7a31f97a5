"""Which parts keep coming back: the test against chance, its correction, and GPUs by names that last."""

import itertools
import math

import pytest

from ncclscope import chance, fleet
from ncclscope.fleet import Used


def brute(shares: list[float], count: int) -> float:
    total = 0.0
    for happened in itertools.product((0, 1), repeat=len(shares)):
        if sum(happened) >= count:
            total += math.prod(p if yes else 1 - p for p, yes in zip(shares, happened, strict=True))
    return total


@pytest.mark.parametrize("shares", [[], [0.5], [0.1, 0.2, 0.9], [0.05] * 8, [1.0, 0.0, 0.3]])
def test_the_probability_is_exact(shares: list[float]) -> None:
    for count in range(len(shares) + 2):
        assert chance.at_least(shares, count) == pytest.approx(brute(shares, count), abs=1e-12)


def test_the_correction_counts_what_was_looked_at() -> None:
    assert chance.holm({"a": 0.001, "b": 0.01}, 10) == pytest.approx({"a": 0.01, "b": 0.09})
    assert chance.holm({"a": 0.2, "b": 0.3}, 10) == {"a": 1.0, "b": 1.0}
    assert chance.holm({"a": 0.01, "b": 0.0101}, 2) == pytest.approx({"a": 0.02, "b": 0.02})


def case(number: int, hosts: set[str], named: set[str], **more: set[str]) -> Used:
    one = Used(f"case{number}", "cause_found", "", None)
    one.used["hosts"], one.named["hosts"] = set(hosts), set(named)
    one.used["devices"] = one.named["devices"] = more.get("devices", set())
    return one


FLEET = {f"node{n:03d}" for n in range(64)}


def test_a_host_that_is_named_again_and_again_is_conspicuous() -> None:
    every = [case(n, FLEET, {"node007"} if n % 4 == 0 else {f"node{n:03d}"}) for n in range(20)]
    [first, *others], looked_at = fleet.parts(every, "hosts")
    assert (first.name, first.named, first.used, looked_at) == ("node007", 6, 20, 64)
    assert first.is_conspicuous
    assert not any(part.is_conspicuous for part in others)


def test_a_host_that_every_small_job_used_is_not() -> None:
    every = [case(n, {"node001", "node002"}, {"node001"} if n % 2 else {"node002"}) for n in range(12)]
    found, _ = fleet.parts(every, "hosts")
    assert [part.named for part in found] == [6, 6]
    assert not any(part.is_conspicuous for part in found)


def test_one_naming_among_many_hosts_is_none_that_keeps_coming_back() -> None:
    found, _ = fleet.parts([case(0, FLEET, {"node001"})], "hosts")
    assert not found[0].is_conspicuous


def test_a_nic_was_used_by_every_job_of_its_host() -> None:
    every = [case(n, FLEET, set(), devices={"node007/mlx5_3"} if n < 2 else set()) for n in range(10)]
    every[5].used["devices"] = {f"node007/mlx5_{n}" for n in range(8)}
    [part], looked_at = fleet.parts(every, "devices")
    assert (part.name, part.used, part.named, looked_at) == ("node007/mlx5_3", 10, 2, 8)


def test_one_gpu_has_one_name() -> None:
    known = {"node001:3": "GPU-1", "node001/0000:4c:00": "GPU-1", "gpu-1": "GPU-1"}
    assert fleet._gpu("node001:3", "node001", known) == "GPU-1"
    assert fleet._gpu("0000:4C:00", "node001", known) == "GPU-1"
    assert fleet._gpu("0000:4c:00", "node002", known) == "node002/0000:4c:00"
    assert list(fleet._lasting(["node001:3", "0000:4c:00"])) == ["0000:4c:00"]
    assert list(fleet._lasting(["node001:3", "node001:4"])) == ["node001:3", "node001:4"]
