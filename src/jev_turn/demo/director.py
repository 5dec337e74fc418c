"""Plays a conversation's sounds at their cues, some of which are what the bot does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pipecat.frames.frames import BotStartedSpeakingFrame, BotStoppedSpeakingFrame
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameDirection

from jev_turn.demo.clips import Clips
from jev_turn.demo.microphone import Played, RoomMicrophone
from jev_turn.demo.plan import TAKES_THE_FLOOR, Cue, Fate, Step
from jev_turn.play.stage import CHUNK_MS

ANSWER_MAX_S = 20.0
"""How long a caller waits for the bot before going on without it, s: longer than any cap."""

STORY_MAX_S = 90.0
"""How long a caller lets the bot speak, s."""

_GOODBYE_S = {Fate.ANSWERED: 2.0, Fate.QUEUED: 2.0, Fate.STOPS: 2.0, Fate.ANY: 13.0}
"""Quiet before the call ends, s: after an answer, and after words of which nobody knows more."""

_NOTHING_CAME_S = 6.0
"""The same after a sound that must come to nothing: longer than the cap and a model's first word."""

_AHEAD_MS = 2 * CHUNK_MS
"""A sound is placed this long before it begins, so that it need not begin with a chunk."""

_IDLE_S = 0.5


class BotEar(BaseObserver):
    """Hears the bot start and stop, as somebody at the loudspeaker does."""

    def __init__(self) -> None:
        super().__init__(observe_every_push=False)
        self.speaking = False
        self.started_s = float("-inf")
        self.stopped_s = float("-inf")
        self._changed = asyncio.Event()

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one push of one frame."""
        if data.direction is not FrameDirection.DOWNSTREAM:
            return
        now = asyncio.get_running_loop().time()
        if isinstance(data.frame, BotStartedSpeakingFrame):
            self.speaking, self.started_s = True, now
        elif isinstance(data.frame, BotStoppedSpeakingFrame):
            self.speaking, self.stopped_s = False, now
        else:
            return
        self._changed.set()

    async def started(self, since_s: float, limit_s: float = ANSWER_MAX_S) -> float | None:
        """Wait for speech that began at ``since_s`` or later; tell when, or ``None`` in vain."""
        limit = asyncio.get_running_loop().time() + limit_s
        while self.started_s < since_s:
            if not await self._change(limit):
                return None
        return self.started_s

    async def stopped(self) -> float:
        """Wait until the bot does not speak; tell since when."""
        limit = asyncio.get_running_loop().time() + STORY_MAX_S
        while self.speaking and await self._change(limit):
            pass
        return self.stopped_s

    async def _change(self, limit: float) -> bool:
        self._changed.clear()
        try:
            async with asyncio.timeout_at(limit):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True


class Director:
    """Plays steps in order.

    Args:
        microphone: Where the sounds are played.
        ear: Hears the bot.
        on_play: Told of each sound as it begins.
    """

    def __init__(
        self,
        microphone: RoomMicrophone,
        ear: BotEar,
        on_play: Callable[[Played], None] | None = None,
    ) -> None:
        self._microphone, self._ear, self._on_play = microphone, ear, on_play
        self._zero = 0.0
        self._last: Played | None = None
        self._floor_s = float("-inf")

    async def perform(self, steps: Sequence[Step], clips: Clips, zero: float) -> None:
        """Play every step, wait until nothing more is said, and hang up.

        Args:
            steps: What to play.
            clips: The sounds.
            zero: Loop time (s) of the microphone's first sample.
        """
        self._zero = zero
        for step in steps:
            await self._play(step, clips)
        if self._last is not None:
            await self._sleep_until(self._last.end_ms)
            if self._last.step.fate is Fate.QUEUED:
                self._floor_s = await self._ear.stopped()
            if self._last.step.fate in TAKES_THE_FLOOR:
                await self._ear.started(self._floor_s)
        await self._quiet()
        self._microphone.hang_up()

    async def _play(self, step: Step, clips: Clips) -> None:
        at_ms = max(await self._due_ms(step.cue), self._microphone.free_ms)
        await self._sleep_until(at_ms - _AHEAD_MS)
        self._last = self._microphone.play(step, clips[step.sound], at_ms)
        if step.fate in TAKES_THE_FLOOR:
            self._floor_s = self._zero + self._last.onset_ms / 1000
        await self._sleep_until(self._last.onset_ms)
        if self._on_play is not None:
            self._on_play(self._last)
        await self._sleep_until(self._last.end_ms)

    async def _due_ms(self, cue: Cue) -> int:
        loop = asyncio.get_running_loop()
        now_ms = self._ms(loop.time())
        match cue.after:
            case "start":
                return cue.ms
            case "sound":
                return (self._last.end_ms if self._last else 0) + cue.ms
            case _:
                if self._last is not None and self._last.step.fate is Fate.QUEUED:
                    # What the bot says now is still the answer to something else.
                    self._floor_s = max(self._floor_s, await self._ear.stopped())
                began_s = await self._ear.started(self._floor_s)
                if began_s is None:
                    return self._ms(loop.time())
                if cue.after == "bot starts":
                    return max(now_ms, self._ms(began_s) + cue.ms)
                return self._ms(await self._ear.stopped()) + cue.ms

    async def _quiet(self) -> None:
        loop = asyncio.get_running_loop()
        limit = loop.time() + STORY_MAX_S
        last_s = self._zero + (self._last.end_ms / 1000 if self._last else 0.0)
        fate = self._last.step.fate if self._last else Fate.UNHEARD
        quiet_s = _GOODBYE_S.get(fate, _NOTHING_CAME_S)
        while loop.time() < limit:
            since = max(await self._ear.stopped(), last_s)
            if not self._ear.speaking and loop.time() >= since + quiet_s:
                return
            await asyncio.sleep(_IDLE_S)

    async def _sleep_until(self, at_ms: int) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._zero + at_ms / 1000 - loop.time()))

    def _ms(self, at_s: float) -> int:
        return round((at_s - self._zero) * 1000)
