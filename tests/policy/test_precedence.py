"""Request over environment over preset over file over default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.policy_files import refusal

from jev_turn.policy import Policy, environment_name, load_policy

KEY = "turn.side_talk_streak_max"
NAME = "JEV_TURN_TURN_SIDE_TALK_STREAK_MAX"

Own = Callable[..., Path]


def everything(own: Own) -> dict[str, Any]:
    """Every source gives the same key another value."""
    return {
        "sets": [f"{KEY}=6"],
        "request": {KEY: 5},
        "env": {NAME: "4"},
        "preset": "telephone",
        "file": own({KEY: 1}),
    }


@pytest.mark.parametrize(
    ("without", "value", "source"),
    [
        ((), 6, "--set"),
        (("sets",), 5, "request"),
        (("sets", "request"), 4, f"environment {NAME}"),
        (("sets", "request", "env"), 2, "preset telephone"),
        (("sets", "request", "env", "preset"), 1, "own.md"),
        (("sets", "request", "env", "preset", "file"), 0, "default"),
    ],
)
def test_the_stronger_source_wins(
    own: Own, without: tuple[str, ...], value: int, source: str
) -> None:
    """E05: take the strongest away and the next one is in force, and says who it is."""
    given = {name: part for name, part in everything(own).items() if name not in without}
    policy = load_policy(**{"env": {}, **given})
    assert policy.value(KEY) == value
    assert policy.source(KEY).endswith(source)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("JEV_EOS_THRESHOLD", "turn.eos_threshold"),
        ("JEV_ADDRESSEE_THRESHOLD", "turn.addressee_threshold"),
        ("JEV_BARGE_IN_THRESHOLD", "turn.barge_in_threshold"),
    ],
)
def test_the_three_thresholds_have_short_names(name: str, key: str) -> None:
    """E05: the environment names of the design work."""
    policy = load_policy(env={name: "0.61"})
    assert policy.value(key) == 0.61
    assert policy.source(key) == f"environment {name}"


def test_every_key_has_an_environment_name_of_its_own() -> None:
    """No two keys share a name, and each name sets its key."""
    policy = load_policy(env={})
    names = {environment_name(key): key for key in policy.entries}
    assert len(names) == len(policy.entries)
    env = {name: _text(policy, key) for name, key in names.items()}
    assert all(load_policy(env=env).source(key).startswith("environment") for key in policy.entries)


def _text(policy: Policy, key: str) -> str:
    value = policy.value(key)
    if isinstance(value, Mapping):
        return "stop"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "Ada"


def test_an_empty_environment_value_is_unset() -> None:
    """A line without a value in an .env file asks for nothing."""
    assert load_policy(env={"JEV_EOS_THRESHOLD": " "}).source("turn.eos_threshold") == "default"


def test_two_names_of_one_key_agree_or_are_refused() -> None:
    """Nobody can say which of the two was meant."""
    both = {"JEV_EOS_THRESHOLD": "0.6", "JEV_TURN_TURN_EOS_THRESHOLD": "0.60"}
    assert load_policy(env=both).value("turn.eos_threshold") == 0.6
    both["JEV_TURN_TURN_EOS_THRESHOLD"] = "0.7"
    assert "says otherwise" in refusal(lambda: load_policy(env=both)).reason


@pytest.mark.parametrize(
    ("given", "source", "key", "value"),
    [
        ({"env": {"JEV_EOS_THRESHOLD": "high"}}, "JEV_EOS_THRESHOLD", "turn.eos_threshold", "high"),
        ({"env": {"JEV_EOS_THRESHOLD": "1.5"}}, "JEV_EOS_THRESHOLD", "turn.eos_threshold", 1.5),
        ({"env": {"JEV_TURN_GATE_HOLD": "1"}}, "JEV_TURN_GATE_HOLD", "", "1"),
        ({"sets": ["turn.cap_ms=fast"]}, "--set", "turn.cap_ms", "fast"),
        ({"sets": ["turn.cap=1"]}, "--set", "turn.cap", "1"),
        ({"sets": ["turn.cap_ms"]}, "--set", "", "turn.cap_ms"),
        ({"request": {"turn.cap_ms": True}}, "request", "turn.cap_ms", True),
        ({"request": {"cap_ms": 1}}, "request", "cap_ms", 1),
        ({"preset": "cinema"}, "preset", "", "cinema"),
        ({"request": {"turn.confirm_min_ms": 1001}}, "request", "turn.confirm_min_ms", 1001),
    ],
)
def test_a_bad_value_stops_the_start(
    given: dict[str, Any], source: str, key: str, value: object
) -> None:
    """The error names source, key and value."""
    error = refusal(lambda: load_policy(**{"env": {}, **given}))
    assert (error.source, error.key, error.value) == (source, key, value)


def test_environment_names_of_others_are_left_alone() -> None:
    """Only names that begin like a section of ours can be misspelt."""
    load_policy(env={"JEV_TURN_HOME": "x", "JEV_MODEL": "y", "TYPESAFE_API_KEY": "z"})


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ``env`` the process's own counts."""
    monkeypatch.setenv("JEV_EOS_THRESHOLD", "0.66")
    assert load_policy().value("turn.eos_threshold") == 0.66


def test_an_unknown_key_has_no_value() -> None:
    """A misspelt key in code is an error and not ``None``."""
    assert refusal(lambda: load_policy(env={}).value("turn.cap")).key == "turn.cap"


def test_an_own_file_may_bring_presets(own: Own) -> None:
    """A preset of its own, and a change to a packaged one."""
    path = own({}, presets={"kiosk": {"turn.cap_ms": 3000}, "telephone": {"turn.cap_ms": 4000}})
    assert load_policy(file=path, env={}, preset="kiosk").value("turn.cap_ms") == 3000
    telephone = load_policy(file=path, env={}, preset="telephone")
    assert (telephone.value("turn.cap_ms"), telephone.value(KEY)) == (4000, 2)
