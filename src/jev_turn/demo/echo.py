"""The way from the bot's loudspeaker back to the microphone, without echo cancellation."""

from __future__ import annotations

from collections import deque

import numpy as np

from jev_turn.demo.mixing import RATE, Sound, samples

DELAY_MS = 80
"""Of a loudspeaker's buffer and the way through a room; longer than any chunk."""

GAIN = 0.3
"""A laptop's microphone beside its loudspeaker: the bot is nearly as loud as the caller."""


class Echo:
    """Gives the microphone what the loudspeaker played a moment ago.

    Args:
        gain: Of the samples, 0 to 1.
        delay_ms: How much later the microphone hears them.
    """

    def __init__(self, gain: float = GAIN, delay_ms: int = DELAY_MS) -> None:
        self.zero = 0.0
        """Loop time (s) of the microphone's first sample."""
        self._gain, self._delay = gain, samples(delay_ms)
        self._played: deque[tuple[int, Sound]] = deque()

    def play(self, begins_s: float, audio: bytes) -> None:
        """Take a chunk as it begins to play."""
        at = round((begins_s - self.zero) * RATE) + self._delay
        self._played.append((at, np.frombuffer(audio, np.int16)))

    def __call__(self, start: int, count: int) -> Sound:
        """Return what is to be heard from sample ``start`` on."""
        total = np.zeros(count, np.float64)
        for at, sound in self._played:
            first, last = max(at, start), min(at + len(sound), start + count)
            if first < last:
                total[first - start : last - start] += sound[first - at : last - at]
        while self._played and self._played[0][0] + len(self._played[0][1]) <= start + count:
            self._played.popleft()
        heard: Sound = np.rint(total * self._gain).astype(np.int16)
        return heard
