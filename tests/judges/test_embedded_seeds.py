"""The embedded judge is never trained on what it is later measured or shown with."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "training"
CASES = ROOT / "../shared/cases"
DEMO = ROOT / "src/jev_turn/demo"
GRAM = 4


def load(name: str) -> ModuleType:
    """Import a module of the training folder, which is not part of the package."""
    path = TRAINING / f"{name}.py"
    if not path.exists():
        pytest.skip("no training folder here")
    spec = importlib.util.spec_from_file_location(f"training_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def plain(text: str) -> str:
    """Words in lower case with single spaces and no punctuation."""
    return " ".join(re.sub(r"[^\w' ]", " ", text.lower()).split())


def grams(text: str) -> set[str]:
    """Runs of four words, without case and punctuation."""
    words = plain(text).split()
    return {" ".join(words[n : n + GRAM]) for n in range(len(words) - GRAM + 1)}


@pytest.fixture(scope="module")
def written() -> set[str]:
    """Every text that the seeds give.

    Numbers are left out: they are drawn digit by digit, so any run of digits may come up.
    """
    drawn = (e for e in load("seeds").Seeds(seed=1).examples() if e.source != "numbers")
    return {text for example in drawn for text in (example.user, example.agent)}


@pytest.fixture(scope="module")
def trained(written: set[str]) -> set[str]:
    """Runs of four words of every text that the seeds give, and of every line as written."""
    found: set[str] = set()
    for text in written:
        found |= grams(text)
    for path in (TRAINING / "seeds").glob("*.txt"):
        for line in re.split(r"[\n|]", path.read_text()):
            found |= grams(line) if not line.startswith("#") else set()
    return found


def shared_with(trained: set[str], sentences: Iterator[str]) -> dict[str, set[str]]:
    """Sentences that have a run of four words in common with the seeds."""
    return {text: both for text in sentences if (both := grams(text) & trained)}


def test_no_case_is_in_the_seeds(trained: set[str]) -> None:
    """The cases that the bot is judged by share no run of four words with the seeds."""
    if not CASES.is_dir():
        pytest.skip("no cases beside this checkout")

    def sentences() -> Iterator[str]:
        for path in CASES.glob("*.json"):
            for case in json.loads(path.read_text())["cases"]:
                yield from (event["say"] for event in case["events"] if "say" in event)

    assert not shared_with(trained, sentences())


def test_no_line_of_the_demo_is_in_the_seeds(trained: set[str]) -> None:
    """The demo shows what the judge does with sentences that it has not seen."""

    def sentences() -> Iterator[str]:
        for path in DEMO.glob("**/*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value

    assert not shared_with(trained, sentences())


@pytest.mark.parametrize("name", ["cases.tsv", "fresh.tsv", "plain.tsv"])
def test_no_held_out_case_is_in_the_seeds(written: set[str], name: str) -> None:
    """What the user says in the hand-written evaluation cases is new, but for bare words."""
    known = {plain(text) for text in written}
    rows = (TRAINING / "heldout" / name).read_text().splitlines()
    said = [plain(row.split("\t")[1]) for row in rows if row and not row.startswith("#")]
    assert not [text for text in said if text.count(" ") >= GRAM - 1 and text in known]
