"""Noise floor and gate level, by hand-worked numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.sound import CONFIG, FINE, IN_TURN, LOUD, frames, run

from jev_turn.dsp.floor import gate_level, next_floor
from jev_turn.dsp.state import GateContext

LOW, HIGH = 0.0005, 0.004


@pytest.mark.parametrize(
    ("floor", "speaking", "level"),
    [
        (0.0, False, 0.006),
        (0.0019, False, 0.006),  # three times it is 0.0057
        (0.0020, False, 0.006),
        (0.0021, False, 0.0063),
        (0.0011, True, 0.006),  # five times it is 0.0055
        (0.0012, True, 0.006),
        (0.0013, True, 0.0065),
    ],
)
def test_the_gate_is_a_multiple_of_the_floor_and_never_under_the_minimum(
    floor: float, speaking: bool, level: float
) -> None:
    """Three times the floor, five times while the agent speaks, 0.006 at least."""
    assert gate_level(floor, CONFIG, speaking) == pytest.approx(level)


def test_the_floor_goes_half_of_the_way_down_in_each_quieter_frame() -> None:
    """Fast attack: 0.002 falls to 0.0015, 0.00125, 0.001125 over frames of 0.001."""
    state, _ = run([0.001, 0.001, 0.001])
    assert state.floor == pytest.approx(0.001125)


def test_the_floor_rises_by_a_tenth_in_a_second() -> None:
    """100 frames of 10 ms at a thousandth each: 1.001 ** 100 = 1.1051."""
    state, _ = run(frames((HIGH, 1_000)))
    assert state.floor == pytest.approx(0.002 * 1.1051, rel=1e-4)


def test_the_rise_is_one_per_second_whatever_the_frame() -> None:
    """1,000 frames of 1 ms at a tenth of a thousandth each: 1.0001 ** 1000 = 1.1052."""
    state, _ = run(frames((HIGH, 1_000), frame_ms=1), FINE)
    assert state.floor == pytest.approx(0.002 * 1.1052, rel=1e-4)


def test_the_floor_never_rises_over_the_sound() -> None:
    """A step of a thousandth would reach 0.002002; the frame is at 0.002001."""
    assert next_floor(0.002, 0.002001, CONFIG) == 0.002001


def test_the_floor_has_a_lower_end() -> None:
    """A nearly silent line would otherwise make every ratio meaningless."""
    state, _ = run(frames((1e-6, 1_000)))
    assert state.floor == CONFIG.floor_min


def test_the_floor_stands_still_in_an_open_turn() -> None:
    """30 s of loud speech, with words every two seconds, leave it bit-identical."""
    state, _ = run([LOW] * 10, context=IN_TURN)
    before = state.floor
    for word in range(1, 16):
        state, _ = run(frames((LOUD, 2_000)), context=GateContext(False, True, word), state=state)
    assert state.floor == before


def test_the_floor_of_a_gate_alone_stands_still_while_it_is_open() -> None:
    """Nobody says whether a turn is open, so the gate's own state counts."""
    state, _ = run(frames((LOUD, 110)))
    assert state.open
    before = state.floor
    state, _ = run(frames((LOUD, 2_000), (LOW, 190)), state=state)
    assert state.open
    assert state.floor == before


def test_a_closed_turn_frees_the_floor_though_the_gate_is_open() -> None:
    """What the turn machine says counts more than the gate's own state."""
    state, _ = run(frames((LOUD, 110)))
    before = state.floor
    state, _ = run([LOUD], context=GateContext(turn_open=False), state=state)
    assert state.floor > before


@pytest.mark.parametrize(("ms", "thawed"), [(3_999, False), (4_000, True)])
def test_the_floor_thaws_after_four_seconds_of_a_turn_without_words(ms: int, thawed: bool) -> None:
    """Boundary of the thaw."""
    state, _ = run([LOUD] * ms, FINE, IN_TURN)
    assert (state.floor != 0.002) is thawed


def test_new_words_freeze_the_floor_again() -> None:
    """The four seconds count from the latest words."""
    state, _ = run([LOUD] * 3_999, FINE, IN_TURN)
    state, _ = run([LOUD] * 4_000, FINE, GateContext(False, True, 1), state)
    assert state.floor == 0.002


def test_a_loud_room_from_the_start_does_not_hold_the_gate_open_for_ever() -> None:
    """At 0.02 the floor must reach 0.00667: ln(3.33) / ln(1.001) = 12.05 s after the thaw."""
    state, said = run(frames((0.02, 60_000)))
    opened, closed = said
    assert opened.at_ms == 110
    # 100 ms to rise, frozen until 100 + 4000, 11.95 s to rise, 200 ms of quiet
    assert closed.at_ms == pytest.approx(16_250, abs=20)
    assert not state.open


def test_ten_seconds_of_zeros_leave_the_floor_alone() -> None:
    """A muted microphone is no quiet room: its floor would need half a minute to come back."""
    state, _ = run(frames((HIGH, 1_000)))
    after, _ = run(frames((0.0, 10_000)), state=state)
    assert after.floor == state.floor


def test_zeros_that_are_silence_leave_the_floor_alone_too() -> None:
    """The client gates its own microphone; the room behind the gate has not changed."""
    config = replace(CONFIG, zeros_are_silence=True)
    state, _ = run(frames((HIGH, 1_000)), config)
    after, _ = run(frames((0.0, 10_000)), config, state=state)
    assert after.floor == state.floor
