"""Progress lines of training frameworks.

`job.pace` lists (from when, seconds a step); a job starts with its own `step_s`.
"""

from tests.generator import output
from tests.generator.job import Job, Rank


def pace_at(job: Job, time: float) -> float:
    """Seconds a step takes at a time."""
    now = job.step_s
    for since, seconds in job.pace:
        if time >= since:
            now = seconds
    return now


def run(job: Job, begin: float, end: float, first: int = 1, total: int = 100000) -> int:
    """Steps from one time to another; gives the number of the last one done."""
    step, time = first, begin
    for rank in _speakers(job):
        for offset, text in _banner(job):
            output.say(job, rank, begin - 6 + offset, text)
    while True:
        seconds = pace_at(job, time) * job.rng.uniform(0.985, 1.02)
        if time + seconds > end or step > total:
            return step - 1
        time += seconds
        for rank in _speakers(job):
            output.say(job, rank, time, _line(job, rank, time, step, total, seconds))
        step += 1


def finish(job: Job, time: float, total: int) -> None:
    """What a framework says when all is done."""
    rank = _speakers(job)[0]
    text = {
        "megatron": f"[after training is done] datetime: {job.clock(rank.host, time):%Y-%m-%d %H:%M:%S} ",
        "hf": f"{{'train_runtime': {time - job.start:.4f}, 'train_samples_per_second': 51.2, 'train_steps_per_second': 0.2, "
        "'train_loss': 2.1873, 'epoch': 1.0}",
        "lightning": f"`Trainer.fit` stopped: `max_steps={total}` reached.",
        "titan": f"[titan] {job.clock(rank.host, time):%Y-%m-%d %H:%M:%S},120 - root - INFO - Training completed",
    }.get(job.framework)
    if text:
        output.say(job, rank, time, text)


def _speakers(job: Job) -> list[Rank]:
    return [job.ranks[-1]] if job.framework == "megatron" else [job.ranks[0]]


def _banner(job: Job) -> list[tuple[float, str]]:
    return {
        "megatron": [(0.0, "using torch.bfloat16 for parameters ..."), (1.0, "[before the start of training step]")],
        "deepspeed": [(0.0, "DeepSpeed info: version=0.14.2, git-hash=unknown, git-branch=unknown")],
        "nanogpt": [(0.0, f"tokens per iteration will be: {job.world * 131072:,}")],
        "lightning": [(0.0, f"All distributed processes registered. Starting with {job.world} processes")],
    }.get(job.framework, [])


def _line(job: Job, rank: Rank, time: float, step: int, total: int, seconds: float) -> str:
    when, loss = job.clock(rank.host, time), 2.0 + 6.0 / (step + 3) + job.rng.uniform(-0.02, 0.02)
    if job.framework == "megatron":
        return (
            f" [{when:%Y-%m-%d %H:%M:%S}.{when.microsecond:06d}] iteration {step:8d}/{total:8d} | consumed samples: {step * 512:12d} | "
            f"elapsed time per iteration (ms): {seconds * 1000:.1f} | throughput per GPU (TFLOP/s/GPU): {1800 / seconds:.1f} | "
            f"learning rate: 1.500000E-04 | global batch size:   512 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: 0.731 | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
    if job.framework == "deepspeed":
        rate = 512 / seconds
        return (
            f"[{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}] [INFO] [timer.py:264:stop] epoch=0/micro_step={step * 4}/"
            f"global_step={step}, RunningAvgSamplesPerSec={rate:.6f}, CurrSamplesPerSec={rate:.6f}, MemAllocated=21.4GB, MaxMemAllocated=60.1GB"
        )
    if job.framework == "titan":
        return (
            f"[titan] {when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d} - root - INFO - step: {step:2d}  loss: {loss:8.5f}  "
            f"grad_norm:  0.8123  memory: 61.20GiB(77.39%)  tps: {round(65536 / seconds):,}  tflops: {1800 / seconds:.2f}  mfu: 41.20%"
        )
    if job.framework == "hf":
        return f"{{'loss': {loss:.4f}, 'grad_norm': 1.2034, 'learning_rate': 2e-05, 'epoch': {step / 900:.4f}}}"
    if job.framework == "nanogpt":
        return f"iter {step}: loss {loss:.4f}, time {seconds * 1000:.2f}ms, mfu 38.20%"
    done = int(step / 20) % 10
    elapsed = int(step * seconds)
    clock = f"{elapsed // 3600:d}:{elapsed // 60 % 60:02d}:{elapsed % 60:02d}"
    bar = "█" * done + " " * (10 - done)
    return f"Epoch 0:  {min(99, step // 9):2d}%|{bar}| {step}/900 [{clock}<3:10:22, {seconds:5.2f}s/it, v_num=0, train_loss={loss:.3f}]"
