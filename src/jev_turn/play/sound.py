"""What the microphone of a case delivers: noise whose level follows the words and the noises."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from jev_turn.play.case import Case, Event
from jev_turn.play.stage import CHUNK_MS, RATE

ROOM = 0.0008
"""RMS of the room, of samples in -1 to 1."""

VOICE = 0.05
"""RMS of whoever speaks near the microphone."""

FRAME_MS = 10
_FRAME = RATE * FRAME_MS // 1000


def chunks(case: Case, lasts_s: float, gate: float, seed: int = 1) -> Iterator[bytes]:
    """Yield the microphone's 20 ms chunks.

    Args:
        case: Whose words and noises to follow.
        lasts_s: Length of the call, s.
        gate: The gate's level in this room, RMS; a sound with ``vad: false`` is 6 dB under it.
        seed: Of the noise.
    """
    levels = envelope(case, lasts_s, gate)
    noise = np.random.default_rng(seed)
    per_chunk = CHUNK_MS // FRAME_MS
    for first in range(0, len(levels) - per_chunk + 1, per_chunk):
        level = np.repeat(levels[first : first + per_chunk], _FRAME)
        samples = noise.standard_normal(len(level)) * level
        yield (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


def envelope(case: Case, lasts_s: float, gate: float) -> NDArray[np.float64]:
    """Return the level (RMS) of each 10 ms frame.

    Args:
        case: Whose words and noises to follow.
        lasts_s: Length of the call, s.
        gate: The gate's level in this room, RMS.
    """
    levels = np.full(int(lasts_s * 1000) // FRAME_MS, ROOM)
    for event in case.events:
        if event.who in ("user", "other", "noise"):
            first, last = (round(t * 1000) // FRAME_MS for t in (event.at, event.at + event.dur))
            levels[first:last] = np.hypot(levels[first:last], _level(event, gate))
    return levels


def _level(event: Event, gate: float) -> float:
    return VOICE if event.vad else gate / 2
