"""Everyday sounds that are not speech, made from a seed: same seed, same samples.

Each one is 16-bit mono at 16 kHz with its own natural envelope; ``mixing`` sets its level.
"""

from __future__ import annotations

import numpy as np

from jev_turn.demo.mixing import RATE, Sound, Wave, samples, to_sound


def room_noise(ms: int, seed: int = 0) -> Sound:
    """Make the noise of a quiet room: falling spectrum, mains hum, slow drift of about 1 dB."""
    random = np.random.default_rng(seed)
    count = samples(ms)
    time = np.arange(count) / RATE
    air = _shaped(random.standard_normal(count), low_hz=40.0, high_hz=5000.0, tilt=0.6)
    air /= max(float(np.std(air)), 1e-9)
    hum = 0.12 * np.sin(2 * np.pi * 100.0 * time + random.uniform(0, 2 * np.pi))
    drift = 1.0 + 0.1 * np.sin(2 * np.pi * 0.13 * time + random.uniform(0, 2 * np.pi))
    return to_sound((air + hum) * drift, peak_db=-20.0)


def cough(seed: int = 0, pulses: int = 2) -> Sound:
    """Make a cough: per pulse an explosive burst, turbulence, and a short hoarse end."""
    random = np.random.default_rng(seed)
    parts = [_cough_pulse(random, strength=0.8**number) for number in range(pulses)]
    return to_sound(np.concatenate(parts))


def click(seed: int = 0) -> Sound:
    """Make a mouse click: press and, 90 ms later, a weaker release, each about 3 ms."""
    random = np.random.default_rng(seed)
    wave = np.zeros(samples(160))
    for at_ms, gain in ((10, 1.0), (100, 0.6)):
        _add(wave, at_ms, gain * _tick(random, decay_ms=0.8, low_hz=1500.0, high_hz=7500.0))
    return to_sound(wave)


def door_slam(seed: int = 0, tail_ms: int = 500) -> Sound:
    """Make a door slam: a hard impact, the panel's low ring, and the room's tail.

    Args:
        seed: Picks the noise and the panel's pitch.
        tail_ms: Time in which the room's tail falls by 60 dB, ms > 0.
    """
    random = np.random.default_rng(seed)
    time = np.arange(samples(tail_ms + 150)) / RATE
    wave = np.zeros(len(time))
    pitch_hz = random.uniform(70.0, 110.0)
    wave += 0.9 * np.sin(2 * np.pi * pitch_hz * time) * np.exp(-time / 0.06)
    impact = _tick(random, decay_ms=6.0, low_hz=100.0, high_hz=5000.0)
    wave[: len(impact)] += impact
    return to_sound(_in_room(wave, random, tail_ms))


def keyboard(ms: int, seed: int = 0) -> Sound:
    """Make typing: keys 90 to 260 ms apart, each a press and a softer bottoming-out."""
    random = np.random.default_rng(seed)
    wave = np.zeros(samples(ms))
    at_ms = random.uniform(20, 120)
    while at_ms < ms - 60:
        gain = random.uniform(0.4, 1.0)
        _add(wave, at_ms, gain * _tick(random, decay_ms=1.5, low_hz=900.0, high_hz=6000.0))
        _add(
            wave, at_ms + 18, 0.5 * gain * _tick(random, decay_ms=4.0, low_hz=200.0, high_hz=2500.0)
        )
        at_ms += random.uniform(90, 260)
    return to_sound(wave)


def music(ms: int, seed: int = 0) -> Sound:
    """Make background music: four plucked chords round and round over a bass, and a hi-hat."""
    random = np.random.default_rng(seed)
    wave = np.zeros(samples(ms))
    roots_hz = (220.0, 174.6, 261.6, 196.0)
    for beat, at_ms in enumerate(range(0, ms, 300)):
        root_hz = roots_hz[beat // 4 % 4]
        note_hz = root_hz * (1.0, 1.25, 1.5, 2.0)[int(random.integers(4))]
        _add(wave, at_ms, 0.5 * _pluck(note_hz, ms=900))
        _add(wave, at_ms + 150, 0.08 * _tick(random, decay_ms=12.0, low_hz=5000.0, high_hz=7800.0))
        if beat % 4 == 0:
            _add(wave, at_ms, _pluck(root_hz / 2, ms=1200))
    return to_sound(wave, peak_db=-6.0)


def _cough_pulse(random: np.random.Generator, strength: float) -> Wave:
    count = samples(random.uniform(300, 360))
    time = np.arange(count) / RATE
    noise = random.standard_normal(count)
    burst = _shaped(noise, low_hz=300.0, high_hz=4500.0, tilt=0.2) * np.exp(-time / 0.025)
    rasp = _shaped(noise, low_hz=400.0, high_hz=2600.0, tilt=0.4) * np.exp(-time / 0.07)
    attack = np.minimum(time / 0.004, 1.0)
    folds = np.sign(np.sin(2 * np.pi * random.uniform(90, 120) * time)) * np.exp(-time / 0.05)
    return strength * attack * (burst + 0.5 * rasp + 0.03 * folds)


def _tick(random: np.random.Generator, decay_ms: float, low_hz: float, high_hz: float) -> Wave:
    """Make a noise impulse that falls by 1/e in ``decay_ms``, peak about 1."""
    count = samples(decay_ms * 8)
    time_ms = np.arange(count) * 1000 / RATE
    wave = _shaped(random.standard_normal(count), low_hz, high_hz, tilt=0.0)
    wave /= max(float(np.max(np.abs(wave))), 1e-9)
    return np.asarray(wave * np.exp(-time_ms / decay_ms))


def _pluck(pitch_hz: float, ms: int) -> Wave:
    """Make one plucked string: eight harmonics, the higher ones weaker and shorter."""
    time = np.arange(samples(ms)) / RATE
    wave = np.zeros(len(time))
    for harmonic in range(1, 9):
        fall = np.exp(-time * (2.5 + harmonic))
        wave += np.sin(2 * np.pi * pitch_hz * harmonic * time) * fall / harmonic
    return wave * np.minimum(time / 0.005, 1.0)


def _in_room(wave: Wave, random: np.random.Generator, tail_ms: int) -> Wave:
    """Add the reverberation of a room whose tail falls by 60 dB in ``tail_ms``."""
    count = samples(tail_ms)
    time_ms = np.arange(count) * 1000 / RATE
    tail = random.standard_normal(count) * 10 ** (-3 * time_ms / tail_ms)
    tail = _shaped(tail, low_hz=80.0, high_hz=3500.0, tilt=0.5)
    tail *= 0.5 / max(float(np.sqrt(np.sum(np.square(tail)))), 1e-9)
    size = len(wave) + count
    wet = np.fft.irfft(np.fft.rfft(wave, size) * np.fft.rfft(tail, size), size)
    return wave + np.asarray(wet[: len(wave)])


def _shaped(wave: Wave, low_hz: float, high_hz: float, tilt: float) -> Wave:
    """Keep ``low_hz`` to ``high_hz`` and let the amplitude fall as frequency to the ``-tilt``."""
    spectrum = np.fft.rfft(wave)
    hz = np.fft.rfftfreq(len(wave), 1 / RATE)
    gain = np.where((hz >= low_hz) & (hz <= high_hz), np.maximum(hz, 1.0) ** -tilt, 0.0)
    return np.asarray(np.fft.irfft(spectrum * gain, len(wave)))


def _add(wave: Wave, at_ms: float, part: Wave) -> None:
    start = samples(at_ms)
    part = part[: max(len(wave) - start, 0)]
    wave[start : start + len(part)] += part
