"""The quiet clock, the closing, and a microphone that says nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.sound import CONFIG, FINE, LOUD, SOFT, SPEAKING, frames, kinds, run

from jev_turn.dsp.snr import quiet_ms, starve
from jev_turn.dsp.state import GateClosed, GateContext, MicStalled

OPENED, _ = run(frames((LOUD, 200)))
"""Open since 110 ms, last sound at 200 ms."""


def test_the_quiet_clock_runs_while_the_gate_is_open() -> None:
    """It counts from the last frame over the gate."""
    state, _ = run(frames((SOFT, 150)), state=OPENED)
    assert state.open
    assert quiet_ms(state) == 150


def test_the_quiet_clock_runs_on_through_a_turn() -> None:
    """12 s of a thinking pause in an open turn are 12 s of quiet."""
    state, _ = run(frames((SOFT, 12_000)), context=GateContext(turn_open=True), state=OPENED)
    assert quiet_ms(state) == 12_000


def test_the_quiet_clock_is_zero_while_it_is_loud() -> None:
    """Every frame over the gate starts it again, before the hold is over too."""
    state, _ = run(frames((SOFT, 1_000), (LOUD, 10)), state=OPENED)
    assert not state.open
    assert quiet_ms(state) == 0


def test_a_frame_between_the_two_gates_is_quiet_only_while_the_agent_speaks() -> None:
    """0.008 is over the idle gate of 0.006 and under the strict one of 0.01."""
    quiet, _ = run([0.008] * 5, context=SPEAKING)
    assert quiet_ms(quiet) == 50
    loud, _ = run([0.008], context=GateContext(), state=quiet)
    assert quiet_ms(loud) == 0


def test_the_agent_does_not_make_the_quiet_clock_jump() -> None:
    """The clock goes on by one frame whether the gate is at three or at five times the floor."""
    state, seen = OPENED, []
    for turn in range(8):
        state, _ = run([SOFT] * 2, context=GateContext(turn % 2 == 0), state=state)
        seen.append(quiet_ms(state))
    assert seen == [20, 40, 60, 80, 100, 120, 140, 160]


@pytest.mark.parametrize(("ms", "closes"), [(199, False), (200, True)])
def test_the_gate_closes_after_the_hangover(ms: int, closes: bool) -> None:
    """200 ms under the gate; what it reports is the quiet clock at that moment."""
    opened, _ = run([LOUD] * 110, FINE)
    _, said = run([SOFT] * ms, FINE, state=opened)
    assert said == ([GateClosed(310, 200)] if closes else [])


@pytest.mark.parametrize(("ms", "stalls"), [(500, False), (501, True)])
def test_a_run_of_zeros_stalls_the_microphone(ms: int, stalls: bool) -> None:
    """Longer than 500 ms; up to there it may be a lost packet."""
    state, said = run([0.0] * ms, FINE)
    assert said == ([MicStalled(501, True)] if stalls else [])
    assert (quiet_ms(state) is None) is stalls


def test_zeros_do_not_move_the_quiet_clock() -> None:
    """100 ms of quiet, 300 ms of zeros, 50 ms of quiet are 150 ms of quiet."""
    state, said = run(frames((SOFT, 100), (0.0, 300), (SOFT, 50)), state=OPENED)
    assert said == []
    assert quiet_ms(state) == 150


def test_a_stalled_microphone_knows_no_quiet_and_closes_its_gate() -> None:
    """The stall comes first; the quiet that was really heard (90 ms) comes with the closing."""
    state, said = run(frames((SOFT, 90), (0.0, 10_000)), state=OPENED)
    assert said == [MicStalled(800, True), GateClosed(800, 90, stalled=True)]
    assert quiet_ms(state) is None


def test_the_first_sound_after_a_stall_resumes() -> None:
    """The quiet clock goes on from where it stood."""
    state, _ = run(frames((SOFT, 90), (0.0, 10_000)), state=OPENED)
    state, said = run([SOFT], state=state)
    assert said == [MicStalled(10_300, False)]
    assert quiet_ms(state) == 100


def test_frames_that_stop_coming_stall_the_microphone() -> None:
    """The caller's clock says so, since no frame can."""
    state, said = starve(OPENED)
    assert said == (MicStalled(200, True), GateClosed(200, 0, stalled=True))
    assert quiet_ms(state) is None
    assert starve(state) == (state, ())


def test_a_hold_does_not_reach_across_a_gap() -> None:
    """90 ms of sound, no frames, 20 ms of sound: two sounds."""
    state, _ = starve(run(frames((LOUD, 90)))[0])
    state, said = run(frames((LOUD, 20)), state=state)
    assert kinds(said) == ["MicStalled"]
    assert not state.open


def test_zeros_may_be_silence() -> None:
    """A client that gates its own microphone: zeros close the gate and never stall it."""
    config = replace(CONFIG, zeros_are_silence=True)
    state, _ = run(frames((LOUD, 200)), config)
    state, said = run(frames((0.0, 10_000)), config, state=state)
    assert said == [GateClosed(400, 200)]
    assert quiet_ms(state) == 10_000
