"""A microphone in a room: noise all the time, and sounds that begin when they are told to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from jev_turn.demo.clips import Clip
from jev_turn.demo.labels import Stretch
from jev_turn.demo.mixing import RATE, Placed, Sound, mix, samples
from jev_turn.demo.plan import Step
from jev_turn.demo.sounds import room_noise
from jev_turn.play.stage import CHUNK_MS

ROOM_DB = -55.0
"""Noise of a quiet room at a microphone near the mouth, dBFS."""

_ROOM_MS = 60_000


@cache
def _room(level_db: float, seed: int) -> Sound:
    return mix(0, [Placed(room_noise(_ROOM_MS, seed), 0, level_db)])


@dataclass(frozen=True, slots=True)
class Played:
    """A sound that was played, and where its labels lie in the call.

    Attributes:
        step: What it was, and what must become of it.
        at_ms: Where its first sample stands, ms since the microphone's first.
        stretches: Its parts between pauses, on the same clock.
    """

    step: Step
    at_ms: int
    stretches: tuple[Stretch, ...]

    @property
    def onset_ms(self) -> int:
        """Labelled beginning."""
        return self.stretches[0].onset_ms if self.stretches else self.at_ms

    @property
    def end_ms(self) -> int:
        """Labelled end."""
        return self.stretches[-1].end_ms if self.stretches else self.at_ms


class RoomMicrophone:
    """Chunks for ``play.stage.Microphone``, made one by one while the call goes on.

    Args:
        room_db: Level of the room's noise, dBFS.
        seed: Picks the noise.
        echo: Another sound that it hears: where in it, in samples, and how many to give.
    """

    def __init__(
        self,
        room_db: float = ROOM_DB,
        seed: int = 1,
        echo: Callable[[int, int], Sound] | None = None,
    ) -> None:
        self._echo = echo
        self.played: list[Played] = []
        self._room = _room(room_db, seed)
        self._made = 0
        self._over = False
        self._sounds: deque[tuple[int, Sound]] = deque()

    @property
    def now_ms(self) -> int:
        """How much sound has been made: nothing can begin earlier than this."""
        return self._made * 1000 // RATE

    @property
    def free_ms(self) -> int:
        """When the last sound will have ended, tail included."""
        if not self._sounds:
            return self.now_ms
        start, sound = self._sounds[-1]
        return -(-(start + len(sound)) * 1000 // RATE)

    def play(self, step: Step, clip: Clip, at_ms: int) -> Played:
        """Let a sound begin.

        Args:
            step: What it is.
            clip: Its samples.
            at_ms: When, ms since the microphone's first sample; at once if that is over.

        Raises:
            ValueError: It would lie over another sound, and neither could be told apart.
        """
        at_ms = max(at_ms, self.now_ms)
        if at_ms < self.free_ms:
            raise ValueError(f"{step.sound.title} at {at_ms} ms: busy until {self.free_ms} ms")
        self._sounds.append((samples(at_ms), clip.sound))
        played = Played(step, at_ms, tuple(one.moved(at_ms) for one in clip.stretches))
        self.played.append(played)
        return played

    def hang_up(self) -> None:
        """Give no further chunk."""
        self._over = True

    def __iter__(self) -> RoomMicrophone:
        return self

    def __next__(self) -> bytes:
        """Make the next chunk."""
        if self._over:
            raise StopIteration
        start, count = self._made, samples(CHUNK_MS)
        self._made += count
        total = self._room.take(range(start, start + count), mode="wrap").astype(np.int32)
        if self._echo is not None:
            total += self._echo(start, count)
        for at, sound in self._sounds:
            first, last = max(at, start), min(at + len(sound), start + count)
            if first < last:
                total[first - start : last - start] += sound[first - at : last - at]
        while self._sounds and self._sounds[0][0] + len(self._sounds[0][1]) <= self._made:
            self._sounds.popleft()
        return np.clip(total, -32768, 32767).astype(np.int16).tobytes()
