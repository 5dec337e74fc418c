"""A judge's verdict on a turn, and the check that makes a number a probability."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jev_turn.errors import UnreadableVerdict


@dataclass(frozen=True, slots=True)
class Verdict:
    """Probabilities about the words heard so far.

    Attributes:
        turn_complete: The person has handed over the floor, 0 to 1.
        holding_floor: The latest words ask for time, 0 to 1.
        addressed_to_agent: The words are meant for the agent, 0 to 1.
        taking_floor: The person is really interrupting, 0 to 1; ``None`` when the agent was
            silent and the question was therefore not asked.
        enough_to_answer: There is something to answer already, 0 to 1; ``None`` when that was not
            asked, which it is only for speculation.
    """

    turn_complete: float
    holding_floor: float
    addressed_to_agent: float
    taking_floor: float | None = None
    enough_to_answer: float | None = None

    def __post_init__(self) -> None:
        probability(self.turn_complete, "turn_complete")
        probability(self.holding_floor, "holding_floor")
        probability(self.addressed_to_agent, "addressed_to_agent")
        if self.taking_floor is not None:
            probability(self.taking_floor, "taking_floor")
        if self.enough_to_answer is not None:
            probability(self.enough_to_answer, "enough_to_answer")


def probability(value: object, name: str) -> float:
    """Return ``value`` as a probability, or refuse it.

    Args:
        value: What the judge answered.
        name: The question's id, for the message.

    Returns:
        A float between 0 and 1 inclusive.

    Raises:
        UnreadableVerdict: For a bool, text, ``None``, NaN, infinity or a number out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableVerdict(f"{name}: {type(value).__name__} is not a probability")
    if not math.isfinite(value) or not 0.0 <= value <= 1.0:
        raise UnreadableVerdict(f"{name}: {value!r} is not between 0 and 1")
    return float(value)
