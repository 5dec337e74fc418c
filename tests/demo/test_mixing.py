"""Levels, positions and labels of sounds on a track."""

from __future__ import annotations

import numpy as np
import pytest

from jev_turn.demo.mixing import (
    RATE,
    Placed,
    Sound,
    frame_levels_db,
    length_ms,
    level_db,
    mix,
    offset_ms,
    onset_ms,
    resample,
    samples,
    second_voice,
    to_sound,
)


def tone(ms: int, hz: float = 200.0, amplitude: float = 8000.0) -> Sound:
    """Return a sine."""
    time = np.arange(samples(ms)) / RATE
    return (amplitude * np.sin(2 * np.pi * hz * time)).astype(np.int16)


def silence(ms: int) -> Sound:
    """Return digital silence."""
    return np.zeros(samples(ms), np.int16)


def pitch_hz(sound: Sound) -> float:
    """Return the strongest frequency."""
    spectrum = np.abs(np.fft.rfft(sound))
    return float(np.argmax(spectrum)) * RATE / len(sound)


def test_a_sines_level_is_its_rms() -> None:
    """Amplitude 8000 of 32768 is -12.25 dB, and a sine's RMS lies 3.01 dB under its peak."""
    assert level_db(tone(500)) == pytest.approx(-12.25 - 3.01, abs=0.05)


def test_pauses_do_not_change_a_level() -> None:
    """Only the 10 ms frames within 20 dB of the loudest count."""
    broken = np.concatenate([tone(200), silence(600), tone(200)])
    assert level_db(broken) == pytest.approx(level_db(tone(400)), abs=0.1)


def test_silence_has_a_level() -> None:
    """No logarithm of zero, and none of nothing."""
    assert level_db(silence(100)) == -120.0
    assert level_db(silence(0)) == -120.0


def test_a_sound_lies_where_and_as_loud_as_it_was_placed() -> None:
    """500 ms at -30 dB from 1 s on, silence before and after."""
    track = mix(2000, [Placed(tone(500), 1000, -30.0)])
    assert length_ms(track) == 2000
    assert level_db(track) == pytest.approx(-30.0, abs=0.1)
    assert not track[: samples(1000)].any()
    assert not track[samples(1500) :].any()


def test_a_sound_may_reach_past_the_end() -> None:
    """The track grows; its ground does not repeat."""
    track = mix(silence(1000), [Placed(tone(500), 800, -30.0)])
    assert length_ms(track) == 1300


def test_the_ground_keeps_its_level() -> None:
    """Room noise stays what it was made."""
    ground = tone(1000, amplitude=100.0)
    track = mix(ground, [])
    assert np.array_equal(track, ground)


def test_what_is_too_loud_is_clipped() -> None:
    """A sum past 16 bits stays at the edge instead of turning over."""
    loud = tone(100, amplitude=30000.0)
    track = mix(100, [Placed(loud, 0, -3.0), Placed(loud, 0, -3.0)])
    assert track.max() == 32767
    assert track.min() == -32768


@pytest.mark.parametrize("before_ms", [0, 10, 230, 1000])
def test_a_voices_onset_and_end_are_labelled(before_ms: int) -> None:
    """The first and the last 10 ms frame within 20 dB of the voice's level."""
    clean = np.concatenate([silence(before_ms), tone(300), silence(400)])
    assert onset_ms(clean) == before_ms
    assert offset_ms(clean) == before_ms + 300


def test_a_soft_beginning_is_no_onset_until_it_is_within_reach() -> None:
    """25 dB under the voice is before the onset at 20, and part of the voice at 30."""
    clean = np.concatenate([tone(100, amplitude=8000 * 10 ** (-25 / 20)), tone(300)])
    assert onset_ms(clean, within_db=20.0) == 100
    assert onset_ms(clean, within_db=30.0) == 0


def test_silence_has_no_onset() -> None:
    """Nothing begins where nothing is."""
    assert onset_ms(silence(500)) is None
    assert offset_ms(silence(0)) is None


def test_a_second_voice_is_lower_and_slower() -> None:
    """A ratio of 0.8: 250 Hz becomes 200 Hz, one second 1.25 s."""
    other = second_voice(tone(1000, hz=250.0), ratio=0.8)
    assert pitch_hz(other) == pytest.approx(200.0, abs=1.5)
    assert length_ms(other) == pytest.approx(1250, abs=1)


def test_another_rate_keeps_pitch_and_length() -> None:
    """24 kHz to 16 kHz: two thirds of the samples, the same tone."""
    at_24k = (8000 * np.sin(2 * np.pi * 300.0 * np.arange(24000) / 24000)).astype(np.int16)
    sound = resample(at_24k, 24000, RATE)
    assert length_ms(sound) == 1000
    assert pitch_hz(sound) == pytest.approx(300.0, abs=1.0)
    assert resample(sound, RATE, RATE) is sound


def test_a_wave_becomes_sound_at_a_peak() -> None:
    """-6.02 dB is half of full scale; silence stays silent."""
    assert np.abs(to_sound(np.sin(np.arange(1000) / 7), peak_db=-6.02)).max() == pytest.approx(
        16384, abs=10
    )
    assert not to_sound(np.zeros(10)).any()


def test_levels_are_per_whole_frame_of_10_ms() -> None:
    """25 ms are two frames."""
    assert len(frame_levels_db(tone(25))) == 2
