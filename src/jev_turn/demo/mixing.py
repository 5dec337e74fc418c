"""Puts sounds on one track: levels, positions, rates, and the label of a voice's onset.

Sound is 16-bit mono at 16 kHz (``RATE``) in numpy arrays everywhere in ``demo``. A level is the
RMS of a sound's loud part in dBFS: of its 10 ms frames within 20 dB of the loudest one. Pauses
inside an utterance and the tail of a slam therefore do not change it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import soxr

Sound = npt.NDArray[np.int16]
Wave = npt.NDArray[np.float64]

RATE = 16000
FRAME_MS = 10
LOUD_PART_DB = 20.0
SILENCE_DB = -120.0

_FULL_SCALE = 32768.0
_FRAME = RATE * FRAME_MS // 1000


@dataclass(frozen=True, slots=True)
class Placed:
    """One sound on a track.

    Attributes:
        sound: The sound, at any level.
        at_ms: Where its first sample goes, ms >= 0.
        level_db: Its level on the track, dBFS.
    """

    sound: Sound
    at_ms: int
    level_db: float


def samples(ms: float) -> int:
    """Return the number of samples in ``ms``."""
    return round(RATE * ms / 1000)


def length_ms(sound: Sound) -> int:
    """Return the length of ``sound`` in whole ms."""
    return len(sound) * 1000 // RATE


def to_sound(wave: Wave, peak_db: float = -3.0) -> Sound:
    """Scale a wave so that its highest sample is at ``peak_db``, as 16-bit sound."""
    highest = float(np.max(np.abs(wave), initial=0.0))
    if highest == 0.0:
        return np.zeros(len(wave), np.int16)
    gain = 10 ** (peak_db / 20) / highest
    return _clip(wave * gain * _FULL_SCALE)


def frame_levels_db(sound: Sound) -> Wave:
    """Return the RMS of every whole 10 ms frame, dBFS, never below -120."""
    frames = sound[: len(sound) // _FRAME * _FRAME].astype(np.float64).reshape(-1, _FRAME)
    rms = np.sqrt(np.mean(np.square(frames / _FULL_SCALE), axis=1))
    levels: Wave = 20 * np.log10(np.maximum(rms, 10 ** (SILENCE_DB / 20)))
    return levels


def level_db(sound: Sound) -> float:
    """Return the level of ``sound`` (see the module) in dBFS; -120 for silence."""
    levels = frame_levels_db(sound)
    if not len(levels):
        return SILENCE_DB
    loud = levels[levels >= levels.max() - LOUD_PART_DB]
    return float(10 * np.log10(np.mean(10 ** (loud / 10))))


def mix(track: Sound | int, placed: Iterable[Placed]) -> Sound:
    """Lay sounds over a track.

    Args:
        track: The ground to lay them on, at its own level (room noise, say), or a length in ms
            of digital silence.
        placed: The sounds; one that reaches past the end makes the track longer (by silence).

    Returns:
        The sum, clipped to 16 bits.
    """
    ground = np.zeros(samples(track), np.int16) if isinstance(track, int) else track
    laid = list(placed)
    end = max([len(ground), *(samples(one.at_ms) + len(one.sound) for one in laid)])
    total = np.zeros(end)
    total[: len(ground)] += ground
    for one in laid:
        gain = 10 ** ((one.level_db - level_db(one.sound)) / 20)
        start = samples(one.at_ms)
        total[start : start + len(one.sound)] += one.sound * gain
    return _clip(total)


def onset_ms(clean: Sound, within_db: float = 20.0) -> int | None:
    """Label the onset of a voice recorded without noise.

    Args:
        clean: The voice alone.
        within_db: How far below the voice's level the first frame may be.

    Returns:
        The start of the first 10 ms frame that is at least that loud, ms; None for silence.
    """
    return _edge_ms(clean, within_db, first=True)


def offset_ms(clean: Sound, within_db: float = 20.0) -> int | None:
    """Label the end of a voice recorded without noise: the end of the last frame as loud."""
    return _edge_ms(clean, within_db, first=False)


def resample(sound: Sound, from_rate: int, to_rate: int) -> Sound:
    """Change the sample rate, pitch and tempo kept."""
    if from_rate == to_rate:
        return sound
    converted: Sound = soxr.resample(sound, from_rate, to_rate)
    return converted


def second_voice(sound: Sound, ratio: float = 0.8) -> Sound:
    """Make another speaker out of a voice: pitch and formants times ``ratio``, slower by it.

    Args:
        sound: A voice at ``RATE``.
        ratio: Under 1 a larger speaker (0.8: a man from the embedded woman's voice), over 1 a
            smaller one.
    """
    return resample(sound, round(RATE * ratio), RATE)


def _edge_ms(clean: Sound, within_db: float, *, first: bool) -> int | None:
    levels = frame_levels_db(clean)
    level = level_db(clean)
    loud = np.flatnonzero(levels >= level - within_db)
    if level <= SILENCE_DB or not len(loud):
        return None
    return int(loud[0]) * FRAME_MS if first else (int(loud[-1]) + 1) * FRAME_MS


def _clip(wave: Wave) -> Sound:
    clipped: Sound = np.clip(np.rint(wave), -32768, 32767).astype(np.int16)
    return clipped
