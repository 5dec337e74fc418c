"""The prompt for coding agents, held against what it says."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re

import pytest
from support.swap_call import EXAMPLES

from jev_turn.processors import _host

README = (EXAMPLES / "README.md").read_text()
PROMPT = README.split("```text\n")[1].split("```")[0]
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
TAKERS = re.search(r"Exactly one of ([\w, ]+) is in the bot", PROMPT)
PARTS = re.compile(r"transport\b|STTService|LLMService|TTSService|Transport")


def changed(name: str) -> list[str]:
    """Return the added and removed lines of a pair."""
    before, after = ((EXAMPLES / name / f"{one}.py").read_text() for one in ("before", "after"))
    changes = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in changes if line[0] in "+-" and line[:3] not in ("+++", "---")]


@pytest.mark.parametrize(
    ("module", "name"), re.findall(r"^from (jev_turn[\w.]+) import (\w+)$", PROMPT, re.MULTILINE)
)
def test_what_it_imports_exists(module: str, name: str) -> None:
    """An agent that copies the line gets no ImportError, and the prompt says what it is for."""
    assert hasattr(importlib.import_module(module), name)
    assert f"{name}(" in PROMPT


def test_it_has_four_acceptance_lines() -> None:
    """They are numbered, and nothing else is."""
    assert re.findall(r"^(\d)\. ", PROMPT, re.MULTILINE) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("name", NAMES)
def test_the_pairs_keep_its_first_line(name: str) -> None:
    """Few lines, none of which makes a part of the bot's own; the table says how many."""
    lines = changed(name)
    limit = re.search(r"at most (\d+) added and removed lines", PROMPT)
    assert limit and len(lines) <= int(limit[1])
    assert not [line for line in lines if PARTS.search(line)]
    row = re.search(rf"^\| `{name}` \|.*\| (\d+) \|", README, re.MULTILINE)
    assert row and int(row[1]) == len(lines)


@pytest.mark.parametrize("name", NAMES)
def test_the_pairs_keep_its_second_line(name: str) -> None:
    """One turn-taker each."""
    assert TAKERS
    takers = re.split(r", | and ", TAKERS[1])
    after = (EXAMPLES / name / "after.py").read_text()
    assert len([one for one in takers if re.search(rf"\b{one}\(", after)]) == 1


def test_the_warning_of_its_third_line_exists() -> None:
    """The pairs' calls look for it; a warning that is worded differently would never be found."""
    quoted = re.search(r'warning that says "([^"]+)"', PROMPT)
    assert quoted and quoted[1] in inspect.getsource(_host.warn_if_overruled)
