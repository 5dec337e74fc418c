"""The sound of a bench: a room, and somebody in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from jev_turn.play.stage import CHUNK_MS, RATE

_ROOM, _VOICE = 30.0, 3_000.0


def microphone(lasts_ms: int, talks: Callable[[float], bool]) -> Iterator[bytes]:
    """Yield chunks of noise, loud while somebody talks.

    Args:
        lasts_ms: Length, ms; what is left over of the last chunk is left out.
        talks: Whether somebody talks, by the time from the first sample on, s.
    """
    noise = np.random.default_rng(1).normal(0.0, 1.0, (50, RATE * CHUNK_MS // 1000))
    for number in range(lasts_ms // CHUNK_MS):
        level = _VOICE if talks(number * CHUNK_MS / 1000) else _ROOM
        yield (noise[number % 50] * level).astype(np.int16).tobytes()
