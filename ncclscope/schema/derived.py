"""Tables of what only the whole case knows, written when it is committed."""

from ncclscope.schema.table import Table, columns

FILES = Table(
    "files",
    "one row for each source, good or bad",
    columns(
        ("file_id", "UBIGINT", "first 8 bytes of SHA-256 of argument, path and member"),
        ("argument", "INTEGER", "position of the command-line argument"),
        ("path", "VARCHAR", "path relative to the argument"),
        ("member", "VARCHAR", "path inside the archive, or NULL"),
        ("location", "VARCHAR", "absolute path on the machine that scanned"),
        ("digest", "VARCHAR", "SHA-256 of the decompressed content, hex"),
        ("size_bytes", "UBIGINT", "decompressed size", "bytes"),
        ("lines", "UBIGINT", "lines; matched + unknown + damaged"),
        ("matched", "UBIGINT", "lines some parser recognised"),
        ("unknown", "UBIGINT", "lines nothing recognised"),
        ("damaged", "UBIGINT", "lines torn, undecodable or cut"),
        ("began", "TIMESTAMP", "first time found inside", "UTC"),
        ("ended", "TIMESTAMP", "last time found inside", "UTC"),
        ("host", "VARCHAR", "what path or content says about the whole file"),
        ("host_from", "VARCHAR", "where that name comes from: text or path"),
        ("path_host", "VARCHAR", "the host that the path speaks of, also where the text names another"),
        ("rank", "INTEGER", "the same for the global rank"),
        ("status", "VARCHAR", "ok, partial, unrecognised, skipped, failed"),
        ("error", "VARCHAR", "one sentence when not ok"),
    ),
    "case",
)

RANKS = Table(
    "ranks",
    "one row for each rank of an attempt",
    columns(
        ("attempt", "INTEGER", "job attempt, from 0"),
        ("rank", "INTEGER", "global rank"),
        ("world_size", "INTEGER", "ranks of the job"),
        ("host", "VARCHAR", "its host"),
        ("local_rank", "INTEGER", "rank on the host"),
        ("pid", "INTEGER", "its process"),
        ("gpu", "INTEGER", "local GPU index"),
        ("gpu_uuid", "VARCHAR", "its GPU's UUID, as nvidia-smi or DCGM on its host lists it"),
        ("pci_bus", "VARCHAR", "its GPU's bus id, 0000:9a:00.0"),
        ("given", "BOOLEAN", "some log of its own is in the case"),
        ("first_seen", "TIMESTAMP", "first own line with a time", "UTC"),
        ("last_seen", "TIMESTAMP", "last own line with a time", "UTC"),
        ("exit_code", "INTEGER", "exit code"),
        ("signal", "INTEGER", "signal that ended it"),
    ),
    "case",
)

HOSTS = Table(
    "hosts",
    "one row for each host of an attempt",
    columns(
        ("attempt", "INTEGER", "job attempt"),
        ("host", "VARCHAR", "short name"),
        ("given", "BOOLEAN", "a log of this host is in the case"),
        ("clock_offset_us", "BIGINT", "its clock minus the reference clock", "us"),
        ("clock_error_us", "BIGINT", "uncertainty of the offset", "us"),
        ("gpus", "INTEGER", "GPUs the job used on it"),
        ("driver", "VARCHAR", "GPU driver"),
        ("driver_from", "VARCHAR", "the parser of the line that says so"),
        ("cuda", "VARCHAR", "newest CUDA that the driver runs, as NCCL says"),
        ("nccl", "VARCHAR", "NCCL version"),
    ),
    "case",
)

HOST_ALIASES = Table(
    "host_aliases",
    "every name, address or number that a source ties to a host or rank",
    columns(
        ("alias", "VARCHAR", "full name, pod name, address, GID, QP number"),
        ("host", "VARCHAR", "the host's short name"),
        ("rank", "INTEGER", "the rank, where it is one rank's"),
        ("how", "VARCHAR", "how it is known"),
    ),
    "case",
)

