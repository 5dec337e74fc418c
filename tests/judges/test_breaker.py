"""The circuit breaker, with time as an argument."""

from __future__ import annotations

import pytest

from jev_turn.judges.breaker import Breaker


def opened_at(now_ms: int) -> Breaker:
    """A breaker that has had enough."""
    breaker = Breaker(failures=3, reset_ms=5_000)
    for _ in range(3):
        breaker.failed(now_ms)
    return breaker


@pytest.mark.parametrize(("failures", "state"), [(2, "closed"), (3, "open")])
def test_it_opens_at_the_limit(failures: int, state: str) -> None:
    """Three failures in a row open it, two do not."""
    breaker = Breaker(failures=3, reset_ms=5_000)
    for _ in range(failures):
        breaker.failed(0)
    assert breaker.state == state


def test_an_answer_starts_the_count_anew() -> None:
    """Only failures in a row count."""
    breaker = Breaker(failures=3, reset_ms=5_000)
    breaker.failed(0)
    breaker.failed(0)
    breaker.succeeded()
    breaker.failed(0)
    breaker.failed(0)
    assert breaker.allow(0)


@pytest.mark.parametrize(("after_ms", "allowed"), [(0, False), (4_999, False), (5_000, True)])
def test_it_rests(after_ms: int, allowed: bool) -> None:
    """Nothing is sent until the rest is over."""
    assert opened_at(100).allow(100 + after_ms) is allowed


def test_one_trial_at_a_time() -> None:
    """While the trial is out, everything else is refused."""
    breaker = opened_at(0)
    assert breaker.allow(5_000)
    assert breaker.state == "half_open"
    assert not breaker.allow(9_000)


def test_a_good_trial_closes_it() -> None:
    """Recovery is automatic and complete."""
    breaker = opened_at(0)
    breaker.allow(5_000)
    breaker.succeeded()
    assert breaker.state == "closed"
    assert breaker.allow(5_001)


def test_a_failed_trial_rests_again() -> None:
    """The rest begins anew when the trial fails."""
    breaker = opened_at(0)
    breaker.allow(5_000)
    breaker.failed(5_600)
    assert not breaker.allow(10_599)
    assert breaker.allow(10_600)


def test_an_older_request_does_not_lengthen_the_rest() -> None:
    """A request that was out before the opening may fail during the rest."""
    breaker = opened_at(0)
    breaker.failed(4_000)
    assert breaker.allow(5_000)


def test_an_abandoned_trial_makes_way_for_another() -> None:
    """A trial that was given up must not keep the judge away for ever."""
    breaker = opened_at(0)
    breaker.allow(5_000)
    breaker.abandoned()
    assert breaker.allow(5_001)
