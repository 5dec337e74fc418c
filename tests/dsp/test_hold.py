"""From sound to opening: hold, dips, rest, live settings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.sound import CONFIG, FINE, LOUD, SOFT, SPEAKING, frames, kinds, run

from jev_turn.dsp.snr import begin, step
from jev_turn.dsp.state import GateContext, GateOpened


def fine(*parts: tuple[float, int]) -> list[float]:
    """Levels of 1 ms frames."""
    return frames(*parts, frame_ms=1)


def openings(said: list[object]) -> list[int]:
    """When the gate opened."""
    return [event.at_ms for event in said if isinstance(event, GateOpened)]


def test_the_gate_opens_after_the_hold() -> None:
    """11 frames of 10 ms, counted from the start of the first."""
    _, said = run(frames((SOFT, 500), (LOUD, 200)))
    assert openings(said) == [610]
    assert said[0].held_ms == 110


@pytest.mark.parametrize(("ms", "opens"), [(109, False), (110, True)])
def test_the_hold_is_inclusive(ms: int, opens: bool) -> None:
    """109 ms are too short, 110 are enough."""
    _, said = run(fine((LOUD, ms)), FINE)
    assert bool(openings(said)) is opens


@pytest.mark.parametrize(("level", "opens"), [(0.00599, False), (0.006, True)])
def test_the_gate_level_is_inclusive(level: float, opens: bool) -> None:
    """A frame at the gate level counts as over it (a floor that keeps the minimum in force)."""
    _, said = run([level] * 11, replace(CONFIG, floor_initial=0.001))
    assert bool(openings(said)) is opens


@pytest.mark.parametrize(("dip", "at"), [(60, 111), (61, 221)])
def test_a_dip_within_the_grace_keeps_the_hold(dip: int, at: int) -> None:
    """50 ms of sound, a dip, sound again: 60 ms keep the first start, 61 begin anew."""
    _, said = run(fine((LOUD, 50), (SOFT, dip), (LOUD, 200)), FINE)
    assert openings(said) == [at]


@pytest.mark.parametrize(("dip", "at"), [(60, 120), (70, 230)])
def test_dips_count_in_whole_frames(dip: int, at: int) -> None:
    """With 10 ms frames six quiet ones keep the hold, and the seventh ends it."""
    _, said = run(frames((LOUD, 50), (SOFT, dip), (LOUD, 200)), replace(CONFIG, drop_bursts=False))
    assert openings(said) == [at]


def test_a_dip_counts_towards_the_hold() -> None:
    """A dip of 40 ms inside, and the gate still opens at 110 ms."""
    _, said = run(frames((LOUD, 30), (SOFT, 40), (LOUD, 200)))
    assert openings(said) == [110]


def test_the_gate_waits_for_a_loud_frame_only_so_long() -> None:
    """Quiet from 90 to 120 ms: the hold is over at 110, the opening waits for sound until 120.

    Later would be too late: with chunks of 20 ms an opening must come within 150 ms.
    """
    _, said = run(frames((LOUD, 90), (SOFT, 30), (LOUD, 50)))
    assert openings(said) == [120]
    assert said[0].held_ms == 120


def test_a_loud_frame_between_the_hold_and_its_end_opens() -> None:
    """Quiet from 90 to 110 ms: the frame that ends at 120 is loud again, and opens."""
    _, said = run(frames((LOUD, 90), (SOFT, 20), (LOUD, 50)))
    assert openings(said) == [120]


def test_zeros_are_a_dip() -> None:
    """90 ms of sound, a muted microphone, one frame of sound later: no hold of ten seconds."""
    _, said = run(frames((LOUD, 90), (0.0, 10_000), (LOUD, 10)))
    assert openings(said) == []


def test_an_open_gate_does_not_open_again() -> None:
    """One opening however long somebody speaks."""
    _, said = run(frames((LOUD, 5_000)))
    assert kinds(said) == ["GateOpened"]


def test_the_gate_is_stricter_while_the_agent_speaks() -> None:
    """0.008 is over three times the floor of 0.002 and under five times it."""
    assert openings(run([0.008] * 11)[1]) == [110]
    assert openings(run([0.008] * 100, context=SPEAKING)[1]) == []


@pytest.mark.parametrize(("ms", "opens"), [(349, False), (350, True)])
def test_the_gate_rests_after_the_agent_began(ms: int, opens: bool) -> None:
    """The first 350 ms of the agent's voice are echo before the canceller has learnt it."""
    _, said = run(fine((LOUD, ms)), FINE, SPEAKING)
    assert bool(openings(said)) is opens


@pytest.mark.parametrize(("ms", "opens"), [(139, False), (140, True)])
def test_the_gate_rests_after_an_opening(ms: int, opens: bool) -> None:
    """Opened at 510 and closed at 720, sound again from 720: 510 + 350 = 860."""
    state, said = run(fine((SOFT, 400), (LOUD, 120), (SOFT, 200)), FINE, SPEAKING)
    assert openings(said) == [510]
    assert not state.open
    _, said = run(fine((LOUD, ms)), FINE, SPEAKING, state)
    assert bool(openings(said)) is opens


def test_the_gate_does_not_rest_while_the_agent_is_silent() -> None:
    """The same sound opens after its hold: 720 + 110."""
    _, said = run(fine((SOFT, 400), (LOUD, 120), (SOFT, 200), (LOUD, 110)), FINE)
    assert openings(said) == [510, 830]


def test_the_rest_ends_when_the_agent_falls_silent() -> None:
    """Refused at 110 ms, opened by the first frame after the agent stopped."""
    state, said = run(frames((LOUD, 200)), context=SPEAKING)
    assert kinds(said) == ["NominationRefused"]
    assert (said[0].at_ms, said[0].rest_ms) == (110, 240)
    _, said = run([LOUD], context=GateContext(), state=state)
    assert openings(said) == [210]


def test_a_refusal_is_said_once_for_each_sound() -> None:
    """Not in every frame of the rest."""
    _, said = run(frames((LOUD, 340)), context=SPEAKING)
    assert kinds(said) == ["NominationRefused"]


def test_settings_change_at_the_next_sound() -> None:
    """A hold under way ends after the 110 ms it began with, the next one takes 50."""
    state, _ = run(frames((LOUD, 60)))
    quick = replace(CONFIG, hold_ms=50)
    state, said = run(frames((LOUD, 50), (SOFT, 300), (LOUD, 100)), quick, state=state)
    assert openings(said) == [110, 460]
    assert said[-1].held_ms == 50


def test_settings_do_not_change_under_an_open_gate() -> None:
    """A stop of 50 ms that arrives in mid-speech waits for the next one."""
    state, _ = run(frames((LOUD, 110)))
    _, said = run(frames((SOFT, 200)), replace(CONFIG, stop_ms=50), state=state)
    assert [(event.at_ms, event.quiet_ms) for event in said] == [(310, 200)]


def test_a_step_changes_nothing_that_it_was_given() -> None:
    """A state is a value: the same state and frame give the same answer again."""
    state = begin(CONFIG)
    first = step(state, LOUD, CONFIG, GateContext())
    assert state == begin(CONFIG)
    assert step(state, LOUD, CONFIG, GateContext()) == first
