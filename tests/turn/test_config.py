"""Settings that contradict themselves are refused where they are made."""

from __future__ import annotations

import inspect
import math
from dataclasses import fields, replace
from typing import Any

import pytest

from jev_turn.errors import ConfigError
from jev_turn.turn.config import TurnConfig

NAMES = {field.name: field.type for field in fields(TurnConfig)}
FROM_ZERO = {
    "speculate_debounce_ms",
    "debounce_ms",
    "barge_in_debounce_ms",
    "confirm_min_ms",
    "eos_decay_ms",
    "interim_quiet_ms",
    "undecided_ms",
    "side_talk_streak_max",
}


def one(name: str, value: Any) -> dict[str, Any]:
    """One change, under a name that is only known at run time."""
    return {name: value}


def test_the_packaged_policy_makes_a_valid_config(config: TurnConfig) -> None:
    """The numbers of S1-K, as a caller meets them."""
    k = config
    assert (k.empty_turn_ms, k.debounce_ms, k.barge_in_debounce_ms) == (4000, 150, 0)
    assert (k.confirm_min_ms, k.confirm_max_ms) == (350, 1000)
    assert (k.recheck_min_ms, k.recheck_max_ms) == (700, 2500)
    assert (k.cap_ms, k.holding_cap_ms, k.holding_floor_min) == (5000, 12000, 0.5)
    assert (k.eos_threshold, k.eos_threshold_floor, k.eos_decay_ms) == (0.72, 0.55, 3000)
    assert (k.addressee_threshold, k.barge_in_threshold) == (0.5, 0.5)
    assert (k.side_talk_hold, k.semantic_barge_in) == (True, True)


def test_every_setting_is_documented() -> None:
    """Meaning, unit and range stand in one place: the class's docstring."""
    doc = inspect.getdoc(TurnConfig) or ""
    assert [name for name in NAMES if f"    {name}: " not in doc] == []


@pytest.mark.parametrize("name", [name for name, kind in NAMES.items() if kind == "float"])
@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, math.inf, True, "0.5", None])
def test_a_share_lies_between_zero_and_one(config: TurnConfig, name: str, value: Any) -> None:
    """The message names the setting and the value."""
    with pytest.raises(ConfigError, match=rf"turn\.{name}: {value!r}"):
        replace(config, **one(name, value))


@pytest.mark.parametrize("name", [name for name, kind in NAMES.items() if kind == "int"])
@pytest.mark.parametrize("value", [-1, 0.5, True, "5", None])
def test_a_duration_or_a_count_is_whole_and_not_negative(
    config: TurnConfig, name: str, value: Any
) -> None:
    """Milliseconds are whole: half a millisecond is a unit that was mistaken."""
    with pytest.raises(ConfigError, match=rf"turn\.{name}: "):
        replace(config, **one(name, value))


@pytest.mark.parametrize(
    "name",
    [n for n, kind in NAMES.items() if kind == "int" and n not in FROM_ZERO | {"confirm_max_ms"}],
)
def test_a_time_that_would_never_pass_is_refused(config: TurnConfig, name: str) -> None:
    """Zero would end a turn at its first word, or ask without end."""
    with pytest.raises(ConfigError, match=rf"turn\.{name}: 0 "):
        replace(config, **one(name, 0))


@pytest.mark.parametrize("name", sorted(FROM_ZERO))
def test_a_wait_may_be_left_out(config: TurnConfig, name: str) -> None:
    """A debounce, a decay or a limit of zero is a choice."""
    assert getattr(replace(config, **one(name, 0)), name) == 0


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("confirm_min_ms", "confirm_max_ms"),
        ("recheck_min_ms", "recheck_max_ms"),
        ("cap_ms", "holding_cap_ms"),
        ("eos_threshold_floor", "eos_threshold"),
    ],
)
def test_a_pair_is_in_order(config: TurnConfig, low: str, high: str) -> None:
    """Both may be equal; the lower one above the higher is refused with both names (S1-D02)."""
    equal = getattr(config, high)
    assert getattr(replace(config, **one(low, equal)), low) == equal
    above = equal + (1 if isinstance(equal, int) else 0.01)
    with pytest.raises(ConfigError, match=rf"turn\.{low}.*turn\.{high}"):
        replace(config, **one(low, above))


@pytest.mark.parametrize(
    ("name", "value"),
    [("empty_turn", "close"), ("side_talk", ""), ("ends", 1), ("side_talk_hold", "yes"),
     ("stop_words", "stop"), ("stop_words", ["stop"]), ("stop_words", (1,))],
)  # fmt: skip
def test_other_settings_are_of_their_kind(config: TurnConfig, name: str, value: Any) -> None:
    """A word where a list of words belongs would interrupt at every letter."""
    with pytest.raises(ConfigError, match=rf"turn\.{name}: "):
        replace(config, **one(name, value))
