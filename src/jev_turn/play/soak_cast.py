"""Model, voice and mute of a random call: they do what the script says, or fail as it says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from pipecat.frames.frames import (
    ErrorFrame,
    Frame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.turns.user_mute import BaseUserMuteStrategy

from jev_turn.play.cast import CaseModel, CaseVoice

REPLY = "Reply"
"""First word of every reply."""


@dataclass
class Mood:
    """How everybody behaves at this moment of the call.

    Attributes:
        judge: One of ``soak_trouble.JUDGE``.
        judge_ms: The judge's latency at most, ms.
        model: One of ``soak_trouble.MODEL``.
        voice: One of ``soak_trouble.VOICE``.
        muted: The aggregator mutes the user.
        early: Replies that were begun before the end of a turn and are not out yet.
        ran_at: When each reply that answers a turn was begun, or let out if it was begun early, s.
    """

    judge: str = "ideal"
    judge_ms: int = 0
    model: str = "plain"
    voice: str = "plain"
    muted: bool = False
    early: set[int] = field(default_factory=set)
    ran_at: list[float] = field(default_factory=list)


class SoakModel(CaseModel):
    """Replies, at length or with nothing, late, or fails before or in the middle of it.

    Args:
        mood: Says which.
    """

    def __init__(self, mood: Mood) -> None:
        super().__init__(name="SoakModel")
        self._mood = mood
        self._early = False

    @property
    def ran_at(self) -> list[float]:
        """When each reply to a turn was begun, or let out if it was begun early, s."""
        return self._mood.ran_at

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer a context frame; pass everything else on."""
        if isinstance(frame, LLMContextFrame):
            self._early = frame.speculation
            if not self._early:
                self._mood.ran_at.append(asyncio.get_running_loop().time())
        await super().process_frame(frame, direction)

    async def _write(self, text: str) -> None:
        manner, number = self._mood.model, len(self.runs)
        if manner == "error":
            await self.push_error("the model is away")
            return
        if manner == "late":
            await asyncio.sleep(18)
        start = LLMFullResponseStartFrame()
        if self._early:
            self._mood.early.add(start.id)
        await self.push_frame(start)
        try:
            await asyncio.sleep(4.0 if manner == "slow" else 0.2)
            for at, word in enumerate(_reply(manner, number).split()):
                await self.push_frame(LLMTextFrame(f"{word} "))
                await asyncio.sleep(0.02)
                if manner == "breaks" and at == 4:
                    raise RuntimeError("the model broke off")
        finally:
            await self.push_frame(LLMFullResponseEndFrame())


def _reply(manner: str, number: int) -> str:
    if manner == "empty":
        return ""
    length = 35 if manner == "long" else 2 + number % 8
    return f"{REPLY} {number} begins. {' '.join(['blah'] * length)}."


class SoakVoice(CaseVoice):
    """Speaks, slowly, or fails in one of three ways.

    Args:
        mood: Says which.
    """

    def __init__(self, mood: Mood) -> None:
        # Silence is a manner here, and no reason to give the voice up.
        super().__init__(name="SoakVoice", max_consecutive_zero_audio_contexts=0)
        self._mood = mood

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """See an early reply that has been let out."""
        if isinstance(frame, LLMFullResponseStartFrame) and frame.id in self._mood.early:
            self._mood.early.remove(frame.id)
            self._mood.ran_at.append(asyncio.get_running_loop().time())
        await super().process_frame(frame, direction)

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        """Yield the audio of ``text``."""
        match self._mood.voice:
            case "error":
                yield ErrorFrame("the voice is away")
                return
            case "raises":
                raise RuntimeError("the voice broke")
            case "silent":
                return
            case "slow":
                await asyncio.sleep(2.0)
        async for frame in super().run_tts(text, context_id):
            yield frame


class Mute(BaseUserMuteStrategy):
    """Mutes the user when the script says so.

    Args:
        mood: Says so.
    """

    def __init__(self, mood: Mood) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._mood = mood

    async def process_frame(self, frame: Frame) -> bool:
        """Tell whether the user is muted."""
        return self._mood.muted
