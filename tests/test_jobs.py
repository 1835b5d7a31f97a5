"""Which files are one job: by folders, archives, ids in names and ids in the text."""

import gzip
import io
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from ncclscope import jobs, walk
from ncclscope.walk import SourceError


def tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return root


def tar(path: Path, names: list[str]) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix in (".gz", ".tgz") else "w") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 2
            archive.addfile(info, io.BytesIO(b"x\n"))
    return path


def found(root: Path, way: str = "auto") -> dict[str, list[str]]:
    return {job.name: sorted(source.path for source in job.sources) for job in jobs.jobs([str(root)], way)}


def test_every_folder_and_file_is_a_job(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"alpha/rank0.log": "a", "alpha/hosts/n1.log": "b", "beta/rank0.log": "c", "gamma.log": "d"})
    assert found(root) == {"alpha": ["hosts/n1.log", "rank0.log"], "beta": ["rank0.log"], "gamma.log": ["gamma.log"]}


def test_files_and_folders_with_one_id_are_one_job(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"slurm-48213.out": "a", "job-48213/n1.log": "b", "slurm-48214_7.out": "c", "slurm-48214_8.out": "d"})
    assert found(root) == {
        "job-48213": ["job-48213/n1.log", "slurm-48213.out"],
        "slurm-48214_7.out": ["slurm-48214_7.out"],
        "slurm-48214_8.out": ["slurm-48214_8.out"],
    }
    assert next(job.how for job in jobs.jobs([str(root)])) == "Slurm id 48213 in names"


def test_a_rotated_series_is_one_job(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"train.log": "a", "train.log.1": "b", "train.log.2.gz": "c", "other.log": "d"})
    assert found(root) == {"train.log": ["train.log", "train.log.1", "train.log.2.gz"], "other.log": ["other.log"]}


def test_an_id_in_the_text_joins_files(tmp_path: Path) -> None:
    files = {"a.txt": "SLURM_JOB_ID=77123\n", "b.txt.gz": "x\nexport SLURM_JOB_ID=77123\n", "c.txt": "run_id: none\n", "d.txt": "y"}
    root = tree(tmp_path / "in", files)
    assert found(root) == {"job-77123": ["a.txt", "b.txt.gz"], "c.txt": ["c.txt"], "d.txt": ["d.txt"]}


def test_a_text_with_several_ids_names_none(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"a.txt": "SLURM_JOB_ID=771\nSLURM_JOB_ID=772\n", "b.txt": "SLURM_JOB_ID=771\n"})
    assert found(root) == {"a.txt": ["a.txt"], "b.txt": ["b.txt"]}


def test_folders_of_dates_and_of_jobs_are_looked_into(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"2026/11/48213/a.log": "a", "2026/11/48214/a.log": "b", "old/job-1001/a": "c", "old/job-1002/a": "d"})
    assert sorted(found(root)) == ["48213", "48214", "job-1001", "job-1002"]


@pytest.mark.parametrize(
    ("name", "job"),
    [
        ("slurm-48213.out", "48213"),
        ("slurm-48213_7.out", "48213_7"),
        ("JOB_48213.tar.gz", "48213"),
        ("train-48213.err", "48213"),
        ("run.o48213", "48213"),
        ("20261130.log", None),
        ("rank_003.log", None),
        ("node048213x", None),
        ("train.log", None),
    ],
)
def test_ids_in_names(name: str, job: str | None) -> None:
    assert jobs.id_in(name) == job


def test_an_archive_with_a_tree_for_each_job_is_a_volume(tmp_path: Path) -> None:
    tar(tmp_path / "2026-11.tar.gz", ["./job-48213/a.log", "./job-48214/a.log"])
    tar(tmp_path / "48215.tar", ["rank0/a.log", "rank1/a.log"])
    tar(tmp_path / "48216.tar", ["job-48216/a.log"])
    tar(tmp_path / "ticket.tar", ["job-48217/a.log"])
    kinds = {job.name: job.is_volume for job in jobs.jobs([str(tmp_path)])}
    assert kinds == {"2026-11": True, "48215": False, "48216": False, "ticket": True}
    assert not any(job.is_volume for job in jobs.jobs([str(tmp_path)], "archive"))


@pytest.mark.parametrize(
    ("way", "names"),
    [
        ("entry", ["a", "slurm-48213.out"]),
        ("directory", ["a", "b", "slurm-48213.out"]),
        ("slurm", ["job-48213", "a"]),
        (r"(n\d)\.log", ["n1", "a", "slurm-48213.out"]),
    ],
)
def test_the_way_may_be_chosen(tmp_path: Path, way: str, names: list[str]) -> None:
    root = tree(tmp_path / "in", {"a/other.log": "x", "a/b/48213-n1.log": "y", "slurm-48213.out": "z"})
    assert sorted(found(root, way)) == sorted(names)


def test_names_that_collide_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"2026/10/run/a.log": "x", "2026/11/run/a.log": "y"})
    names = sorted(found(root))
    assert len(names) == 2
    assert all(name.startswith("run-") for name in names)
    tree(root, {"2026/12/run/a.log": "z"})
    assert set(names) < set(found(root))


def test_patterns_are_expanded_and_must_match(tmp_path: Path) -> None:
    tree(tmp_path, {"a1.log": "x", "a2.log": "y"})
    assert [job.name for job in jobs.jobs([str(tmp_path / "a*.log")])] == ["a1.log", "a2.log"]
    with pytest.raises(SourceError, match="nothing matches"):
        jobs.jobs([str(tmp_path / "b*.log")])


def test_links_devices_and_pipes_are_no_jobs(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"a.log": "x"})
    (root / "out").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    made = jobs.jobs([str(root)])
    assert [job.name for job in made if job.sources] == ["a.log"]
    assert {problem.source.path: problem.status for job in made for problem in job.problems} == {"out": "skipped", "pipe": "skipped"}


def test_a_job_is_read_as_if_it_were_given_alone(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"2026/48213/hosts/n1.log": "x", "2026/48214/n2.log": "y"})
    first, _ = jobs.jobs([str(root)])
    alone, _ = walk.find([str(root / "2026" / "48213")])
    assert list(first.sources) == alone


def test_jobs_are_asked_for_by_name_or_id(tmp_path: Path) -> None:
    root = tree(tmp_path / "in", {"slurm-48213.out": "a", "beta/x.log": "b"})
    every = jobs.jobs([str(root)])
    assert [job.name for job in jobs.chosen(every, ["48213"])] == ["slurm-48213.out"]
    assert [job.name for job in jobs.chosen(every, ["beta"])] == ["beta"]
    assert len(list(jobs.chosen(every, []))) == 2
