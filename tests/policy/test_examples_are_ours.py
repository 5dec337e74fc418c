"""The worked examples are nobody's test: no four words in a row are shared with one."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jev_turn.policy import load_questions
from jev_turn.turn.words import tokens

ROOT = Path(__file__).parents[2]
ANCHORS = ("I have a question.", "So the thing is.")
"""Examples that the design gives and every judge is held to; anybody may know them."""


def _spoken(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("say", "text", "agent", "user") and isinstance(value, str):
                yield value
            yield from _spoken(value)
    elif isinstance(node, list):
        for value in node:
            yield from _spoken(value)


def _cases() -> Iterator[str]:
    """Test conversations, in this repository or beside it."""
    folders = (ROOT / "tests", ROOT.parent / "shared" / "cases")
    for path in (path for folder in folders for path in sorted(folder.rglob("*.json"))):
        yield from _spoken(json.loads(path.read_text()))
    for path in sorted((ROOT / "training").glob("heldout/*.tsv")):
        yield from re.split(r"[\t\n]", path.read_text())


def _demo() -> Iterator[str]:
    """The demo's conversations: every text in its source and its data."""
    folder = ROOT / "src" / "jev_turn" / "demo"
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    for path in sorted(folder.rglob("*.json")):
        yield from _spoken(json.loads(path.read_text()))


def _seeds() -> Iterator[str]:
    """The embedded judge's hand-written sentences, without their slots."""
    for path in sorted((ROOT / "training").glob("seeds/*.txt")):
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                yield from re.split(r"\{[^}]*\}|\||^\w+:", line)


def _grams(text: str) -> set[tuple[str, ...]]:
    words = tokens(text)
    return {words[start : start + 4] for start in range(len(words) - 3)}


def _examples() -> Iterator[str]:
    for question in load_questions().values():
        for example in question.examples:
            for value in example.values():
                yield from value.values() if isinstance(value, dict) else (value,)


@pytest.mark.parametrize("source", [_cases, _demo, _seeds])
def test_no_example_repeats_a_test_a_demo_or_a_seed(source: Callable[[], Iterator[str]]) -> None:
    """An accuracy measured on sentences that the judge was shown would measure recitation."""
    theirs = {gram for text in source() for gram in _grams(text)}
    ours = {text: _grams(text) & theirs for text in _examples() if text not in ANCHORS}
    assert {text: grams for text, grams in ours.items() if grams} == {}
