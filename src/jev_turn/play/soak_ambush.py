"""Strikes in the middle of a commit, where chance alone would hardly ever strike."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pipecat.frames.frames import TranscriptionFrame
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameProcessor

Act = Callable[[], Awaitable[None]]

STEPS = 12
"""Rounds of the loop that a commit takes until the model runs, and some more."""


class Ambush(BaseObserver):
    """Does something at the next final that the turn-taker hands over, as an application might.

    Args:
        judge: Whose finals are waited for.

    Attributes:
        armed: What to do; once.
        steps: How many rounds of the loop later: each is another place in the commit.
    """

    def __init__(self, judge: FrameProcessor) -> None:
        super().__init__(observe_every_push=True)
        self.armed: Act | None = None
        self.steps = 0
        self._judge = judge

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one push of one frame."""
        if data.source is self._judge and isinstance(data.frame, TranscriptionFrame):
            act, self.armed = self.armed, None
            if act is not None:
                for _ in range(self.steps):
                    await asyncio.sleep(0)
                await act()
