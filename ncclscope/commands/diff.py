"""`ncclscope diff`."""

import argparse

from ncclscope.commands import UsageError


def run(args: argparse.Namespace) -> int:
    """Not yet."""
    raise UsageError(f"{args.command} is not there yet.")
