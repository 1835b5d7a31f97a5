"""Clocks of hosts against each other: what is measured is corrected, and nothing else is touched."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import case_of

from ncclscope.offsets import LEAST_US, Offset

HOUR = 3_600_000_000
START = datetime(2026, 11, 30, 10)


@given(quarters=st.integers(-56, 56), skew=st.integers(-40_000_000, 40_000_000), error=st.integers(1000, 10_000_000))
def test_zone_and_skew_together_are_what_was_measured_but_for_what_does_not_matter(quarters, skew, error):
    offset = Offset.of("n1", quarters * HOUR // 4 + skew, error, 9)
    left = quarters * HOUR // 4 + skew - offset.zone_us - offset.skew_us
    assert abs(left) <= max(LEAST_US, 3 * error)
    assert offset.zone_us == quarters * HOUR // 4


@given(offset=st.integers(-50 * HOUR, 50 * HOUR), error=st.integers(300_000_000, HOUR))
def test_a_large_error_claims_no_zone(offset, error):
    assert Offset.of("n1", offset, error, 9).zone_us == 0


def logs(folder, shifts, steps=6):
    """A training log of each host, whose clock is off by so many seconds, and a kernel log of the last."""
    for host, shift in shifts.items():
        at = [START + timedelta(seconds=10 * n + shift) for n in range(steps)]
        (folder / host).mkdir(parents=True)
        (folder / host / "train.log").write_text("".join(f"{t:%Y-%m-%d %H:%M:%S} step {n} loss 2.1\n" for n, t in enumerate(at, 1)))
        fault = START + timedelta(seconds=33 + shift)
        said = f"{host} kernel: NVRM: Xid (PCI:0000:9a:00): 79, GPU has fallen off the bus."
        (folder / host / "messages").write_text(f"{fault:%b %d %H:%M:%S} {said}\n")
    return folder


@pytest.mark.parametrize("shift", [47, -125, 8 * 3600, -5 * 3600 - 1800, 3600 + 31])
def test_every_log_of_a_host_moves_with_its_clock(tmp_path, shift):
    case = case_of(logs(tmp_path / "logs", {"n1": 0, "n2": 0, "n3": shift}), tmp_path / "case")
    faults = case.sql("SELECT host, ts FROM events WHERE kind LIKE '%xid%' ORDER BY host")
    assert {host for host, _ in faults} == {"n1", "n2", "n3"}
    assert len({ts for _, ts in faults}) == 1
    [(ahead, error)] = case.sql("SELECT clock_offset_us, clock_error_us FROM hosts WHERE host = 'n3'")
    assert abs(ahead - shift * 1_000_000) <= error
    assert case.sql("SELECT hosts FROM findings WHERE kind = 'clock.skew'") == [(["n3"],)]


@pytest.mark.parametrize("shift", [0, 1, 9])
def test_less_than_a_step_is_no_offset(tmp_path, shift):
    case = case_of(logs(tmp_path / "logs", {"n1": 0, "n2": shift}), tmp_path / "case")
    assert case.sql("SELECT DISTINCT zone_us, skew_us FROM clocks") == [(0, 0)]
    assert case.sql("SELECT * FROM findings WHERE kind = 'clock.skew'") == []
