"""The typed settings that a policy builds."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

import pytest
from support.policy_files import refusal

from jev_turn.dsp.config import GateConfig
from jev_turn.errors import ConfigError
from jev_turn.judges.config import JudgeConfig
from jev_turn.policy import load_policy
from jev_turn.policy.entry import NUMBERS
from jev_turn.turn.config import TurnConfig

CONFIGS = {"turn": TurnConfig, "gate": GateConfig, "judge": JudgeConfig}
TYPES = {"switch": bool, "name": str, "phrases": tuple[str, ...]}


@pytest.mark.parametrize("section", CONFIGS)
def test_each_field_has_a_key_and_each_key_a_field(section: str) -> None:
    """Neither a setting without a value nor a value that nobody reads."""
    keys = {key for key in load_policy(env={}).entries if key.startswith(f"{section}.")}
    assert keys == {f"{section}.{field.name}" for field in fields(CONFIGS[section])}


@pytest.mark.parametrize("section", CONFIGS)
def test_units_agree_with_the_types_of_the_fields(section: str) -> None:
    """A whole number for int, a fraction for float, choices for a literal."""
    policy = load_policy(env={})
    for name, hint in get_type_hints(CONFIGS[section]).items():
        entry = policy.entries[f"{section}.{name}"]
        if entry.unit in NUMBERS:
            assert hint is (int if NUMBERS[entry.unit].whole else float), entry.key
        elif entry.unit == "choice":
            assert hint.__args__ == entry.choices
        else:
            assert hint == TYPES[entry.unit]


@pytest.mark.parametrize("section", CONFIGS)
@pytest.mark.parametrize("edge", ["minimum", "maximum"])
def test_both_ends_of_every_range_can_be_built(section: str, edge: str) -> None:
    """A range that the config class itself refuses would be a lie."""
    policy = load_policy(env={})
    ends = {
        key.split(".")[1]: getattr(entry, edge)
        for key, entry in policy.entries.items()
        if key.startswith(f"{section}.") and entry.unit in NUMBERS
    }
    getattr(policy, section)(**ends)


@pytest.mark.parametrize("section", CONFIGS)
def test_every_field_is_documented(section: str) -> None:
    """Meaning, unit and range stand in the docstring."""
    documented = CONFIGS[section].__doc__ or ""
    for field in fields(CONFIGS[section]):
        assert f"        {field.name}: " in documented


def test_a_bot_may_set_fields_in_code() -> None:
    """Overrides of code are checked like a request."""
    policy = load_policy(env={})
    assert policy.turn(cap_ms=4000, stop_words=("halt",)).cap_ms == 4000
    assert policy.turn(stop_words=("halt",)).stop_words == ("halt",)
    assert policy.gate(hold_ms=90).hold_ms == 90
    assert policy.judge(agent_name="Ada").agent_name == "Ada"


@pytest.mark.parametrize(
    ("overrides", "key"),
    [({"cap": 1}, "turn.cap"), ({"cap_ms": "1"}, "turn.cap_ms"), ({"cap_ms": 1}, "turn.cap_ms"),
     ({"cap_ms": 12001}, "turn.cap_ms")],
)  # fmt: skip
def test_a_wrong_field_in_code_is_refused(overrides: dict[str, Any], key: str) -> None:
    """Unknown, wrong type, out of range, in contradiction."""
    error = refusal(lambda: load_policy(env={}).turn(**overrides))
    assert (error.source, error.key) == ("turn()", key)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("confirm_min_ms", "confirm_max_ms"), ("recheck_min_ms", "recheck_max_ms"),
        ("cap_ms", "holding_cap_ms"), ("eos_threshold_floor", "eos_threshold"),
    ],
)  # fmt: skip
def test_the_lower_of_two_may_equal_the_upper_and_not_exceed_it(low: str, high: str) -> None:
    """D02 and its like: refused by the policy, which can name the source."""
    policy = load_policy(env={})
    top = policy.value(f"turn.{high}")
    assert getattr(policy.turn(**{low: top}), low) == top
    over = top + (0.01 if isinstance(top, float) else 1)
    assert refusal(lambda: policy.turn(**{low: over})).key == f"turn.{low}"


@pytest.mark.parametrize(
    ("language", "phrase"),
    [("en", "hang on"), ("en-GB", "hang on"), ("EN_us", "hang on"), ("de", "warte")],
)
def test_stop_words_are_those_of_the_language(language: str, phrase: str) -> None:
    """The tag's first part is enough, in any spelling."""
    assert phrase in load_policy(env={}).turn(language=language).stop_words


def test_a_language_without_stop_words_has_none() -> None:
    """English words would interrupt by their sound in another language."""
    assert load_policy(env={}).turn(language="fi").stop_words == ()


def test_one_list_of_stop_words_serves_every_language() -> None:
    """From an option there is no table, so the list is for all."""
    policy = load_policy(env={}, sets=["turn.stop_words=seis, odota"])
    assert policy.turn(language="fi").stop_words == ("seis", "odota")
    assert load_policy(env={}, sets=["turn.stop_words="]).turn().stop_words == ()


@pytest.mark.parametrize(
    ("config", "changes"),
    [
        (load_policy(env={}).gate(), {"hold_ms": 0}),
        (load_policy(env={}).gate(), {"frame_ms": 0}),
        (load_policy(env={}).gate(), {"preroll_ms": -1}),
        (load_policy(env={}).gate(), {"floor_min": 0.0}),
        (load_policy(env={}).gate(), {"floor_min": 0.003}),
        (load_policy(env={}).judge(), {"in_flight": 0}),
        (load_policy(env={}).judge(), {"deadline_ms": 0}),
        (load_policy(env={}).judge(), {"history_messages": -1}),
    ],
)
def test_a_config_made_by_hand_refuses_nonsense(
    config: GateConfig | JudgeConfig, changes: dict[str, float]
) -> None:
    """What would loop for ever or divide by zero is refused wherever it comes from."""
    values = {field.name: getattr(config, field.name) for field in fields(config)}
    with pytest.raises(ConfigError, match=next(iter(changes))):
        type(config)(**{**values, **changes})
