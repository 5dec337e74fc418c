"""Three strikes: when words that lead nowhere are dropped, and how they come back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.reply_scenario import ListRunner

from jev_turn.replies.effects import AskEar, Discard, KeepCut, Mark, Note, Rejoin


def strike(run: ListRunner, text: str = "I wanted to ask", *, verdict: str = "enough=0.1") -> None:
    """Say a final at 0 ms and let the judge find it insufficient at its first tick."""
    run.do(0, f'final "{text}"')
    run.do(run.config.tick_ms)
    run.do(run.config.tick_ms, f"ear ask=1 {verdict}")


@pytest.mark.parametrize(("at", "drops"), [(2999, 0), (3000, 1)])
def test_the_third_look_drops(run: ListRunner, at: int, drops: int) -> None:
    """X01: two looks are a pause for breath; without a third the words stay for ever."""
    strike(run)
    run.do(at)
    assert [drop.kind for drop in run.all(Discard)] == ["strikes"] * drops


@pytest.mark.parametrize("strikes", [1, 2, 4, 5])
def test_the_number_of_strikes_is_a_setting(run: ListRunner, strikes: int) -> None:
    """X01: the design's three suits its own tick and speaker."""
    run.config = replace(run.config, strikes=strikes, strikes_min_ms=0)
    strike(run)
    run.do(9000)
    assert run.times(Discard) == [1000 * strikes]


@pytest.mark.parametrize(
    ("tick_ms", "at"), [(100, 2000), (250, 2000), (500, 2000), (1000, 3000), (2000, 6000)]
)
def test_patience_is_measured_in_seconds(run: ListRunner, tick_ms: int, at: int) -> None:
    """X03: at four looks a second, three strikes alone would be three quarters of a second."""
    run.config = replace(run.config, tick_ms=tick_ms)
    strike(run)
    run.do(9000)
    assert run.times(Discard) == [at]


@pytest.mark.parametrize(("min_ms", "at"), [(3000, 3000), (3001, 4000)])
def test_the_seconds_are_inclusive(run: ListRunner, min_ms: int, at: int) -> None:
    """X03: both sides of the boundary, at a look."""
    run.config = replace(run.config, strikes_min_ms=min_ms)
    strike(run)
    run.do(9000)
    assert run.times(Discard) == [at]


@pytest.mark.parametrize("growth", ["I wanted to ask you", "I wished to ask", "I wanted"])
def test_any_change_of_words_starts_again(run: ListRunner, growth: str) -> None:
    """X02: the "no growth" clause is all that protects somebody who is still talking."""
    run.do(0, 'heard "I wanted to ask"')
    run.do(1000)
    run.do(1100, "ear ask=1 enough=0.1")
    run.do(2500, f'heard "{growth}"')
    assert run.ctx.ear.strikes == 0
    run.do(4499)
    assert run.all(Discard) == []


def test_punctuation_is_no_growth(run: ListRunner) -> None:
    """X02: a recogniser that only adds a full stop would put the strikes off each time."""
    run.do(0, 'heard "I wanted to ask"')
    run.do(1000)
    run.do(1100, "ear ask=1 enough=0.1")
    run.do(2500, 'final "I wanted to ask."')
    run.do(3000)
    assert run.times(Discard) == [3000]


def test_a_strike_costs_nothing(run: ListRunner) -> None:
    """Ruling: the verdict on unchanged words is known; asking each second would triple the bill."""
    strike(run)
    run.do(3000)
    assert run.times(AskEar) == [1000]


def test_a_look_before_the_verdict_is_no_strike(run: ListRunner) -> None:
    """X01 counts judged looks: a slow judge would otherwise drop words that it never saw."""
    run.do(0, 'final "I wanted to ask"')
    run.do(2500, "ear ask=1 enough=0.1")
    run.do(3000)
    assert (run.ctx.ear.strikes, run.all(Discard)) == (2, [])


@pytest.mark.parametrize(("holding", "at"), [(0.5, 12000), (0.4999, 3000)])
def test_who_asks_for_time_gets_it(run: ListRunner, holding: float, at: int) -> None:
    """X04: "let me look that up" dropped after three seconds is what the bot is blamed for."""
    strike(run, "let me look that up", verdict=f"enough=0.1 holding={holding}")
    run.do(20000)
    assert run.times(Discard) == [at]


@pytest.mark.parametrize(("cap", "at"), [(12000, 12000), (12001, 13000)])
def test_asking_for_time_has_a_ceiling(run: ListRunner, cap: int, at: int) -> None:
    """Every hold has one: the words would otherwise stand in front of any later sentence."""
    run.config = replace(run.config, holding_cap_ms=cap)
    strike(run, verdict="enough=0.1 holding=0.9")
    run.do(20000)
    assert run.times(Discard) == [at]


