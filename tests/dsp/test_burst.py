"""The burst rule: three features, all of them or none."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from support.sound import CONFIG, LOUD, SOFT, SPEAKING, frames, kinds, run

from jev_turn.dsp.burst import Burst, is_impulsive, measure

GATE = 0.006
ECHO = [1.0, 0.02, *[SOFT] * 6, 0.02, SOFT, 0.02]
"""A click and its echo: over the gate at 0, 10, 80 and 100 ms, a dip of 60 ms between."""


@pytest.mark.parametrize(("early", "fallen", "gappy"), [*product([True, False], repeat=3)])
def test_only_all_three_features_together_drop(early: bool, fallen: bool, gappy: bool) -> None:
    """Eight rows, each feature at its limit (not under it) or a hundredth under it."""
    burst = Burst(0.34 if early else 0.35, 0.29 if fallen else 0.3, 0.59 if gappy else 0.6)
    assert is_impulsive(burst, CONFIG) is (early and fallen and gappy)


def test_a_click_and_its_echo_by_hand() -> None:
    """Peak first; last third (0.02 + 0.001 + 0.02) / 3 over 1.0; four frames of eleven over."""
    burst = measure(ECHO, GATE)
    assert burst.peak_position == 0.0
    assert burst.decay_ratio == pytest.approx(0.041 / 3)
    assert burst.continuity == pytest.approx(4 / 11)


def test_a_syllable_by_hand() -> None:
    """Peak in the middle, a tail at half of it, every frame over the gate."""
    assert measure([0.02, 0.04, 0.02], GATE) == Burst(0.5, 0.5, 1.0)


def test_of_equal_peaks_the_first_counts() -> None:
    """Two equally loud knocks are an early peak."""
    assert measure([0.5, 0.1, 0.5, 0.1], GATE).peak_position == 0.0


def test_a_window_of_one_frame_has_its_peak_at_the_start() -> None:
    """No division by a length of zero."""
    assert measure([0.5], GATE) == Burst(0.0, 1.0, 1.0)


def test_a_frame_at_the_gate_counts_as_over_it() -> None:
    """Thresholds are inclusive."""
    assert measure([GATE, GATE], GATE).continuity == 1.0


def test_a_click_with_its_echo_is_dropped() -> None:
    """It survives the hold by the grace of the dips, and the burst rule catches it."""
    state, said = run(ECHO)
    assert kinds(said) == ["BurstDropped"]
    assert said[0].at_ms == 110
    assert not state.open


def test_the_burst_rule_can_be_switched_off() -> None:
    """Then the same click and echo open."""
    _, said = run(ECHO, replace(CONFIG, drop_bursts=False))
    assert kinds(said) == ["GateOpened"]


def test_a_single_click_never_lasts_the_hold() -> None:
    """40 ms of sound and quiet after it: no nomination, nothing to drop."""
    _, said = run(frames((1.0, 10), (0.1, 30), (SOFT, 500)))
    assert said == []


def test_a_dropped_burst_needs_a_new_hold() -> None:
    """The same sound does not nominate again in every frame, and a voice that follows opens."""
    state, said = run(ECHO)
    state, said = run(frames((LOUD, 100)), state=state)
    assert said == []
    _, said = run([LOUD], state=state)
    assert kinds(said) == ["GateOpened"]
    assert said[0].held_ms == 110


def test_a_dropped_burst_rests_the_gate_while_the_agent_speaks() -> None:
    """A drop is a nomination: at 460 + 350 ms the voice after it opens, and not before."""
    state, said = run([SOFT] * 35 + ECHO, context=SPEAKING)
    assert kinds(said) == ["BurstDropped"]
    assert said[0].at_ms == 460
    _, said = run(frames((LOUD, 500)), context=SPEAKING, state=state)
    assert kinds(said) == ["NominationRefused", "GateOpened"]
    assert said[1].at_ms == 810
