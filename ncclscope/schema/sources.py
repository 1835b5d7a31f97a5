"""Tables of rows read from sources, which parcels write."""

from ncclscope.schema.table import Table, columns

_KEY = (
    ("file_id", "UBIGINT", "the source"),
    ("line", "UBIGINT", "line in the source, from 1"),
    ("part", "UINTEGER", "record within the line, from 0"),
)
_TIME = (
    ("ts", "TIMESTAMP", "earliest time it can have happened", "UTC"),
    ("ts_max", "TIMESTAMP", "latest time it can have happened", "UTC"),
    ("ts_from", "VARCHAR", "how the time is known: line, carried, file, arrival"),
)
_SPEAKER = (
    ("host", "VARCHAR", "host that speaks, short name"),
    ("pid", "INTEGER", "its process"),
    ("rank", "INTEGER", "its global rank"),
)

EVENTS = Table(
    "events",
    "one row for each recognised record that has no table of its own",
    columns(
        *_KEY,
        ("offset", "UBIGINT", "start in the decompressed source", "bytes"),
        ("length", "UINTEGER", "length of the record", "bytes"),
        ("n_lines", "UINTEGER", "lines in the record"),
        *_TIME,
        ("source", "VARCHAR", "parser id"),
        ("kind", "VARCHAR", "dotted name of the event"),
        ("severity", "TINYINT", "0 debug, 1 info, 2 warning, 3 error, 4 fatal"),
        *_SPEAKER,
        ("tid", "INTEGER", "its thread"),
        ("gpu", "INTEGER", "local GPU index"),
        ("comm", "VARCHAR", "communicator, the same in every process"),
        ("comm_ptr", "VARCHAR", "its pointer, unique inside one process"),
        ("peer_host", "VARCHAR", "the other party, where one is named"),
        ("peer_rank", "INTEGER", "its rank"),
        ("peer_addr", "VARCHAR", "its address"),
        ("message", "VARCHAR", "text after the prefix"),
        ("fields", "MAP(VARCHAR, VARCHAR)", "the other named groups of the pattern, as written"),
    ),
)

COLLECTIVES = Table(
    "collectives",
    "one row for each operation on one rank, from dumps and traces",
    columns(
        *_KEY,
        *_TIME,
        *_SPEAKER,
        ("comm", "VARCHAR", "communicator or process group"),
        ("comm_ptr", "VARCHAR", "its pointer"),
        ("seq", "BIGINT", "number of the operation in its communicator; NULL where the log has none"),
        ("op", "VARCHAR", "AllReduce, all_reduce ... as logged"),
        ("state", "VARCHAR", "scheduled, started, completed or timed_out"),
        ("dtype", "VARCHAR", "element type"),
        ("count", "BIGINT", "elements"),
        ("in_bytes", "BIGINT", "input size", "bytes"),
        ("out_bytes", "BIGINT", "output size", "bytes"),
        ("root", "INTEGER", "root of the operation"),
        ("nranks", "INTEGER", "ranks of the communicator"),
        ("peer_rank", "INTEGER", "peer of a send or receive"),
        ("created", "TIMESTAMP", "enqueued", "UTC"),
        ("started", "TIMESTAMP", "seen running", "UTC"),
        ("completed", "TIMESTAMP", "seen done", "UTC"),
        ("duration_us", "BIGINT", "kernel time", "us"),
        ("shape", "VARCHAR", "input and output sizes as logged"),
        ("stack", "VARCHAR[]", "frames, innermost first"),
    ),
)

CONNECTIONS = Table(
    "connections",
    "one row for each connection of a channel",
    columns(
        *_KEY,
        *_TIME,
        *_SPEAKER,
        ("comm", "VARCHAR", "communicator"),
        ("comm_ptr", "VARCHAR", "its pointer"),
        ("channel", "INTEGER", "channel number"),
        ("from_rank", "INTEGER", "sending rank of the communicator"),
        ("to_rank", "INTEGER", "receiving rank of the communicator"),
        ("transport", "VARCHAR", "P2P/IPC, P2P/CUMEM, SHM, NET/IB, NET/Socket ..."),
        ("nic", "INTEGER", "index of the network device"),
        ("gdr", "BOOLEAN", "GPUDirect RDMA"),
        ("direction", "VARCHAR", "send or receive"),
        ("via", "VARCHAR", "everything after `via`"),
    ),
)

STEPS = Table(
    "steps",
    "one row for each training step a rank logged",
    columns(
        *_KEY,
        *_TIME,
        *_SPEAKER,
        ("iteration", "BIGINT", "step number"),
        ("step_ms", "DOUBLE", "time of the step", "ms"),
        ("loss", "DOUBLE", "training loss"),
        ("grad_norm", "DOUBLE", "gradient norm"),
        ("throughput", "DOUBLE", "as logged (tokens, samples or FLOP per second)"),
        ("data_ms", "DOUBLE", "of it the time spent on waiting for data", "ms"),
    ),
)

METRICS = Table(
    "metrics",
    "one row for each number of telemetry",
    columns(
        *_KEY,
        *_TIME,
        *_SPEAKER,
        ("gpu", "INTEGER", "GPU index on the host"),
        ("device", "VARCHAR", "GPU UUID or bus id, NIC, port ..."),
        ("name", "VARCHAR", "name of the quantity"),
        ("value", "DOUBLE", "its value"),
        ("unit", "VARCHAR", "its unit"),
        ("mode", "VARCHAR", "gauge or counter"),
    ),
)
