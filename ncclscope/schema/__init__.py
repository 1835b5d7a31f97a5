"""The tables of a case: every column's name, type, unit and meaning. Imports nothing of ours but its own parts."""

from ncclscope.schema import derived
from ncclscope.schema.sources import COLLECTIVES, CONNECTIONS, EVENTS, METRICS, STEPS
from ncclscope.schema.table import Column, Table

__all__ = ["BY_NAME", "DENSE", "EVENTS", "MANIFEST", "SCHEMA_VERSION", "SEVERITIES", "TABLES", "Column", "Table"]

# Bumped when a reader of older Parquet files would misread newer ones; part of every parcel's key.
SCHEMA_VERSION = 4

# The file that makes a directory a case: what was read, and how that went.
MANIFEST = "manifest.json"

SEVERITIES = ("debug", "info", "warning", "error", "fatal")

# Tables written by parcels that are not `events`.
DENSE = (COLLECTIVES, CONNECTIONS, STEPS, METRICS)
TABLES = (
    derived.FILES,
    EVENTS,
    *DENSE,
    derived.RANKS,
    derived.HOSTS,
    derived.HOST_ALIASES,
    derived.COMMUNICATORS,
    derived.INTERVALS,
    derived.MISSING,
    derived.PROGRESS,
    derived.FINDINGS,
    derived.CHECKS,
    derived.VERDICTS,
    derived.WEAKENED,
    derived.PIECES,
    derived.CLOCKS,
    derived.HOST_NAMES,
    derived.PROCESSES,
    derived.SPANS,
    derived.HOST_SPANS,
    derived.WINDOWS,
)
BY_NAME = {table.name: table for table in TABLES}
