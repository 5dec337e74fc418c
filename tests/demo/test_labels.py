"""Labels of a clean sound."""

from __future__ import annotations

import numpy as np

from jev_turn.demo.labels import Stretch, stretches
from jev_turn.demo.mixing import RATE, Sound


def tone(*parts: tuple[int, float]) -> Sound:
    """Make a 400 Hz tone of (ms, amplitude 0 to 1) parts."""
    gains = np.concatenate([np.full(ms * RATE // 1000, gain) for ms, gain in parts])
    wave = gains * np.sin(2 * np.pi * 400 * np.arange(len(gains)) / RATE)
    return (wave * 32767).astype(np.int16)


def test_a_pause_of_200_ms_makes_two_stretches() -> None:
    """The gate closes after 200 ms, so a voice after it is a new onset; after 190 ms it is not."""
    assert stretches(tone((50, 0), (300, 0.3), (210, 0), (300, 0.3), (90, 0))) == (
        Stretch(50, 350),
        Stretch(560, 860),
    )
    assert stretches(tone((50, 0), (300, 0.3), (190, 0), (300, 0.3))) == (Stretch(50, 840),)


def test_sound_more_than_20_db_down_is_no_part_of_it() -> None:
    """A breath before a word is not its onset: 0.02 is 23.5 dB under 0.3, 0.04 is 17.5 dB."""
    assert stretches(tone((100, 0.02), (300, 0.3))) == (Stretch(100, 400),)
    assert stretches(tone((100, 0.04), (300, 0.3))) == (Stretch(0, 400),)


def test_silence_has_no_label() -> None:
    """Nothing begins in digital silence, or in no sound at all."""
    assert stretches(tone((500, 0))) == stretches(np.zeros(0, np.int16)) == ()
