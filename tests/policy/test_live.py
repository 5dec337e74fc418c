"""K+: values tuned during a call fall back and never stop it."""

from __future__ import annotations

import pytest

from jev_turn.policy import load_policy


def test_a_live_value_is_over_everything() -> None:
    """It needs no restart and says where it comes from."""
    policy, refused = load_policy(env={}, sets=["turn.cap_ms=4000"]).with_live(
        {"turn.cap_ms": 3000}
    )
    assert policy.turn().cap_ms == 3000
    assert (policy.source("turn.cap_ms"), refused) == ("live", ())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("turn.cap", 1), ("", 1), (5, 1), (None, 1), ("turn.cap_ms", float("nan")),
        ("turn.cap_ms", float("inf")), ("turn.eos_threshold", float("nan")),
        ("turn.eos_threshold", 1.01), ("turn.eos_threshold", 10**400), ("turn.cap_ms", 499),
        ("turn.cap_ms", "4000"), ("turn.cap_ms", None), ("turn.cap_ms", True),
        ("turn.side_talk", []), ("turn.stop_words", {"en": 1}), ("turn.ends", "on"),
    ],
)  # fmt: skip
def test_a_bad_live_value_is_left_out_and_reported(key: object, value: object) -> None:
    """Unknown, not finite, wrong type, out of range: the value beneath stays, the rest applies."""
    base = load_policy(env={"JEV_EOS_THRESHOLD": "0.8"})
    policy, refused = base.with_live({key: value, "turn.debounce_ms": 90})
    assert [one.key for one in refused] == [str(key)]
    assert refused[0].reason
    assert policy.as_dict() == {**base.as_dict(), "turn.debounce_ms": 90}


@pytest.mark.parametrize("wanted", [None, [], "turn.cap_ms=1", 5])
def test_stored_rubbish_is_no_tuning(wanted: object) -> None:
    """Whatever a browser kept, the call goes on with the values beneath."""
    policy, refused = load_policy(env={}).with_live(wanted)
    assert policy.as_dict() == load_policy(env={}).as_dict()
    assert len(refused) == 1


def test_an_empty_tuning_resets() -> None:
    """A tuning replaces the one before it."""
    tuned, _ = load_policy(env={}).with_live({"turn.cap_ms": 3000})
    reset, refused = tuned.with_live({})
    assert (reset.value("turn.cap_ms"), refused) == (5000, ())


def test_live_values_that_contradict_each_other_are_both_left_out() -> None:
    """Nobody can say which of the two was meant."""
    wanted = {"turn.confirm_min_ms": 900, "turn.confirm_max_ms": 800, "turn.cap_ms": 3000}
    policy, refused = load_policy(env={}).with_live(wanted)
    assert {one.key for one in refused} == {"turn.confirm_min_ms", "turn.confirm_max_ms"}
    assert policy.turn().cap_ms == 3000
    assert (policy.turn().confirm_min_ms, policy.turn().confirm_max_ms) == (350, 1000)


def test_a_live_value_that_contradicts_the_others_is_left_out() -> None:
    """Only the tuned one goes."""
    policy, refused = load_policy(env={}).with_live({"turn.eos_threshold": 0.5})
    assert [(one.key, one.value) for one in refused] == [("turn.eos_threshold", 0.5)]
    assert policy.value("turn.eos_threshold") == 0.72


def test_two_live_values_may_move_together() -> None:
    """Each alone would contradict the default of the other."""
    wanted = {"turn.confirm_min_ms": 1200, "turn.confirm_max_ms": 1500}
    policy, refused = load_policy(env={}).with_live(wanted)
    assert refused == ()
    assert policy.turn().confirm_min_ms == 1200


def test_live_values_outlive_a_change_of_judge() -> None:
    """A tuned threshold stays when the judge changes."""
    tuned, _ = load_policy(env={}).with_live({"turn.eos_threshold": 0.9})
    assert tuned.for_judge("another").value("turn.eos_threshold") == 0.9
