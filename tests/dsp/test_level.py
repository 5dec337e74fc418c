"""Levels of frames, whatever the chunks."""

from __future__ import annotations

import numpy as np
import pytest
from support.sound import chunks, noise, pcm

from jev_turn.dsp.level import SAMPLE_RATES, fault, frame_bytes, levels, split


def test_a_square_wave_at_half_scale_has_the_level_one_half() -> None:
    """Levels are the root mean square of samples between -1 and 1."""
    wave = np.tile(np.array([16_384, -16_384], dtype="<i2"), 80).tobytes()
    assert levels(wave, len(wave)) == [0.5]


def test_a_sine_at_full_scale_has_the_level_of_its_root_mean_square() -> None:
    """A full-scale sine has 1 / sqrt(2), here of 100 Hz at 16 kHz over one whole period."""
    wave = pcm(np.sin(2 * np.pi * 100 * np.arange(160) / 16_000))
    assert levels(wave, 320) == pytest.approx([0.70711], abs=1e-4)


def test_only_a_frame_of_zeros_has_the_level_zero() -> None:
    """One sample of one step is sound information, at 1 / 32768 / sqrt(160)."""
    one = bytes(318) + b"\x01\x00"
    assert levels(bytes(320) + one, 320) == [0.0, pytest.approx(2.4126e-6, rel=1e-4)]


@pytest.mark.parametrize("rate", SAMPLE_RATES)
def test_a_frame_is_ten_milliseconds_at_every_rate(rate: int) -> None:
    """80, 160, 240 and 480 samples of two bytes."""
    assert frame_bytes(rate, 10) == rate // 50
    assert len(levels(pcm(noise(100, 0.1, rate)), frame_bytes(rate, 10))) == 10


@pytest.mark.parametrize("ms", [10, 20, 40, 7])
def test_frames_do_not_depend_on_the_chunks(ms: int) -> None:
    """Transports deliver 10, 20 or 40 ms, or something odd; what is over is carried."""
    sound, carry, found = pcm(noise(280, 0.1)), b"", []
    for chunk in chunks(sound, ms):
        more, carry = split(carry, chunk, 320)
        found += more
    assert found == levels(sound, 320)
    assert carry == b""


@pytest.mark.parametrize(
    ("rate", "channels", "size", "reason"),
    [
        (16_000, 1, 320, ""),
        (16_000, 2, 640, "2 channels"),
        (44_100, 1, 882, "44100 Hz"),
        (16_000, 1, 321, "an odd number of bytes"),
    ],
)
def test_what_cannot_be_heard_is_named(rate: int, channels: int, size: int, reason: str) -> None:
    """Mono 16-bit sound at four rates; anything else says what is wrong with it."""
    assert fault(rate, channels, size) == reason
