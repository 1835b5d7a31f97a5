"""One module a command, each with `run(args) -> exit status`; what several need is in `opening`."""

# Exit statuses; 2 also for what cannot be parsed.
DONE, FOUND, USAGE, PARTIAL, NOTHING, DEFECT, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130


class UsageError(Exception):
    """Something that makes no sense on the command line; one sentence that says what would."""
