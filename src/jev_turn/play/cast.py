"""A recogniser, a voice and a model that say exactly what a case tells them to, when it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any

import numpy as np
from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    StartFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.llm_service import LLMService
from pipecat.services.settings import LLMSettings, TTSSettings
from pipecat.services.tts_service import TTSService

from jev_turn.play.stage import RATE

WORD_S = 0.3
"""How long the voice takes for one word unless a case says otherwise, s."""


class CaseRecogniser(FrameProcessor):
    """Sends a case's transcripts at their times.

    Args:
        script: (Seconds since the start, text, final), in order.
        user_id: Put into every frame.
    """

    def __init__(self, script: Iterable[tuple[float, str, bool]], user_id: str = "user") -> None:
        super().__init__(name="CaseRecogniser")
        self._script = list(script)
        self._user_id = user_id
        self._reader: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass everything on; begin with the ``StartFrame``."""
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self._reader = self.create_task(self._read(), "read")

    async def cleanup(self) -> None:
        """Stop."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        if self._reader is not None:
            await self.cancel_task(self._reader)

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        for at, text, final in self._script:
            await asyncio.sleep(max(0.0, began + at - loop.time()))
            kind = TranscriptionFrame if final else InterimTranscriptionFrame
            await self.push_frame(kind(text=text, user_id=self._user_id, timestamp=f"{at:.3f}"))


class CaseVoice(TTSService):
    """Hums for as long as each text lasts and reports its words evenly spread over that time.

    Args:
        durations: Seconds by text; other texts take ``WORD_S`` a word.
        latency_s: Time to the first audio of each sentence.
        stops_after_s: Without a further sentence for so long, speech is over.
        **kwargs: For Pipecat's ``TTSService``.
    """

    def __init__(
        self,
        durations: dict[str, float] | None = None,
        latency_s: float = 0.05,
        stops_after_s: float = 0.1,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            push_start_frame=True,
            push_stop_frames=True,
            stop_frame_timeout_s=stops_after_s,
            push_text_frames=False,
            sample_rate=RATE,
            settings=TTSSettings(model=None, voice=None, language=None),
            **kwargs,
        )
        self._durations = durations or {}
        self._latency_s = latency_s
        self._context, self._spoken_s = "", 0.0

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        """Yield the audio of ``text`` and time its words."""
        await asyncio.sleep(self._latency_s)
        words = text.split()
        lasts = self._durations.get(text.strip(), WORD_S * len(words))
        samples = np.arange(int(lasts * RATE))
        hum = (2000 * np.sin(2 * np.pi * 140 * samples / RATE)).astype(np.int16).tobytes()
        yield TTSAudioRawFrame(hum, RATE, 1, context_id=context_id)
        if context_id != self._context:
            self._context, self._spoken_s = context_id, 0.0
        begin, self._spoken_s = self._spoken_s, self._spoken_s + lasts
        times = [(word, begin + lasts * number / len(words)) for number, word in enumerate(words)]
        await self.add_word_timestamps(times, context_id)


class CaseModel(LLMService):
    """Writes a reply for each run, at a model's pace.

    Args:
        reply: Gives the reply's text for a context; "" is an empty reply.
        ttft_s: Time to the first token.
        **kwargs: For Pipecat's ``LLMService``.
    """

    def __init__(
        self,
        reply: Callable[[LLMContext], str] = lambda _: "All right.",
        ttft_s: float = 0.2,
        **kwargs: Any,
    ) -> None:
        super().__init__(settings=_no_settings(), **kwargs)
        self.runs: list[list[Any]] = []
        self._reply = reply
        self._ttft_s = ttft_s

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer a context frame; pass everything else on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            self.runs.append(list(frame.context.messages))
            await self._write(self._reply(frame.context))
        else:
            await self.push_frame(frame, direction)

    async def _write(self, text: str) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            await asyncio.sleep(self._ttft_s)
            for word in text.split():
                await self.push_frame(LLMTextFrame(f"{word} "))
                await asyncio.sleep(0.02)
        finally:
            await self.push_frame(LLMFullResponseEndFrame())


def _no_settings() -> LLMSettings:
    return LLMSettings(
        model="case",
        system_instruction=None,
        temperature=None,
        max_tokens=None,
        top_p=None,
        top_k=None,
        frequency_penalty=None,
        presence_penalty=None,
        seed=None,
        filter_incomplete_user_turns=False,
        user_turn_completion_config=None,
    )
