"""Plain words for what a record holds."""

from __future__ import annotations

import pytest

from jev_turn.judges.failure import kind_of
from jev_turn.record import Record, wording

BARS = {
    "turn_complete": 0.7,
    "holding_floor": 0.5,
    "addressed_to_agent": 0.5,
    "taking_floor": 0.5,
    "enough_to_answer": 0.65,
    "turn_finished": 0.6,
}


def verdict(**probabilities: float) -> Record:
    """Return a verdict on these questions, with their thresholds."""
    return {"probabilities": probabilities, "thresholds": {one: BARS[one] for one in probabilities}}


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ({"turn_complete": 0.6, "holding_floor": 0.1, "addressed_to_agent": 0.9}, "not finished"),
        ({"turn_complete": 0.9, "holding_floor": 0.6, "addressed_to_agent": 0.9}, "the person is"),
        ({"turn_complete": 0.9, "holding_floor": 0.6, "addressed_to_agent": 0.4}, "not meant for"),
        (
            {"turn_complete": 0.9, "holding_floor": 0.1, "addressed_to_agent": 0.9},
            "waits for quiet",
        ),
        ({"turn_complete": 0.9, "addressed_to_agent": 0.9, "taking_floor": 0.4}, "does not interr"),
        ({"enough_to_answer": 0.6, "holding_floor": 0.1}, "not enough to answer yet"),
        ({"turn_finished": 0.5}, "not finished"),
        ({"turn_finished": 0.7}, ""),
    ],
)
def test_a_verdict_that_decides_nothing_says_what_is_missing(
    scores: dict[str, float], told: str
) -> None:
    """The first thing that keeps the bot listening, as far as the scores show it."""
    found = wording.missing(verdict(**scores))
    assert found.startswith(told) and bool(found) is bool(told)


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (0.61, "complete 0.61<0.70"),
        (0.6999, "complete 0.6999<0.7000"),
        (0.698, "complete 0.698<0.700"),
    ],
)
def test_a_score_is_told_apart_from_its_threshold(score: float, told: str) -> None:
    """Rounded to "0.70<0.70" it would read like a mistake."""
    assert wording.judged(verdict(turn_complete=score)) == told


def test_numbers_are_in_words_and_units() -> None:
    """No key of the record, and nothing that the scores beside it show already."""
    numbers = {"addressed_to_agent": 0.4072, "quiet_ms": 1500.0}
    dropped = {"kind": "effect", "name": "Discard", "why": "side_talk", "numbers": numbers}
    assert wording.numbers(dropped, verdict(addressed_to_agent=0.4072)) == "1.5 s of quiet"
    assert wording.numbers(dropped) == "addressed 0.41, 1.5 s of quiet"


@pytest.mark.parametrize(
    ("name", "numbers", "told"),
    [
        ("KeepCut", {"cut": 3, "score": 0.9689}, "item 3, score 0.97"),
        ("StartTurn", {"turn": 3}, "turn 3"),
        # The mouth counts the replies of its process, not the list's turns.
        ("Open", {"turn": 1, "quiet_ms": 23909, "score": 0.9}, "23.9 s of quiet, score 0.90"),
        ("Discard", {"units_per_s": 19.9336, "duration_ms": 602},
         "19.9 words or syllables a second, in 0.6 s"),
        ("Discard", {"strikes": 3, "still_ms": 2400}, "looked at 3 times, 2.4 s without a new word"),
        ("Discard", {"coverage": 0.875}, "88% of it said before"),
        ("EndTurn", {"of_mine": 0.5}, "of mine 0.5"),
    ],
)  # fmt: skip
def test_each_number_has_its_words(name: str, numbers: dict[str, float], told: str) -> None:
    """Seconds, not milliseconds with twelve digits behind a name with underscores."""
    assert wording.numbers({"kind": "effect", "name": name, "numbers": numbers}) == told


def test_every_failure_has_its_words() -> None:
    """Each kind of error that a judge of ours may have."""
    from jev_turn import errors
    from jev_turn.judges import failure

    kinds = {
        kind_of(one("x"))
        for module in (errors, failure)
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, errors.JudgeError)
    }
    assert kinds <= set(wording.ERRORS) and len(kinds) > 5
