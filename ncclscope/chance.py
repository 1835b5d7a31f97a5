"""How likely it is that chance alone blames one part so often: an exact test, and a correction for having looked at many."""

from collections.abc import Mapping, Sequence


def at_least(shares: Sequence[float], count: int) -> float:
    """The probability that at least `count` of independent events happen, of which each has its own probability."""
    spread = [1.0]
    for share in shares:
        spread = [
            (spread[n] * (1 - share) if n < len(spread) else 0.0) + (spread[n - 1] * share if n else 0.0) for n in range(len(spread) + 1)
        ]
    return min(1.0, max(0.0, sum(spread[count:])))


def holm(probabilities: Mapping[str, float], looked_at: int) -> dict[str, float]:
    """Each probability after Holm's correction, when `looked_at` parts could have been found conspicuous.

    Those that are not among the probabilities count as 1. Below 0.05 the chance that any of them is a false alarm is
    below 0.05, however the parts depend on each other.
    """
    out: dict[str, float] = {}
    worst = 0.0
    for place, (name, probability) in enumerate(sorted(probabilities.items(), key=lambda one: (one[1], one[0]))):
        worst = max(worst, min(1.0, probability * max(looked_at - place, 1)))
        out[name] = worst
    return out
