"""Sounds that are not speech."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from jev_turn.demo import sounds
from jev_turn.demo.mixing import Sound, frame_levels_db, length_ms, level_db

Make = Callable[[int], Sound]

ALL: dict[str, Make] = {
    "room_noise": lambda seed: sounds.room_noise(700, seed),
    "cough": lambda seed: sounds.cough(seed),
    "click": sounds.click,
    "door_slam": sounds.door_slam,
    "keyboard": lambda seed: sounds.keyboard(700, seed),
    "music": lambda seed: sounds.music(700, seed),
}


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_a_seed_makes_one_sound(make: Make) -> None:
    """The same seed gives the same samples, another seed others."""
    first, again, other = make(1), make(1), make(2)
    assert first.dtype == np.int16
    assert np.array_equal(first, again)
    assert len(first) != len(other) or not np.array_equal(first, other)


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_a_sound_is_audible_and_not_clipped(make: Make) -> None:
    """It has samples of some size and keeps away from the edge."""
    sound = make(3)
    assert level_db(sound) > -45.0
    assert np.abs(sound.astype(int)).max() < 32700


def test_a_click_is_over_before_the_gate_could_open() -> None:
    """Four 10 ms frames at most are within 20 dB of the loudest; the gate needs eleven."""
    levels = frame_levels_db(sounds.click(0))
    assert (levels >= levels.max() - 20).sum() <= 4


def test_a_slam_begins_hard_and_rings_out() -> None:
    """Loudest in its first 60 ms, audible for over 200 ms, 30 dB down at its end."""
    levels = frame_levels_db(sounds.door_slam(0))
    assert levels.argmax() < 6
    assert (levels >= levels.max() - 30).sum() > 20
    assert levels[-1] < levels.max() - 30


def test_a_cough_has_as_many_bursts_as_asked_for() -> None:
    """Two pulses last longer than one, and the second rises again."""
    one, two = sounds.cough(0, pulses=1), sounds.cough(0, pulses=2)
    assert 290 <= length_ms(one) <= 370
    levels = frame_levels_db(two)[length_ms(one) // 10 - 2 :]
    assert levels.max() > levels[0] + 20


@pytest.mark.parametrize("make", [sounds.room_noise, sounds.keyboard, sounds.music])
def test_a_long_sound_is_as_long_as_asked_for(make: Callable[[int, int], Sound]) -> None:
    """The length is given in ms."""
    assert length_ms(make(1230, 0)) == 1230


def test_a_room_is_steady() -> None:
    """Second by second within 3 dB: what moves more would be an event."""
    noise = sounds.room_noise(4000)
    levels = [level_db(part) for part in np.array_split(noise, 4)]
    assert max(levels) - min(levels) < 3.0
