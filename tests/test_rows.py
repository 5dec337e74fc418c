"""No row of the two designs is forgotten, and every test that is named for one exists."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROWS: dict[str, list[str] | str] = tomllib.loads((TESTS / "rows.toml").read_text())
OFFLINE: dict[str, list[str]] = tomllib.loads((TESTS / "offline_list.toml").read_text())
SCENARIOS = {
    f"{folder}/test_scenarios.py": TESTS / folder / "scenarios" for folder in ("turn", "replies")
}
REQUIREMENTS = TESTS.parents[1] / "shared" / "spec" / "requirements.md"

GROUPS = {"G": 27, "B": 11, "J": 19, "D": 25, "I": 9, "F": 24, "K": 21, "E": 9, "S": 5}
GROUPS |= {"C": 3, "U": 2, "L": 5}
IDS = [f"S1-{group}{n:02}" for group, last in GROUPS.items() for n in range(1, last + 1)]
IDS.insert(IDS.index("S1-K21") + 1, "S1-K+")
GROUPS_2 = {"E": 7, "J": 10, "R": 12, "X": 16, "G": 9, "M": 8, "Y": 11, "A": 5, "L": 4}
IDS_2 = [f"S2-{group}{n:02}" for group, last in GROUPS_2.items() for n in range(1, last + 1)]
RULED_LATER = {"S1-G26", "S1-G27", "S1-D25"}
NAMED_HERE = {row for row in IDS if row[3] in "FK"}
"""The state table and the knobs have no ids of their own; they are counted from the top."""


@cache
def functions(path: Path) -> frozenset[str]:
    """Names of the test functions of a module."""
    nodes = ast.walk(ast.parse(path.read_text()))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in nodes if isinstance(node, kinds))


def missing(test: str) -> str:
    """Say what does not exist of a test id; nothing if all of it does."""
    found = re.fullmatch(
        r"tests/(?P<file>[\w/]+\.py)::(?P<name>test_\w+)(\[(?P<case>\w+)\])?", test
    )
    if found is None:
        return "not a test id"
    path = TESTS / found["file"]
    if not path.is_file() or found["name"] not in functions(path):
        return "no such test"
    if found["case"] is None:
        return ""
    scenarios = SCENARIOS.get(found["file"])
    return "" if scenarios and (scenarios / f"{found['case']}.md").is_file() else "no such case"


def test_every_row_is_there_once_and_in_order() -> None:
    """A row is tested or says why not; there are no rows besides."""
    assert list(ROWS) == IDS + IDS_2


@pytest.mark.parametrize("row", IDS + IDS_2)
def test_a_row_has_tests_that_exist_or_a_reason(row: str) -> None:
    """Tests are named by id, reasons are said in a sentence."""
    tests = ROWS[row]
    if isinstance(tests, str):
        assert re.fullmatch(r"superseded: \w.{20,}", tests)
    else:
        assert tests and len(tests) == len(set(tests))
        assert {test: fault for test in tests if (fault := missing(test))} == {}


def test_a_scenario_stands_at_every_row_that_it_names() -> None:
    """A scenario's ``Rows:`` line and the table agree."""
    for file, folder in SCENARIOS.items():
        for path in sorted(folder.glob("*.md")):
            for line in re.findall(r"Rows: (.*)", path.read_text()):
                for row in re.findall(r"S[12]-[\w+]+", line):
                    test = f"tests/{file}::test_scenario[{path.stem}]"
                    assert test in ROWS[row], f"{path.name} names {row}"


def test_the_rows_of_the_second_design_are_those_of_the_requirements() -> None:
    """Beside the requirements themselves, no id of their third section is missing here."""
    if not REQUIREMENTS.exists():
        pytest.skip("the requirements are not beside this checkout")
    section = REQUIREMENTS.read_text().split("\n## 3.")[1].split("\n## 4.")[0]
    found = re.findall(r"^\| ([A-Z]\d\d) \|", section, re.M)
    assert {f"S2-{row}" for row in found} == set(IDS_2)


def test_the_rows_are_those_of_the_requirements() -> None:
    """Beside the requirements themselves, no id of their second section is missing here."""
    if not REQUIREMENTS.exists():
        pytest.skip("the requirements are not beside this checkout")
    section = REQUIREMENTS.read_text().split("\n## 2.")[1].split("\n## 3.")[0]
    found = re.findall(r"^\| ([A-Z]\d\d) \|", section, re.M) + re.findall(r"\b(S\d\d) ", section)
    assert {f"S1-{row}" for row in found} == set(IDS) - NAMED_HERE - RULED_LATER
    table, knobs = section.split("### 2.6")[1].split("### 2.7")
    assert len(re.findall(r"^\| (?!from|---)", table, re.M)) == GROUPS["F"] - 1
    assert len(re.findall(r"^\| (?!knob|---)", knobs.split("### 2.8")[0], re.M)) == GROUPS["K"]


def expanded(entry: str) -> list[str]:
    """Return the rows of an entry like ``S2-X01-S2-X16``, or the entry itself."""
    if span := re.fullmatch(r"(S\d-[A-Z]\d\d)-(S\d-[A-Z]\d\d)", entry):
        rows = IDS + IDS_2
        return rows[rows.index(span[1]) : rows.index(span[2]) + 1]
    return [entry]


@pytest.mark.parametrize("item", OFFLINE)
def test_an_item_of_the_offline_list_is_tested(item: str) -> None:
    """Each row of it has tests, not a reason for none, and each test or module of it exists."""
    for entry in (row for given in OFFLINE[item] for row in expanded(given)):
        if entry.startswith("S"):
            assert isinstance(ROWS[entry], list), entry
        elif "::" in entry:
            assert missing(entry) == "", entry
        else:
            assert functions(TESTS.parent / entry), entry


def test_the_offline_list_is_that_of_the_requirements() -> None:
    """Beside the requirements themselves, no item of their eleventh section is missing here."""
    if not REQUIREMENTS.exists():
        pytest.skip("the requirements are not beside this checkout")
    section = REQUIREMENTS.read_text().split("\nOffline (no network): ")[1].split(".\nLive")[0]
    assert "; ".join(OFFLINE) == section
