"""One module a command, each with `run(args) -> exit status`; what several need is in `opening`."""


class UsageError(Exception):
    """Something that makes no sense on the command line; one sentence that says what would."""
