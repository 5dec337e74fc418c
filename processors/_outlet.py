"""Where a reply leaves: in order, timed words in step with their audio, and announced before."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from pipecat.frames.frames import Frame, TTSAudioRawFrame, TTSStoppedFrame

from jev_turn.processors._host import Order
from jev_turn.processors._lag import Lag
from jev_turn.processors._reply import is_audible


class Outlet:
    """Pushes what may leave.

    Args:
        push: Pushes one frame.
        order: Carries an order out behind all earlier ones.
        clock_ns: The pipeline's clock.
        before: Awaited before the first audio of each turn.
        patience_s: How long for, at most; a reply that was judged is not held for ever.
    """

    def __init__(
        self,
        push: Callable[[Frame], Awaitable[Any]],
        order: Callable[[Order], None],
        clock_ns: Callable[[], int],
        before: Callable[[], Awaitable[None]] | None,
        patience_s: float,
    ) -> None:
        self._push = push
        self._order = order
        self._clock_ns = clock_ns
        self._before = before
        self._patience_s = patience_s
        self._silent = False
        self._leaving: deque[Frame] = deque()
        self._flushing = False
        self._lag = Lag()

    def turn_begins(self) -> None:
        """The next audio is the first of a turn."""
        self._silent = True

    def came(self, frame: Frame) -> None:
        """Take note of when a frame has come in."""
        if isinstance(frame, TTSAudioRawFrame):
            self._lag.arrives(frame.context_id, _lasts_ns(frame), self._clock_ns())

    def let_out(self, frames: Iterable[Frame]) -> None:
        """Push frames as soon as may be, behind those that are on their way."""
        self._leaving.extend(frames)
        if not self._flushing:
            self._flushing = True
            self._order(self._flush)

    async def put(self, frame: Frame, *, of_reply: bool) -> None:
        """Push a frame at once, unless others are on their way or its audio must be announced."""
        if self._flushing or (of_reply and self._silent and is_audible(frame)):
            self.let_out([frame])
        else:
            await self._out(frame)

    def drop(self) -> None:
        """Drop what an interruption drops."""
        self._lag.reset()
        self._leaving = deque(frame for frame in self._leaving if not frame.interruptible)

    async def _flush(self) -> None:
        try:
            if self._silent and any(map(is_audible, self._leaving)):
                self._silent = False
                if self._before is not None:
                    await asyncio.wait_for(self._before(), self._patience_s)
        finally:
            while self._leaving:
                await self._out(self._leaving.popleft())
            self._flushing = False

    async def _out(self, frame: Frame) -> None:
        now, context = self._clock_ns(), getattr(frame, "context_id", None)
        if isinstance(frame, TTSAudioRawFrame):
            self._lag.leaves(context, _lasts_ns(frame), now)
        elif frame.pts:
            frame.pts = max(1, frame.pts + self._lag.of(context, now))
        if isinstance(frame, TTSStoppedFrame):
            self._lag.ends(context)
        await self._push(frame)


def _lasts_ns(frame: TTSAudioRawFrame) -> int:
    return frame.num_frames * 1_000_000_000 // frame.sample_rate
