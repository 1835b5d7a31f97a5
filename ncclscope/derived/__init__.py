"""What only the whole case knows, a file for each table: settled here step by step, and below by queries over what is settled."""

from ncclscope import attempts
from ncclscope.case import Case
from ncclscope.derived import clocks, copies, files, host_names, pieces, processes, times
from ncclscope.derived.source import sources_of


def settle(case: Case) -> None:
    """Writes what the views of a case need: line bases, years, zones, hosts, ranks, attempts; and its sources.

    Each step reads rows through what the steps before it settled; what an earlier run derived would mislead them.
    """
    found = sources_of(case)
    copies.mark_copies(found)
    times.years(found)
    case.clear("clocks", "host_names", "host_spans", "processes", "spans", "windows")
    pieces.write(case, found)
    copies.mark_streams(case, found)
    host_names.write(case, found)
    pieces.write(case, found)
    times.zones(case, found)
    times.boots(case, found)
    pieces.write(case, found)
    attempts.separate(case)
    processes.write(case, found)
    pieces.write(case, found)
    clocks.write(case, found)
    files.write(case, found)
