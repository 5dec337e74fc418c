"""Many calls in one process share one account's judge."""

from __future__ import annotations

import pytest

from jev_turn.bench.call import CALL_S, Part
from jev_turn.bench.calls import UNFAIR, crowd_of
from jev_turn.policy import load_policy


def test_a_conversation_goes_round_from_anywhere() -> None:
    """Every call says everything as often as it goes round, wherever it began."""
    for phase_s in (0.0, 3.0, 13.5):
        moments = Part(phase_s, 2).moments([1.0, 9.0])
        assert sorted(number for _, number in moments) == [0, 0, 1, 1]
        assert all(0 <= at < 2 * CALL_S for at, _ in moments)


@pytest.mark.bots
def test_no_call_waits_twice_as_long_as_another() -> None:
    """Ten calls under a fifth of the rate of fifty: each gets verdicts, and none is starved."""
    crowd = crowd_of(load_policy(env={}, sets=["judge.requests_per_minute=240"]), 10)
    assert len(crowd.waits_ms) == 10
    assert sum(one.failures["rate_limited"] + one.superseded for one in crowd.stats) > 0
    assert 1.0 <= crowd.ratio <= UNFAIR