def test_nothing_is_dropped_while_the_person_can_be_heard(run: ListRunner) -> None:
    """A recogniser that lags behind a fast speaker would get the sentence thrown away."""
    run.do(0, "onset")
    strike(run)
    run.do(7999)
    assert run.all(Discard) == []


def test_nothing_is_dropped_while_the_recogniser_is_away(run: ListRunner) -> None:
    """What the person adds cannot grow the words, so that they do not grow proves nothing."""
    strike(run)
    run.do(1500, "stt-down closed")
    run.do(30000)
    assert run.all(Discard) == []


def test_the_trace_says_what_and_why(run: ListRunner) -> None:
    """X15: dropping a sentence silently is the one thing worse than dropping it."""
    strike(run)
    run.do(3000)
    (drop,) = run.all(Discard)
    assert drop.text == "I wanted to ask"
    assert dict(drop.numbers) == {
        "strikes": 3, "still_ms": 3000, "enough_to_answer": 0.1, "holding_floor": 0.0
    }  # fmt: skip


def test_the_trace_comes_before_the_mark(run: ListRunner) -> None:
    """X15: after a crash between the two, marked words without a trace would be lost silently."""
    run.do(0, 'heard "I wanted to ask"')
    run.do(1000)
    run.do(1000, "ear ask=1 enough=0.1")
    effects = run.do(3000)
    assert [type(effect) for effect in effects] == [Discard, Mark]


def test_dropped_words_do_not_come_back_with_their_final(run: ListRunner) -> None:
    """X05 for drops: the final would bring the sentence back, to be dropped again, for ever."""
    run.do(0, 'heard "I wanted to ask"')
    run.do(1000)
    run.do(1000, "ear ask=1 enough=0.1")
    run.do(3100, 'final "I wanted to ask."')
    assert (run.ctx.buffer.text, run.all(Rejoin)) == ("", [])


def test_a_corrected_final_of_dropped_words_is_no_new_sentence(run: ListRunner) -> None:
    """Joined to its own correction, the sentence would be there twice."""
    run.do(0, 'heard "eye want two ask"')
    run.do(1000)
    run.do(1000, "ear ask=1 enough=0.1")
    run.do(3100, 'final "I wanted to ask."')
    assert (run.ctx.buffer.text, run.all(Rejoin)) == ("I wanted to ask.", [])


@pytest.mark.parametrize(
    ("at", "text"), [(13000, "I wanted to ask about Rome"), (13001, "about Rome")]
)
def test_dropped_words_come_back_within_ten_seconds(run: ListRunner, at: int, text: str) -> None:
    """Section 9, 7: both sides of the boundary; "about Rome" by itself asks nothing."""
    strike(run)
    run.do(at, 'heard "about Rome"')
    assert run.ctx.buffer.text == text


@pytest.mark.parametrize("at", [3000, 3001])
def test_the_return_of_dropped_words_can_be_turned_off(run: ListRunner, at: int) -> None:
    """Section 9, 7: an option; where people mutter, old words would pollute new ones."""
    run.config = replace(run.config, rejoin_ms=0)
    strike(run)
    run.do(at, 'heard "about Rome"')
    assert (run.ctx.buffer.text, run.all(Rejoin)) == ("about Rome", [])


def test_dropped_words_come_back_once(run: ListRunner) -> None:
    """A second return would put the same words into two cuts."""
    strike(run)
    run.do(4000, 'final "about Rome"')
    run.do(5000, "ear ask=2 enough=0.9")
    run.do(6000, 'final "and Oslo"')
    assert len(run.all(Rejoin)) == 1
    assert run.all(KeepCut)[0].cut.text == "I wanted to ask about Rome"
    assert run.ctx.buffer.text == "and Oslo"


def test_words_that_came_back_can_be_dropped_again(run: ListRunner) -> None:
    """They are in the buffer like any others; kept for ever they would block it."""
    strike(run)
    run.do(4000, 'final "about"')
    run.do(5000, "ear ask=2 enough=0.1")
    run.do(8000)
    assert [drop.text for drop in run.all(Discard)] == ["I wanted to ask", "I wanted to ask about"]


def test_a_late_verdict_is_no_strike(run: ListRunner) -> None:
    """J07: it is about other words, and says nothing against these."""
    run.do(0, 'heard "I wanted"')
    run.do(1000)
    run.do(1100, 'heard "I wanted to ask"')
    run.do(1200, "ear ask=1 enough=0.1")
    assert (run.ctx.ear.strikes, run.all(Note)) == (0, [Note("late_verdict", "1")])
