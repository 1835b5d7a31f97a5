"""Flight Recorder dumps: one pickle a rank, plain values only."""

import pickle

from tests.generator import victims
from tests.generator.job import Job, version


def dump(job: Job, at: float, step: int, late: dict[int, int]) -> None:
    """The last collectives of each rank; `late`: rank -> how many it has not reached (negative). Every third site keeps them."""
    if version(job.torch) < (2, 5) or job.id % 3:
        return
    last = victims.work_of(job, step + 1)
    name = "nccl:all_reduce" if last.op == "ALLREDUCE" else "nccl:_all_gather_base"
    for rank in job.ranks:
        reach = last.seq + late.get(rank.rank, 0)
        entries = []
        for seq in range(last.seq - 12, reach + 1):
            done = seq < min(last.seq, reach + 1)
            created = int((at + (seq - last.seq) * 0.2 + rank.host.skew) * 1e9)
            entries.append(
                {
                    "record_id": seq,
                    "pg_id": 0,
                    "process_group": ("0", "default_pg"),
                    "collective_seq_id": seq,
                    "p2p_seq_id": 0,
                    "op_id": seq,
                    "profiling_name": name,
                    "time_created_ns": created,
                    "input_sizes": [[last.numel]],
                    "input_dtypes": ["BFloat16"],
                    "output_sizes": [[last.numel_out]],
                    "output_dtypes": ["BFloat16"],
                    "state": "completed" if done else "started",
                    "time_discovered_started_ns": created + 10_000_000,
                    "time_discovered_completed_ns": created + 90_000_000 if done else None,
                    "retired": done,
                    "timeout_ms": int(victims.limit(job) * 1000),
                    "is_p2p": False,
                    "frames": [],
                }
            )
        status = {
            "last_enqueued_collective": reach,
            "last_started_collective": reach,
            "last_completed_collective": min(last.seq - 1, reach),
        }
        record = {
            "version": "2.4",
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(job.world)))}},
            "pg_status": {"0": status},
            "entries": entries,
        }
        job.blobs[f"fr_dump/nccl_trace_rank_{rank.rank}"] = pickle.dumps(record, protocol=2)
