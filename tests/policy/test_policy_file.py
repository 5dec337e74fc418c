"""The packaged policy file is strict; so is a bot's own, in any part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.policy_files import refusal

from jev_turn.policy import QUESTIONS, load_policy
from jev_turn.policy.document import read_defaults

NUMBER = {"value": 5, "unit": "count", "min": 1, "max": 9, "provenance": "guess: why not"}
WORD = {"value": "a", "unit": "choice", "choices": ["a", "b"], "provenance": "guess: why not"}

Own = Callable[..., Path]


def block(key: str = "a.b", /, **changes: Any) -> dict[str, Any]:
    """A policy block of one entry with changes; ``None`` takes a part away."""
    entry = {name: part for name, part in {**NUMBER, **changes}.items() if part is not None}
    return {"schema": 1, "values": {key: entry}}


def test_a_right_file_gives_entries_and_values() -> None:
    """Value, range and provenance arrive as written."""
    entries, defaults = read_defaults(block(), "f.md")
    assert (entries["a.b"].minimum, entries["a.b"].maximum) == (1, 9)
    assert defaults.values["a.b"].value == 5
    assert defaults.values["a.b"].provenance == "guess: why not"


@pytest.mark.parametrize("part", ["value", "unit", "provenance"])
def test_an_entry_lacks_no_part(part: str) -> None:
    """A number without unit or provenance is an error."""
    error = refusal(lambda: read_defaults(block(**{part: None}), "f.md"))
    assert (error.source, error.key, error.reason) == ("f.md", f"a.b.{part}", "missing key")


@pytest.mark.parametrize(
    ("spoilt", "key"),
    [
        (block(default=5), "a.b.default"),
        (block(unit="furlongs"), "a.b.unit"),
        (block(unit="ms"), "a.b.unit"),
        (block("a.b_ms"), "a.b_ms.unit"),
        (block(min=None, max=None), "a.b.max"),
        (block(min=-1), "a.b.min"),
        (block(min=6), "a.b"),
        (block(max=0), "a.b.max"),
        (block(max="9"), "a.b.max"),
        (block(value=0), "a.b"),
        (block(value=10), "a.b"),
        (block(value=5.5), "a.b"),
        (block(choices=["a"]), "a.b.choices"),
        (block(at_most="a.c"), "a.b.at_most"),
        (block(at_most=9), "a.b.at_most"),
        (block(**WORD), "a.b.min"),
        ({"schema": 1, "values": {"a.b": {**WORD, "choices": []}}}, "a.b.choices"),
        ({"schema": 1, "values": {"a.b": {**WORD, "choices": [1]}}}, "a.b.choices"),
        ({"schema": 1, "values": {"a.b": {**WORD, "value": "c"}}}, "a.b"),
        ({"schema": 1, "values": {"a.b": {**WORD, "at_most": "a.b"}}}, "a.b.at_most"),
        ({"schema": 1, "values": {"a.b": 5}}, "a.b"),
        ({"schema": 1, "values": []}, "values"),
        ({"schema": 2, "values": {}}, "schema"),
        ({"schema": True, "values": {}}, "schema"),
        ({"values": {}}, "schema"),
        ({"schema": 1, "value": {}}, "value"),
        ({"schema": 1, "presets": {"p": 1}}, "presets.p"),
        (block() | {"presets": {"p": {"a.x": {"value": 1, "provenance": "guess: x"}}}}, "presets.p.a.x"),
        (block() | {"presets": {"p": {"a.b": 6}}}, "presets.p.a.b"),
        (block() | {"overrides": {"m": {"a.b": {"value": 6}}}}, "overrides.m.a.b.provenance"),
        (block() | {"overrides": {"m": {"a.b": {"value": 99, "provenance": "guess: x"}}}},
         "overrides.m.a.b"),
        (block() | {"overrides": {"m": {"a.b": {**NUMBER}}}}, "overrides.m.a.b.unit"),
    ],
)  # fmt: skip
def test_a_wrong_packaged_file_names_file_and_key(spoilt: dict[str, Any], key: str) -> None:
    """Unknown, missing, wrong type, out of range, in every table."""
    error = refusal(lambda: read_defaults(spoilt, "f.md"))
    assert (error.source, error.key) == ("f.md", key)


@pytest.mark.parametrize(
    "provenance",
    ["", "guess", "guess:", "guess:x", "Guess: x", "tuned: x", "scanned: jev", 5,
     "scanned: jev on rows", "scanned: jev on rows, yesterday"],
)  # fmt: skip
def test_a_provenance_says_how_and_more(provenance: object) -> None:
    """One of four kinds and a text; a scan names judge, rows and date."""
    error = refusal(lambda: read_defaults(block(provenance=provenance), "f.md"))
    assert (error.key, error.value) == ("a.b.provenance", provenance)


@pytest.mark.parametrize(
    "provenance",
    ["measured: here", "design: jev", "guess: x",
     "scanned: local-minilm-1 on mrda val, 2026-11-30"],
)  # fmt: skip
def test_the_four_kinds_of_provenance(provenance: str) -> None:
    """Measured, scanned, design and guess."""
    read_defaults(block(provenance=provenance), "f.md")


def test_a_copy_of_the_packaged_file_is_a_policy_file() -> None:
    """Unit and range may be repeated, and presets and overrides too."""
    copy = load_policy(file=QUESTIONS / "policy.md", env={})
    assert copy.as_dict() == load_policy(env={}).as_dict()


def test_an_own_file_may_be_small(own: Own) -> None:
    """A bare value or an object; the rest stays."""
    policy = load_policy(file=own({"turn.cap_ms": 4000, "turn.debounce_ms": {"value": 99}}), env={})
    assert policy.value("turn.cap_ms") == 4000
    assert policy.value("turn.debounce_ms") == 99
    assert policy.value("turn.holding_cap_ms") == 12000


def test_an_own_value_may_bring_its_provenance(own: Own) -> None:
    """Without one it is chosen, and by which file."""
    path = own({"turn.cap_ms": {"value": 4000, "provenance": "measured: here"}, "turn.ends": False})
    policy = load_policy(file=path, env={})
    assert policy.provenance("turn.cap_ms") == "measured: here"
    assert policy.provenance("turn.ends") == f"chosen: {path}"


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"turn.cap": 1}, "turn.cap"),
        ({"turn.cap_ms": "5000"}, "turn.cap_ms"),
        ({"turn.cap_ms": 60001}, "turn.cap_ms"),
        ({"turn.cap_ms": {"value": 5000, "max": 99999}}, "turn.cap_ms.max"),
        ({"turn.cap_ms": {"value": 5000, "unit": "s"}}, "turn.cap_ms.unit"),
        ({"turn.cap_ms": {"value": 5000, "why": "x"}}, "turn.cap_ms.why"),
        ({"turn.cap_ms": {"value": 5000, "provenance": "x"}}, "turn.cap_ms.provenance"),
        ({"turn.cap_ms": {"min": 1}}, "turn.cap_ms"),
        ({"turn.cap_ms": 12001}, "turn.cap_ms"),
    ],
)
def test_a_wrong_own_file_names_file_and_key(own: Own, values: dict[str, object], key: str) -> None:
    """Unknown key, wrong value, changed range, and a cap over the cap for holding."""
    path = own(values)
    error = refusal(lambda: load_policy(file=path, env={}))
    assert (error.source, error.key) == (str(path), key)


def test_a_number_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    """Python's JSON reader takes NaN and 1e999; the policy does not."""
    path = tmp_path / "own.md"
    for text in ("NaN", "Infinity", "1e999"):
        path.write_text(
            f'```json\n{{"schema": 1, "values": {{"turn.eos_threshold": {text}}}}}\n```'
        )
        assert refusal(lambda: load_policy(file=path, env={})).key == "turn.eos_threshold"
