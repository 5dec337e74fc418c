"""The fair queue: an account's rates, and who goes next."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from jev_turn.judges.fair import FairQueue, Rates


def queue(per_minute: int = 60, tokens: int = 1_000_000) -> FairQueue[str]:
    """Return a queue at time 0; 60 a minute lets one go at once and 59 in the minute after."""
    return FairQueue(Rates(per_minute, tokens), 0.0)


def test_what_fits_goes_at_once() -> None:
    """Below its rates an account is as fast as without them."""
    line = queue(1200)
    assert all(line.offer("a", 100, 0.0) for _ in range(20))
    assert not line.offer("a", 100, 0.0)


def test_the_one_that_was_served_longest_ago_goes_first() -> None:
    """A call that asks all the time gets no more than one that seldom asks."""
    line = queue()
    assert line.offer("busy", 1, 0.0)
    assert not line.offer("busy", 1, 0.1)
    assert not line.offer("seldom", 1, 0.2)
    assert [line.due(at) for at in (0.9, 1.02, 1.9, 2.04)] == [None, "seldom", None, "busy"]


def test_nobody_overtakes_those_who_wait() -> None:
    """A newcomer with less past goes first, one with the same past behind."""
    line = queue()
    for who in ("a", "b"):
        line.offer(who, 1, 0.0)
    assert not line.offer("c", 1, 0.5)
    assert line.waiting == ("b", "c")


def test_an_ask_that_is_replaced_keeps_its_place() -> None:
    """Newer words are no reason to begin at the end."""
    line = queue()
    line.offer("x", 1, 0.0)
    for who in ("a", "b", "a"):
        line.offer(who, 1, 0.1)
    assert line.waiting == ("a", "b")


def test_giving_up_costs_no_place() -> None:
    """A call whose ask was too old when its time came is next all the same."""
    line = queue()
    for who in ("a", "b", "c"):
        line.offer(who, 1, 0.0)
    line.withdraw("b")
    assert line.due(1.02) == "c"
    line.offer("a", 1, 1.1)
    line.offer("b", 1, 1.1)
    assert line.waiting == ("b", "a")


def test_tokens_are_a_rate_too() -> None:
    """Long states are what a busy process sends."""
    line = queue(6000, tokens=1000)
    assert line.offer("a", 900, 0.0)
    assert not line.offer("b", 200, 0.0)
    assert line.next_s(0.0) == 0.1
    assert line.due(0.1) == "b"


def test_an_ask_that_never_fits_goes_when_there_is_most() -> None:
    """It is paid for afterwards; held for ever it would be a call without a judge."""
    line = queue(6000, tokens=1000)
    assert line.offer("a", 5000, 0.0)
    assert not line.offer("b", 1, 0.0)
    assert line.next_s(0.0) == 4.001


def test_a_server_that_says_wait_is_obeyed() -> None:
    """429 with Retry-After: nothing goes before."""
    line = queue(1200)
    line.pause(2.0)
    assert not line.offer("a", 1, 0.0)
    assert (line.next_s(0.0), line.due(1.99), line.due(2.0)) == (2.0, None, "a")


def test_a_call_that_is_over_is_forgotten() -> None:
    """A process that serves for months must not remember every call."""
    line = queue()
    line.offer("a", 1, 0.0)
    line.leave("a")
    assert line._served == {} and line.waiting == ()


@given(st.lists(st.tuples(st.floats(0, 0.2), st.integers(0, 5)), max_size=300))
@settings(max_examples=40)
def test_no_minute_holds_more_than_the_rate(story: list[tuple[float, int]]) -> None:
    """Whoever asks when: at most 60 in any 60 seconds, and nobody waits while there is room."""
    line, now, served = queue(60), 0.0, []
    for wait, who in story:
        now += wait
        while line.due(now) is not None:
            served.append(now)
        served += [now] * line.offer(str(who), 1, now)
        assert line.next_s(now) is None or line.next_s(now) > now  # type: ignore[operator]
    assert all(sum(at <= x < at + 60 for x in served) <= 60 for at in served)
