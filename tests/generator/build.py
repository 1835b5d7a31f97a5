"""From options to a job directory."""

import json
from pathlib import Path

from tests.generator import (
    faults_hardware,
    faults_network,
    faults_process,
    faults_program,
    faults_slow,
    noise,
    scheduler,
    system,
    telemetry,
)
from tests.generator.job import Job, Options, make
from tests.generator.story import FAULTS, Outcome, gone

MODULES = (faults_hardware, faults_network, faults_process, faults_program, faults_slow)


def build(options: Options) -> tuple[Job, Outcome]:
    """The job and how it ended; everything is in `job.files` and `job.blobs`."""
    job = make(options)
    outcome = FAULTS[options.fault](job)
    if job.attempt:
        # The attempt before may be spoken of.
        outcome.label.silent = [kind for kind in outcome.label.silent if not kind.startswith("crash.") and kind != "*"]
    if not job.quirks["only"]:
        _around(job, outcome)
    if options.drop:
        noise.drop_logs(job, options.drop, set())
    if options.torn:
        noise.tear(job, options.torn)
    return job, outcome


def _around(job: Job, outcome: Outcome) -> None:
    """What is collected beside the job's own logs."""
    begin, end = job.start, outcome.end
    if not outcome.ok or job.id % 2:
        gone(job, end)
    system.business(job, begin, end)
    if job.options.benign:
        system.benign(job, begin, end)
    if not job.options.terse:
        telemetry.gpus(job, begin, end)
        telemetry.adapters(job, begin, end)
    if outcome.state != "RUNNING":
        scheduler.slurm(job, begin, end, outcome.state, outcome.code, outcome.reason)
        scheduler.pods(job, begin, end, ok=outcome.ok)


def save(job: Job, outcome: Outcome, folder: Path) -> None:
    """Writes `logs/` and `expect.json`."""
    root = folder / "logs" / f"{job.name}_{job.id}"
    for path, lines in job.files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(f"{text}\n" for _, _, text in sorted(lines)), "utf-8")
    for path, blob in job.blobs.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(blob)
    (folder / "expect.json").write_text(json.dumps(outcome.label.as_dict(), indent=1) + "\n", "utf-8")
