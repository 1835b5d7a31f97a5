"""The generator of incidents: same bytes for the same seed, apart from the product, every fault in the samples."""

import ast
import json
from pathlib import Path

import pytest

from ncclscope import samples, vocabulary
from tests.generator import curated
from tests.generator.build import build, save
from tests.generator.job import LAYOUTS, Options
from tests.generator.story import FAULTS

HOME = Path(__file__).parent / "generator"


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_seed_gives_the_same_bytes(layout: str, tmp_path: Path) -> None:
    options = Options("hw.xid.79", 16, 2, seed=5, skew=20.0, torn=0.1, layout=layout)
    for name in ("one", "two"):
        save(*build(options), tmp_path / name)
    assert written(tmp_path / "one") == written(tmp_path / "two")
    assert any(name.startswith("logs/") for name in written(tmp_path / "one"))


def test_another_seed_is_another_job(tmp_path: Path) -> None:
    for seed in (1, 2):
        save(*build(Options("healthy", 8, 2, seed=seed)), tmp_path / str(seed))
    assert written(tmp_path / "1").keys() != written(tmp_path / "2").keys()


@pytest.mark.parametrize("path", sorted(HOME.glob("*.py")), ids=lambda path: path.stem)
def test_it_shares_nothing_with_the_product(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = (
            [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        assert not any(name.split(".")[0] in ("ncclscope", "parsers", "rules") for name in names)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_label_speaks_the_words_of_verdicts(fault: str) -> None:
    _, outcome = build(Options(fault, 16, 2, seed=7, terse=True))
    label = outcome.label.as_dict()
    assert set(label["kinds"]) <= set(vocabulary.KINDS)
    assert label["level"] in (None, "host", "rank", "gpu", "device")
    assert label["level"] is None or label["culprit"][label["level"] + "s"]


def test_the_samples_are_what_the_generator_writes(tmp_path: Path) -> None:
    case = next(one for one in curated.CASES if one.name == "port-taken")
    curated.write(case, tmp_path / case.name)
    kept = written(samples.folder() / case.name)
    assert written(tmp_path / case.name) == {name: data for name, data in kept.items() if name != samples.EXPECTED}


def test_the_samples_hold_every_kind_of_cause() -> None:
    labelled = {
        kind for name in samples.names() for kind in json.loads((samples.folder() / name / "expect.json").read_text("utf-8"))["kinds"]
    }
    symptoms = {"evidence.missing", "evidence.damaged", "clock.skew"}
    assert len(samples.names()) >= 60
    assert not set(vocabulary.KINDS) - labelled - symptoms
