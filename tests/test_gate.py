"""The gate's own walls, and that each of its rules says which failure it prevents."""

from __future__ import annotations

import ast
import os
import re
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from support.gate import FOLDERS, RULES_MIN, OutsideTheSandbox, Sandbox

OUT = Path(__file__).parent / "left_behind.txt"
TESTS = sorted(path for folder in FOLDERS for path in folder.rglob("test_*.py"))
SCENARIOS = sorted(path for folder in FOLDERS for path in folder.rglob("scenarios/*.md"))

ESCAPES: dict[str, Callable[[], object]] = {
    "a socket": lambda: socket.socket(),
    "a name": lambda: socket.getaddrinfo("localhost", 80),
    "a process": lambda: subprocess.run(["true"], check=True),
    "a shell": lambda: os.system("true"),
    "a new file": lambda: OUT.write_text("x"),
    "a longer file": lambda: open(OUT, "a"),
    "a file by descriptor": lambda: os.open(OUT, os.O_CREAT | os.O_WRONLY),
    "a folder": lambda: OUT.mkdir(),
    "a removal": lambda: Path(__file__).unlink(),
    "a move": lambda: Path(__file__).rename(OUT),
    "a copy": lambda: shutil.copy(__file__, OUT),
    "a database": lambda: sqlite3.connect(OUT),
    "a relative path": lambda: Path("left_behind.txt").write_text("x"),
}


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
def test_nothing_gets_out_of_the_sandbox(sandbox: Sandbox, escape: Callable[[], object]) -> None:
    """S2-A01: a rule that talks or writes passes here and fails, or does harm, elsewhere."""
    with pytest.raises(OutsideTheSandbox):
        escape()
    assert not OUT.exists()


def test_the_sandbox_is_a_place_to_write_and_the_rest_to_read(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """Rules need files of their own, and the package reads its questions."""
    (tmp_path / "x").write_text("x")
    (tmp_path / "x").rename(tmp_path / "y")
    sqlite3.connect(tmp_path / "z").close()
    assert Path(__file__).read_text()


def test_the_walls_come_down_after_a_rule() -> None:
    """The suite's other tests start processes and write where they must."""
    assert not Sandbox().closed
    subprocess.run(["true"], check=True)


def test_only_the_rules_are_in_the_gate(request: pytest.FixtureRequest) -> None:
    """Random tests take their time and write down what they found; they stay outside."""
    for item in request.session.items:
        random = hasattr(getattr(item, "obj", None), "hypothesis")
        inside = any(item.path.is_relative_to(folder) for folder in FOLDERS)
        assert (item.get_closest_marker("gate") is not None) is (inside and not random)


@cache
def rules(path: Path) -> list[ast.FunctionDef]:
    """The test functions of a file."""
    return [
        node
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


@pytest.mark.parametrize("path", TESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_each_rule_says_what_goes_wrong_without_it(path: Path) -> None:
    """S2-A02: a test that only says what it does is deleted by the next reader."""
    bare = [rule.name for rule in rules(path) if len((ast.get_docstring(rule) or "").split()) < 4]
    assert bare == []


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_each_scenario_says_what_goes_wrong_without_it(path: Path) -> None:
    """S2-A02: the prose in front of the events is the rule, and the events only show it."""
    prose = re.sub(r"^```.*?^```$|^Rows: .*$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert prose.startswith("# ")
    assert len(prose.split()) >= 12


def test_there_are_enough_rules() -> None:
    """S2-A01: at least 151, the tables counted once."""
    found = [rule for path in TESTS for rule in rules(path) if rule.name != "test_scenario"]
    assert len(found) + len(SCENARIOS) >= RULES_MIN
