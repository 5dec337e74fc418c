"""The person of a soaked finish-turn call, and the recogniser that writes down what they say."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InterimTranscriptionFrame,
    StartFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from jev_turn.play.ft_log import Log
from jev_turn.play.ft_talk import Piece, Utterance
from jev_turn.play.soak_cast import Mood
from jev_turn.play.soak_script import HOLD_MS, STOP_MS
from jev_turn.play.soak_source import Poke

SHORTEST_MS = 250
"""Of a sound without words, ms."""


class Person(FrameProcessor):
    """Speaks, from the recogniser's place, and logs each final before handing it over.

    Args:
        utterances: What to say.
        log: Where to.
        mood: Is changed as the utterances say.
        kept: Awaited until the reply list has dealt with all that it was handed.
        muted: Tells whether the microphone is muted: what is said then is not written.
    """

    def __init__(
        self,
        utterances: list[Utterance],
        log: Log,
        mood: Mood,
        kept: Callable[[], Awaitable[None]],
        muted: Callable[[], bool],
    ) -> None:
        super().__init__(name="Person")
        self.aggregator: FrameProcessor = self
        self.finished = asyncio.Event()
        self._utterances = utterances
        self._log = log
        self._mood = mood
        self._kept = kept
        self._muted = muted
        self._finals = 0
        self._speaker: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass everything on; begin with the ``StartFrame``."""
        await super().process_frame(frame, direction)
        if isinstance(frame, EndFrame | CancelFrame):
            await self._stop()
        await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self._speaker = self.create_task(self._speak(), "speak")

    async def cleanup(self) -> None:
        """Stop."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self._stop()

    async def _stop(self) -> None:
        speaker, self._speaker = self._speaker, None
        if speaker is not None:
            await self.cancel_task(speaker)

    async def _speak(self) -> None:
        for utterance in self._utterances:
            await _sleep(utterance.pause_ms)
            self._log.write("speaks", utterance=utterance.number)
            mood = self._mood
            mood.judge, mood.judge_ms = utterance.judge, utterance.judge_ms
            mood.model, mood.voice = utterance.model, utterance.voice
            await self._say(utterance)
        self.finished.set()

    async def _say(self, utterance: Utterance) -> None:
        if utterance.sound:
            await _sleep(HOLD_MS)
            await self.broadcast_frame(VADUserStartedSpeakingFrame, start_secs=HOLD_MS / 1000)
        await _sleep(0 if utterance.pieces else SHORTEST_MS)
        await self._write(utterance.pieces)
        if utterance.sound:
            await _sleep(STOP_MS)
            await self.broadcast_frame(VADUserStoppedSpeakingFrame, stop_secs=STOP_MS / 1000)
        await self._write(utterance.late)
        if utterance.mute_ms:
            await self._mute(utterance.mute_ms)
        if utterance.interrupt is not None:
            await _sleep(utterance.interrupt)
            self._log.write("interrupts")
            await self.broadcast_interruption()  # type: ignore[no-untyped-call]

    async def _write(self, pieces: tuple[Piece, ...]) -> None:
        for piece in pieces:
            await _sleep(piece.wait_ms)
            if self._muted():
                continue
            if piece.final:
                await self._final(piece)
            else:
                await self.push_frame(InterimTranscriptionFrame(piece.text, "person", ""))

    async def _final(self, piece: Piece) -> None:
        result = {"duration_ms": piece.duration_ms} if piece.duration_ms else None
        self._finals += 1
        number = self._finals
        self._log.write("final", final=number, text=piece.text)
        await self.push_frame(TranscriptionFrame(piece.text, "person", "", result=result))
        self.create_task(self._acknowledge(number), f"acknowledge {number}")

    async def _acknowledge(self, number: int) -> None:
        # Virtual time moves on when all that can be done at this moment has been done.
        await _sleep(1)
        await self._kept()
        self._log.write("kept", final=number)

    async def _mute(self, lasts_ms: int) -> None:
        for muted in (True, False):
            self._mood.muted = muted
            await self.aggregator.queue_frame(Poke())
            await _sleep(lasts_ms if muted else 0)


async def _sleep(ms: int) -> None:
    await asyncio.sleep(ms / 1000)
