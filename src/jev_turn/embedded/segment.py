"""One stretch of speech while it grows: when to read it again, and what of a read to show.

No clock: time is counted in samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jev_turn.embedded.agreement import agreed, is_news
from jev_turn.embedded.recogniser import RATE

FIRST_READ_MS = 800
READ_EVERY_MS = 300
QUIET_MS = 60
QUIET_RATIO = 0.1


@dataclass(frozen=True, slots=True)
class SpokenSegment:
    """What ``TranscriptionFrame.result`` holds.

    Attributes:
        duration_ms: From the first sound to the last, as the VAD frames say, ms.
        audio_ms: Length of the sound that was read, with the pre-roll, ms.
    """

    duration_ms: int
    audio_ms: int


class GrowingSegment:
    """Speech that is still going on.

    Args:
        start_secs: How long somebody had been speaking when the voice detection said so.
    """

    def __init__(self, start_secs: float) -> None:
        self._speech_bytes = _bytes_of(start_secs)
        self._next_read_ms = FIRST_READ_MS
        self._quiet_bytes = 0
        self._loudest = 0.0
        self._last_read = ""
        self._shown = ""

    def add(self, audio: bytes) -> bool:
        """Take in one chunk.

        A read is due 0.8 s after the beginning of speech and then every 0.3 s, but not in a
        pause: a pause is often the end, and the final would have to wait for the read.

        Args:
            audio: 16-bit mono samples at 16 kHz.

        Returns:
            True when the segment should be read.
        """
        self._speech_bytes += len(audio)
        level = _level(audio)
        self._loudest = max(self._loudest, level)
        is_quiet = level < self._loudest * QUIET_RATIO
        self._quiet_bytes = self._quiet_bytes + len(audio) if is_quiet else 0
        now_ms = ms_of(self._speech_bytes)
        if now_ms < self._next_read_ms or ms_of(self._quiet_bytes) >= QUIET_MS:
            return False
        self._next_read_ms = now_ms + READ_EVERY_MS
        return True

    def show(self, text: str) -> str:
        """Take in a read; return the words to show, empty when there is nothing new.

        Args:
            text: All words of the segment, as read just now.
        """
        common = agreed(self._last_read, text)
        self._last_read = text
        if not is_news(self._shown, common):
            return ""
        self._shown = common
        return common

    @property
    def shown(self) -> bool:
        """Words of it have been shown."""
        return bool(self._shown)

    def close(self, stop_secs: float, audio_bytes: int) -> SpokenSegment:
        """End the segment.

        Args:
            stop_secs: How long it had been quiet when the voice detection said so.
            audio_bytes: Size of what will be read.
        """
        spoken = max(self._speech_bytes - _bytes_of(stop_secs), 0)
        return SpokenSegment(duration_ms=ms_of(spoken), audio_ms=ms_of(audio_bytes))


def ms_of(size: int) -> int:
    """Return the length of ``size`` bytes of sound, ms."""
    return size * 1000 // (2 * RATE)


def _bytes_of(secs: float) -> int:
    return round(RATE * secs) * 2


def _level(audio: bytes) -> float:
    samples = np.frombuffer(audio, np.int16).astype(np.float32)
    return float(np.sqrt(np.mean(np.square(samples)))) if len(samples) else 0.0
