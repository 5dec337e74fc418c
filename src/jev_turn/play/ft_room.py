"""What the microphone of a finish-turn case hears: people, noises, and the loudspeaker's echo."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jev_turn.play.case import Case
from jev_turn.play.ft_time import CallTime
from jev_turn.play.sound import chunks
from jev_turn.play.stage import CHUNK_MS, RATE

ECHO_S = 0.04
"""From the loudspeaker to the microphone, s; longer than a chunk, so that it is always known."""

ECHO_LEVEL = 0.5
"""Of what was played."""

_SAMPLES = RATE * CHUNK_MS // 1000


class Room:
    """Delivers the microphone's chunks, to one process after the other.

    Args:
        case: Whose sounds to make.
        lasts_s: Length of the call, s.
        gate: The gate's level in this room, RMS.
        time: The call's.
    """

    def __init__(self, case: Case, lasts_s: float, gate: float, time: CallTime) -> None:
        self._chunks = list(chunks(case, lasts_s, gate))
        self._time = time
        self._echo = np.zeros((len(self._chunks) + 1) * _SAMPLES) if case.echo else None
        self._places: dict[bytes, int] = {}

    def from_now(self) -> Iterator[bytes]:
        """Yield the chunks from this moment to the end of the call."""
        for number in range(round(self._time.now() * 1000 / CHUNK_MS), len(self._chunks)):
            chunk = self._chunks[number]
            if self._echo is not None:
                echo = self._echo[number * _SAMPLES : (number + 1) * _SAMPLES]
                heard = np.frombuffer(chunk, "<i2") + echo
                chunk = np.clip(heard, -32768, 32767).astype("<i2").tobytes()
            self._places[chunk] = number
            yield chunk

    def played(self, at: float, audio: bytes) -> None:
        """The loudspeaker plays ``audio`` from the loop's time ``at`` on."""
        if self._echo is None:
            return
        samples = np.frombuffer(audio, "<i2")
        first = round((at - self._time.began + ECHO_S) * RATE)
        last = min(first + len(samples), len(self._echo))
        self._echo[first:last] += ECHO_LEVEL * samples[: max(0, last - first)]

    def number(self, audio: bytes) -> int | None:
        """Return which chunk ``audio`` is; ``None`` for silence that took a chunk's place."""
        return self._places.get(audio)
