"""The sample cases that ship: small synthetic incidents, each with what is right to say about it."""

from pathlib import Path

from ncclscope import packs

# The hung job that `demo` shows when nothing is named.
HUNG = "hang-rank-behind"
# The report of a sample, as far as it does not change with every rule, lies beside its label.
EXPECTED = "report.txt"


def folder() -> Path:
    """Where they are: beside the module in a wheel, one level up in a checkout."""
    return packs.shipped() / "sample_logs"


def names() -> list[str]:
    """Every sample, in order."""
    return sorted(path.parent.name for path in folder().glob("*/expect.json"))