COMMUNICATORS = Table(
    "communicators",
    "one row for each member of a communicator",
    columns(
        ("attempt", "INTEGER", "job attempt"),
        ("comm", "VARCHAR", "commId, else (parent, colour), else group name"),
        ("comm_ptr", "VARCHAR", "pointer in this process"),
        ("name", "VARCHAR", "group name"),
        ("parent", "VARCHAR", "communicator it was split from"),
        ("rank", "INTEGER", "global rank"),
        ("comm_rank", "INTEGER", "rank in the communicator"),
        ("nranks", "INTEGER", "its size"),
        ("host", "VARCHAR", "host"),
        ("pid", "INTEGER", "process"),
        ("began", "TIMESTAMP", "set-up began", "UTC"),
        ("ended", "TIMESTAMP", "set-up completed", "UTC"),
        ("outcome", "VARCHAR", "complete, started or unknown"),
    ),
    "case",
)

INTERVALS = Table(
    "intervals",
    "what a rank did from when to when",
    columns(
        ("attempt", "INTEGER", "job attempt"),
        ("rank", "INTEGER", "global rank"),
        ("host", "VARCHAR", "host"),
        ("state", "VARCHAR", "starting, working, waiting, alive, ended or silent"),
        ("began", "TIMESTAMP", "from", "UTC"),
        ("ended", "TIMESTAMP", "to", "UTC"),
        ("step", "BIGINT", "training step"),
        ("seq", "BIGINT", "collective"),
        ("why", "VARCHAR", "what says so"),
    ),
    "case",
)

PROGRESS = Table(
    "progress",
    "how far a rank got in the numbered operations of a communicator or group, by whatever says so",
    columns(
        ("attempt", "INTEGER", "job attempt"),
        ("rank", "INTEGER", "global rank"),
        ("comm", "VARCHAR", "communicator or group name"),
        ("first", "BIGINT", "lowest number seen"),
        ("completed", "BIGINT", "last operation known to be complete, or NULL"),
        ("entered", "BIGINT", "last operation it called"),
    ),
    "case",
)

FINDINGS = Table(
    "findings",
    "one row for each finding of a rule",
    columns(
        ("finding_id", "VARCHAR", "hash of rule, culprit and first evidence line"),
        ("attempt", "INTEGER", "job attempt"),
        ("rule", "VARCHAR", "rule id"),
        ("kind", "VARCHAR", "kind of the vocabulary"),
        ("severity", "VARCHAR", "critical, high, medium or info"),
        ("role", "VARCHAR", "cause, symptom or context"),
        ("confidence", "VARCHAR", "certain, likely or possible"),
        ("title", "VARCHAR", "the fault in general"),
        ("summary", "VARCHAR", "the fault here"),
        ("advice", "VARCHAR", "what to do"),
        ("hosts", "VARCHAR[]", "culprit hosts"),
        ("ranks", "INTEGER[]", "culprit global ranks"),
        ("gpus", "VARCHAR[]", "culprit GPUs"),
        ("devices", "VARCHAR[]", "culprit NICs, ports, mounts"),
        ("comm", "VARCHAR", "communicator"),
        ("either", "BOOLEAN", "one of those named, not all"),
        ("began", "TIMESTAMP", "when the condition began", "UTC"),
        ("ended", "TIMESTAMP", "when it ended", "UTC"),
        ("explained_by", "VARCHAR", "finding that caused this one"),
        ("evidence", "STRUCT(file_id UBIGINT, line UBIGINT, part UINTEGER)[]", "at most 20, the earliest"),
        ("evidence_total", "INTEGER", "all of them"),
    ),
    "case",
)

CHECKS = Table(
    "checks",
    "one row for each rule that was run",
    columns(
        ("rule", "VARCHAR", "rule id"),
        ("status", "VARCHAR", "fired, silent, not_applicable or failed"),
        ("findings", "INTEGER", "findings"),
        ("error", "VARCHAR", "why it failed"),
    ),
    "case",
)

VERDICTS = Table(
    "verdicts",
    "one row for each attempt",
    columns(
        ("attempt", "INTEGER", "job attempt"),
        ("began", "TIMESTAMP", "first line", "UTC"),
        ("ended", "TIMESTAMP", "last line", "UTC"),
        ("status", "VARCHAR", "status of the vocabulary"),
        ("sentence", "VARCHAR", "the answer"),
        ("finding_id", "VARCHAR", "the finding behind it"),
        ("next", "VARCHAR[]", "what to do or what would settle it"),
        ("headline", "BOOLEAN", "it is the answer for the whole job"),
    ),
    "case",
)

