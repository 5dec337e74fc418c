"""The typed settings that a policy builds."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any, get_type_hints

import pytest
from support.policy_files import refusal

from jev_turn.dsp.config import GateConfig
from jev_turn.errors import ConfigError
from jev_turn.judges.config import JudgeConfig
from jev_turn.policy import load_policy
from jev_turn.policy.entry import NUMBERS
from jev_turn.policy.keys import config_classes, keys_by_field
from jev_turn.replies.config import MouthConfig, ReplyConfig
from jev_turn.turn.config import TurnConfig

CONFIGS: dict[str, Any] = {
    "turn": TurnConfig,
    "gate": GateConfig,
    "judge": JudgeConfig,
    "replies": ReplyConfig,
    "mouth": MouthConfig,
}
"""By the method of the policy that builds them."""
TYPES = {"switch": bool, "name": str, "phrases": tuple[str, ...]}


def keys(section: str) -> dict[str, str]:
    """The key of each field."""
    config = CONFIGS[section]
    return keys_by_field(config, config_classes()[config], load_policy(env={}).entries)


@pytest.mark.parametrize("section", CONFIGS)
def test_each_field_has_a_key_and_each_key_a_field(section: str) -> None:
    """Neither a setting without a value nor a value that nobody reads."""
    owned = config_classes()[CONFIGS[section]]
    entries = load_policy(env={}).entries
    own = {key for key in entries if key.split(".")[0] in owned}
    assert own <= set(keys(section).values()) <= set(entries)


def test_every_config_class_can_be_built() -> None:
    """A class that no method of the policy builds would have to be filled in by hand."""
    assert set(CONFIGS.values()) == set(config_classes())


def test_what_two_designs_share_is_one_number() -> None:
    """The reply list goes by the turn machine's numbers where they mean the same."""
    borrowed = {key for key in keys("replies").values() if key.startswith("turn.")}
    names = ("holding_floor_min", "holding_cap_ms", "degraded_end_ms", "cap_ms", "thinking_max_ms")
    assert borrowed == {f"turn.{name}" for name in names}
    assert (keys("mouth")["cap_ms"], keys("mouth")["word_lag_ms"]) == (
        "turn.cap_ms",
        "ear.word_lag_ms",
    )
    policy = load_policy(env={}, sets=["turn.cap_ms=4321"])
    assert policy.replies().cap_ms == policy.mouth().cap_ms == policy.turn().cap_ms == 4321


@pytest.mark.parametrize("section", CONFIGS)
def test_units_agree_with_the_types_of_the_fields(section: str) -> None:
    """A whole number for int, a fraction for float, choices for a literal."""
    policy = load_policy(env={})
    for name, hint in get_type_hints(CONFIGS[section]).items():
        entry = policy.entries[keys(section)[name]]
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
    own = {name: key for name, key in keys(section).items() if key.startswith(f"{section}.")}
    ends = {
        name: getattr(policy.entries[key], edge)
        for name, key in own.items()
        if policy.entries[key].unit in NUMBERS
    }
    getattr(policy, section)(**ends)


@pytest.mark.parametrize("section", CONFIGS)
def test_every_field_is_documented(section: str) -> None:
    """Meaning, unit and range stand in the docstring."""
    documented = inspect.getdoc(CONFIGS[section]) or ""
    for field in fields(CONFIGS[section]):
        assert f"    {field.name}: " in documented


def test_a_bot_may_set_fields_in_code() -> None:
    """Overrides of code are checked like a request."""
    policy = load_policy(env={})
    assert policy.turn(cap_ms=4000, stop_words=("halt",)).cap_ms == 4000
    assert policy.turn(stop_words=("halt",)).stop_words == ("halt",)
    assert policy.gate(hold_ms=90).hold_ms == 90
    assert policy.judge(agent_name="Ada").agent_name == "Ada"
    replies = policy.replies(tick_ms=250, rejoin_ms=0, cap_ms=4000)
    assert (replies.tick_ms, replies.rejoin_ms, replies.cap_ms) == (250, 0, 4000)
    assert policy.mouth(on_resume="withdraw").on_resume == "withdraw"


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
    ("overrides", "key"),
    [({"tick": 1}, "ear.tick"), ({"tick_ms": 0}, "ear.tick_ms"), ({"silent_ms": 0},
     "replies.silent_ms"), ({"cap_ms": 99999}, "turn.cap_ms"),
     ({"stt_retry_min_ms": 8001}, "replies.stt_retry_min_ms")],
)  # fmt: skip
def test_a_wrong_field_of_the_reply_list_is_refused_by_its_key(
    overrides: dict[str, Any], key: str
) -> None:
    """Its fields come from three sections; the message names the one to look in."""
    error = refusal(lambda: load_policy(env={}).replies(**overrides))
    assert (error.source, error.key) == ("replies()", key)


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
        (load_policy(env={}).replies(), {"tick_ms": 0}),
        (load_policy(env={}).replies(), {"drain_quiet_ms": -1}),
        (load_policy(env={}).replies(), {"stt_retry_min_ms": 8001}),
        (load_policy(env={}).mouth(), {"ask_interval_ms": 0}),
        (load_policy(env={}).mouth(), {"ask_from_ms": 4001}),
    ],
)
def test_a_config_made_by_hand_refuses_nonsense(config: Any, changes: dict[str, float]) -> None:
    """What would loop for ever or divide by zero is refused wherever it comes from."""
    values = {field.name: getattr(config, field.name) for field in fields(config)}
    with pytest.raises(ConfigError, match=next(iter(changes))):
        type(config)(**{**values, **changes})
