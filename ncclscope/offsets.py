"""Clocks of hosts against each other, from moments that all ranks reach together.

A step of synchronous training is logged everywhere within the time of a step. What a host is off by more than that is its
clock, or, where it is a number of quarters of an hour, the zone that its times do not state.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ncclscope.case import Case

_SECOND_US = 1_000_000
_QUARTER_US = 900 * _SECOND_US
# Below it the order of lines is left alone: nothing that is judged turns on it.
LEAST_US = 2 * _SECOND_US
_MEETINGS = 3
# A zone differs by a round number, but for how far the clocks themselves are apart.
_ROUND_US = 60 * _SECOND_US

# `mid` is the time of one of the hosts, so that those who agree are off by nothing. The error is the spread over the
# meetings, or the time of a step if that is longer.
_QUERY = """
WITH there AS (
  SELECT attempt, meeting, iteration, host, CAST(median(epoch_us(ts)) AS BIGINT) AS at_us FROM meetings GROUP BY ALL),
mid AS (
  SELECT attempt, meeting, quantile_disc(at_us, 0.5) AS at_us FROM there GROUP BY ALL HAVING count(*) > 1),
gap AS (
  SELECT host, at_us - lag(at_us) OVER w AS us, iteration - lag(iteration) OVER w AS steps FROM there WHERE iteration IS NOT NULL
  WINDOW w AS (PARTITION BY attempt, host ORDER BY iteration)),
pace AS (SELECT host, median(us / steps) AS us FROM gap WHERE steps > 0 GROUP BY host),
off AS (
  SELECT t.host, median(t.at_us - m.at_us) AS offset_us, 1.4826 * mad(t.at_us - m.at_us) AS spread_us, count(*) AS meetings
  FROM there t JOIN mid m ON m.attempt IS NOT DISTINCT FROM t.attempt AND m.meeting = t.meeting
  GROUP BY t.host HAVING count(*) >= $1)
SELECT o.host, CAST(o.offset_us AS BIGINT), CAST(round(greatest(o.spread_us, abs(coalesce(p.us, 0)), 1000)) AS BIGINT), o.meetings
FROM off o LEFT JOIN pace p USING (host)
ORDER BY o.host
"""


@dataclass(frozen=True, slots=True)
class Offset:
    """How far a host's times are ahead of most others': by a wrong zone and by its clock; `error_us` is what is not known."""

    host: str
    zone_us: int
    skew_us: int
    error_us: int
    meetings: int

    @classmethod
    def of(cls, host: str, offset_us: int, error_us: int, meetings: int) -> "Offset":
        """Splits an offset; what is within the error, or too small to matter, is none."""
        zone = round(offset_us / _QUARTER_US) * _QUARTER_US
        if abs(offset_us - zone) > max(_ROUND_US, error_us) or error_us > _QUARTER_US // 4:
            zone = 0
        skew = offset_us - zone
        return cls(host, zone, skew if abs(skew) > max(LEAST_US, 3 * error_us) else 0, error_us, meetings)


def measure(case: Case) -> Sequence[Offset]:
    """The offsets of all hosts that met others often enough, those that agree included."""
    return [Offset.of(*row) for row in case.found(_QUERY, _MEETINGS)]
