"""Zones of hosts from when the job loaded them: what the load tells is corrected, and nothing else is touched."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import case_of

from ncclscope.loads import Span, ahead

MINUTE = 60_000_000
START = datetime(2026, 11, 30, 10)


@given(quarters=st.integers(-100, 100), begin=st.integers(-119, 119), end=st.integers(-119, 119), length=st.integers(300, 90_000))
def test_ends_that_differ_by_one_number_of_quarters_differ_by_a_zone(quarters, begin, end, length):
    here = Span(0, length * 1_000_000)
    there = Span(quarters * 15 * MINUTE + begin * 1_000_000, quarters * 15 * MINUTE + (length + end) * 1_000_000)
    assert ahead(there, here) == quarters * 15 * MINUTE


@pytest.mark.parametrize(
    ("began", "ended"), [(60, 100), (0, 45), (7, 47), (30 * 60, 30 * 60 + 40)], ids=["longer", "shorter", "no zone", "another day"]
)
def test_other_loads_tell_nothing(began, ended):
    assert ahead(Span(began * MINUTE, ended * MINUTE), Span(0, 35 * MINUTE if began == 60 else 40 * MINUTE)) is None


def logs(folder, zones, job=0, minutes=40):
    """A console of the job in one zone; telemetry and a kernel log of each host in another; hours from UTC. The fault comes half-way."""
    folder.mkdir()
    lines = [f"{START + timedelta(hours=job, minutes=n):%Y-%m-%d %H:%M:%S} step {n + 1} loss 2.1\n" for n in range(minutes + 1)]
    (folder / "train.log").write_text("".join(lines))
    for host, zone in zones.items():
        local = START + timedelta(hours=zone)
        (folder / host).mkdir()
        rows = ["timestamp, index, utilization.gpu [%], temperature.gpu\n"]
        for half in range(-10, 2 * minutes + 10):
            busy = 100 if 0 <= half <= 2 * minutes else 0
            rows.append(f"{local + timedelta(seconds=30 * half):%Y/%m/%d %H:%M:%S}.000, 0, {busy} %, 60\n")
        (folder / host / "gpu_metrics.csv").write_text("".join(rows))
        said = f"{host} kernel: NVRM: Xid (PCI:0000:9a:00): 79, GPU has fallen off the bus."
        (folder / host / "messages").write_text(f"{local + timedelta(minutes=minutes / 2):%b %d %H:%M:%S} {said}\n")
    return folder


@pytest.mark.parametrize(
    ("zones", "job"),
    [({"n1": 8, "n2": 8}, 0), ({"n1": -7, "n2": -7, "n3": 8}, 0), ({"n1": 5.5}, 0), ({"n1": 0, "n2": 0}, 0), ({"n1": 2, "n2": 2}, 2)],
)
def test_kernel_logs_move_to_the_job_with_the_load(tmp_path, zones, job):
    case = case_of(logs(tmp_path / "logs", zones, job), tmp_path / "case")
    faults = {ts for (ts,) in case.sql("SELECT ts FROM events WHERE kind LIKE '%xid%'")}
    assert faults == {START + timedelta(hours=job, minutes=20)}


def test_a_load_of_another_length_moves_nothing(tmp_path):
    folder = logs(tmp_path / "logs", {"n1": 8})
    steps = (folder / "train.log").read_text().splitlines(keepends=True)
    (folder / "train.log").write_text("".join(steps[:20]))
    case = case_of(folder, tmp_path / "case")
    assert case.sql("SELECT ts FROM events WHERE kind LIKE '%xid%'") == [(START + timedelta(hours=8, minutes=20),)]


def test_a_restart_between_two_steps_is_told_from_another_file(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    first = [START + timedelta(seconds=10 * n) for n in range(10)]
    again = [START + timedelta(seconds=200 + 10 * n) for n in range(10)]
    (folder / "rank_000.log").write_text(
        "".join(f"{t:%Y-%m-%d %H:%M:%S} step {n} loss 2.1\n" for part in (first, again) for n, t in enumerate(part, 1))
    )
    api = "torch/distributed/elastic/multiprocessing/api.py:942]"
    stop = START + timedelta(seconds=100)
    (folder / "agent.log").write_text(
        "".join(f"W{stop:%m%d %H:%M:%S}.379000 99560 {api} Sending process {pid} closing signal SIGTERM\n" for pid in (158, 159))
    )
    case = case_of(folder, tmp_path / "case")
    assert case.sql("SELECT attempt, count(*) FROM steps GROUP BY attempt ORDER BY attempt") == [(0, 10), (1, 10)]
    assert case.sql("SELECT DISTINCT attempt FROM elastic_signal_sent") == [(0,)]
