"""What Whisper is shown of a segment."""

from __future__ import annotations

import numpy as np
import pytest

from jev_turn.embedded.recogniser import RATE
from jev_turn.embedded.whisper import LONGEST_MS, frames_for, padded, pieces


@pytest.mark.parametrize(
    ("sound_ms", "window_ms"),
    [(0, 15_000), (14_500, 15_000), (14_501, 30_000), (30_000, 30_000)],
)
def test_half_the_window_is_used_while_the_sound_fits(sound_ms: int, window_ms: int) -> None:
    """With half a second of silence behind it: the cost follows the window, not the sound."""
    assert frames_for(sound_ms * RATE // 1000) == window_ms // 10


@pytest.mark.parametrize("frames", [1, 3, 5])
def test_features_become_as_long_as_the_window(frames: int) -> None:
    """What is there stays at the beginning; the rest is zero."""
    features = np.ones((80, 3), np.float32)
    shown = padded(features, frames)
    assert shown.shape == (80, frames)
    assert shown[:, :3].all() and not shown[:, 3:].any()


@pytest.mark.parametrize("extra_ms", [0, 1])
def test_sound_is_cut_only_when_it_is_too_long(extra_ms: int) -> None:
    """Thirty seconds are one piece."""
    wave = np.ones((LONGEST_MS + extra_ms) * RATE // 1000, np.float32)
    assert len(list(pieces(wave))) == 1 + extra_ms


def test_long_sound_is_cut_where_it_is_quietest() -> None:
    """A pause at 27 s of 70 s: the first piece ends there, and no sample is lost."""
    wave = np.ones(70 * RATE, np.float32)
    wave[27 * RATE : 27 * RATE + 320] = 0
    parts = list(pieces(wave))
    assert len(parts[0]) == 27 * RATE
    assert max(len(part) for part in parts) <= 30 * RATE
    assert np.array_equal(np.concatenate(parts), wave)