MISSING = Table(
    "missing_evidence",
    "what would help and is not here",
    columns(
        ("attempt", "INTEGER", "job attempt"),
        ("place", "INTEGER", "what helps most is 1"),
        ("what", "VARCHAR", "one sentence"),
    ),
    "case",
)

WEAKENED = Table(
    "weakened",
    "findings whose confidence was lowered because evidence is missing",
    columns(
        ("attempt", "INTEGER", "job attempt"),
        ("finding_id", "VARCHAR", "the finding"),
        ("gap", "VARCHAR", "what is missing: rank_log, kernel_log or hosts"),
        ("was", "VARCHAR", "how sure its rule was"),
        ("what", "VARCHAR", "one sentence"),
    ),
    "case",
)

PIECES = Table(
    "pieces",
    "one row for each piece of a source: what its rows need to be complete",
    columns(
        ("file_id", "UBIGINT", "the source"),
        ("piece", "UBIGINT", "where the piece begins", "bytes"),
        ("base", "UBIGINT", "lines of the source before the piece"),
        ("zone_us", "BIGINT", "offset of its zoneless times from UTC", "us"),
        ("skew_us", "BIGINT", "how far the clock of its host is ahead of the others", "us"),
        ("year", "INTEGER", "year of its yearless times"),
        ("wraps", "BOOLEAN", "the months before July belong to the next year"),
        ("boot", "TIMESTAMP", "when its host booted, for seconds since boot", "UTC"),
        ("host", "VARCHAR", "host of the whole source"),
        ("rank", "INTEGER", "rank of the whole source"),
        ("attempt", "INTEGER", "attempt of the whole source"),
        ("duplicate", "BOOLEAN", "another source holds the same stream"),
        ("name", "VARCHAR", "path and member, as reports show them"),
    ),
    "case",
)

CLOCKS = Table(
    "clocks",
    "how far the times of a host are ahead of the others' at moments that all reach together, before they were corrected",
    columns(
        ("host", "VARCHAR", "host"),
        ("zone_us", "BIGINT", "by a zone that its times do not state", "us"),
        ("skew_us", "BIGINT", "by its clock", "us"),
        ("error_us", "BIGINT", "what is not known of it", "us"),
        ("meetings", "BIGINT", "such moments"),
    ),
    "case",
)

HOST_NAMES = Table(
    "host_names",
    "other spellings of hosts",
    columns(("name", "VARCHAR", "as logged"), ("host", "VARCHAR", "short name")),
    "case",
)

PROCESSES = Table(
    "processes",
    "which rank a process is, from the largest communicator it joined",
    columns(("host", "VARCHAR", "host"), ("pid", "INTEGER", "process"), ("rank", "INTEGER", "global rank")),
    "case",
)

SPANS = Table(
    "spans",
    "lines of a source that belong to one attempt",
    columns(
        ("file_id", "UBIGINT", "the source"),
        ("from_line", "UBIGINT", "first line"),
        ("to_line", "UBIGINT", "line after the last"),
        ("attempt", "INTEGER", "attempt"),
    ),
    "case",
)

HOST_SPANS = Table(
    "host_spans",
    "lines of a pasted terminal that a command printed of the host whose prompt stands above them",
    columns(
        ("file_id", "UBIGINT", "the source"),
        ("from_line", "UBIGINT", "first line"),
        ("to_line", "UBIGINT", "line after the last"),
        ("host", "VARCHAR", "host of the prompt, short name"),
    ),
    "case",
)

WINDOWS = Table(
    "windows",
    "when each attempt ran, for sources that span several; empty with one attempt",
    columns(
        ("attempt", "INTEGER", "attempt"),
        ("from_ts", "TIMESTAMP", "its start", "UTC"),
        ("to_ts", "TIMESTAMP", "start of the next", "UTC"),
    ),
    "case",
)
