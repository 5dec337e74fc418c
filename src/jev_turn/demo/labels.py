"""Labels of a sound, taken from it alone before a call: where it begins, pauses and ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jev_turn.demo.mixing import FRAME_MS, Sound, frame_levels_db, level_db

WITHIN_DB = 20.0
"""A frame belongs to the sound when it is at most this far below the sound's level."""

PAUSE_MS = 200
"""A shorter gap is part of the word; the gate closes after as much quiet."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a sound without a pause, ms."""

    onset_ms: int
    end_ms: int

    def moved(self, by_ms: int) -> Stretch:
        """Return the same stretch elsewhere."""
        return Stretch(self.onset_ms + by_ms, self.end_ms + by_ms)


def stretches(clean: Sound) -> tuple[Stretch, ...]:
    """Label a sound that was recorded without noise.

    Args:
        clean: The sound alone.

    Returns:
        Its parts between pauses of ``PAUSE_MS`` and more, in ms from the first sample; none for
        digital silence.
    """
    loud = np.flatnonzero(frame_levels_db(clean) >= level_db(clean) - WITHIN_DB)
    if not len(clean) or not np.any(clean) or not len(loud):
        return ()
    gaps = np.flatnonzero(np.diff(loud) > PAUSE_MS // FRAME_MS)
    firsts = [0, *(gaps + 1)]
    lasts = [*gaps, len(loud) - 1]
    return tuple(
        Stretch(int(loud[first]) * FRAME_MS, (int(loud[last]) + 1) * FRAME_MS)
        for first, last in zip(firsts, lasts, strict=True)
    )
