"""What holds whatever happens: random strings of events, early and late timers, faults, settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.storm import OPEN_WITH_WORDS, Storm

from jev_turn.turn import events as ev
from jev_turn.turn import timing
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Phase
from jev_turn.turn.words import tokens

EVENTS = st.binary(min_size=90, max_size=150)
CHANGES: dict[str, st.SearchStrategy[Any]] = {
    "empty_turn": st.sampled_from(["retract", "keep"]),
    "side_talk": st.sampled_from(["discard", "keep"]),
    "side_talk_hold": st.booleans(),
    "side_talk_streak_max": st.integers(0, 2),
    "semantic_barge_in": st.booleans(),
    "barge_in_requires_addressed": st.booleans(),
    "withdraw_while_thinking": st.booleans(),
    "speculate": st.booleans(),
    "speculate_debounce_ms": st.sampled_from([0, 150]),
    "speculate_runs_max": st.integers(1, 3),
    "stop_words": st.sampled_from([(), ("stop", "no")]),
    "debounce_ms": st.sampled_from([0, 150]),
    "confirm_min_ms": st.sampled_from([0, 350]),
    "confirm_max_ms": st.sampled_from([1000, 20000]),
    "eos_decay_ms": st.sampled_from([0, 3000]),
    "recheck_min_ms": st.sampled_from([1, 700]),
}
CONFIGS = st.fixed_dictionaries({}, optional=CHANGES)


def storm(config: TurnConfig, changes: dict[str, Any], data: bytes, **kwargs: Any) -> Storm:
    """Play a storm; the rules of ``support.storm`` are checked after every event."""
    played = Storm(replace(config, **changes), data, **kwargs)
    played.play()
    return played


@settings(max_examples=40)
@given(CONFIGS, EVENTS, st.booleans(), st.booleans())
def test_the_rules_hold_in_every_storm(
    config: TurnConfig, changes: dict[str, Any], data: bytes, acks: bool, ends: bool
) -> None:
    """One opening per turn, an end only with words and enough quiet, one interruption per reply.

    Also: a reply is begun once for the same words, held alone, and let out for these words only.
    Nothing but an interruption from a stale answer, no hold that a timer ends, no deadline in
    the past, an input that is never changed.
    """
    played = storm(config, changes | {"ends": ends}, data, acks=acks)
    left = [s.number for s in played.watch.left if s.final]
    assert len(left) == len(set(left)), "a final left twice"
    _conserved(played, left)


def _conserved(played: Storm, left: list[int]) -> None:
    """Every final left once, is still in the turn, repeats taken words, or was ended elsewhere."""
    here = [s.number for s in played.ctx.turn.finals]
    for number, text in played.finals.items():
        if tokens(text) and not played.ctx.over:
            places = (number in left) + (number in here) + (number in played.elsewhere)
            assert places == 1 or (places == 0 and number in played.swallowed), (
                f"final {number} {text!r} is in {places} places"
            )


@settings(max_examples=40)
@given(CONFIGS, EVENTS)
def test_every_word_leaves_once_and_in_order(
    config: TurnConfig, changes: dict[str, Any], data: bytes
) -> None:
    """With a recogniser that only adds words, none is lost and none is doubled.

    Whatever was committed on interims, nodded away, dropped or is still open: put together it is
    what was heard.
    """
    played = storm(config, changes, data, faithful=True)
    heard = [token for text in (*played.finals.values(), played.text) for token in tokens(text)]
    segments = (*played.watch.left, *played.ctx.turn.words.segments)
    assert [token for s in segments for token in tokens(s.text)] == heard


@settings(max_examples=40)
@given(CONFIGS, EVENTS)
def test_a_turn_ends_one_cap_after_silence_begins(
    config: TurnConfig, changes: dict[str, Any], data: bytes
) -> None:
    """Whatever came before, and though the judge never answers again, nobody waits longer."""
    played = storm(config, changes, data)
    if played.ctx.over:
        return
    played.wait(0)
    for event in (ev.Quieted(played.now, 0), ev.Stalled(played.now, False)):
        played.send(event)
    played.send(ev.Agent(played.now, "listening"))
    limit = timing.cap(played.ctx, played.config)
    played.wait(limit + 1)
    assert played.ctx.phase not in OPEN_WITH_WORDS
    if played.ctx.phase is Phase.HELD and played.ctx.turn.hold == "undecided":
        raise AssertionError("nothing is undecided while the agent is silent")


@settings(max_examples=20)
@given(EVENTS, st.integers(0, 30))
def test_after_a_hang_up_nothing_is_ordered(config: TurnConfig, data: bytes, at: int) -> None:
    """The call is over: no timer, no end of turn, only notes."""
    played = storm(config, {}, data[: 3 * at])
    played.send(ev.HungUp(played.now))
    asked, opened, ended = played.asked, played.watch.opened, played.watch.ended
    played.data = data
    played.play()
    assert played.ctx.deadline is None
    assert (played.asked, played.watch.opened, played.watch.ended) == (asked, opened, ended)
