"""What counts as a probability."""

from __future__ import annotations

import math

import pytest

from jev_turn.errors import UnreadableVerdict
from jev_turn.turn.verdict import Verdict, probability


@pytest.mark.parametrize("value", [0, 0.0, 0.5, 1, 1.0, 5e-324])
def test_a_number_from_zero_to_one_is_a_probability(value: float) -> None:
    """Both ends count, whole numbers too."""
    assert probability(value, "turn_complete") == value


@pytest.mark.parametrize(
    "value",
    [None, True, False, "0.5", "", [0.5], {"p": 0.5}, b"1", 1j, -0.0001, 1.0001, 2, -1,
     math.nan, math.inf, -math.inf],
)  # fmt: skip
def test_anything_else_is_refused_by_name(value: object) -> None:
    """An unreadable answer is an error that names its question, never a "no"."""
    with pytest.raises(UnreadableVerdict, match="taking_floor"):
        probability(value, "taking_floor")


@pytest.mark.parametrize(
    "field", ["turn_complete", "holding_floor", "addressed_to_agent", "taking_floor"]
)
def test_a_verdict_holds_probabilities_only(field: str) -> None:
    """Every one of the four is checked where a verdict is made."""
    values = {"turn_complete": 0.1, "holding_floor": 0.2, "addressed_to_agent": 0.3}
    with pytest.raises(UnreadableVerdict, match=field):
        Verdict(**(values | {field: 1.5}))


def test_taking_floor_is_absent_while_the_agent_is_silent() -> None:
    """Three questions are asked then, and the fourth has no answer."""
    assert Verdict(0.1, 0.2, 0.3).taking_floor is None
