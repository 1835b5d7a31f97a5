"""`python -m ncclscope`, the same program as the `ncclscope` command."""

from ncclscope.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
