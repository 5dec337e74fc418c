"""Speech synthesis without a key, with the time of every word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from pipecat.frames.frames import Frame
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService
from pipecat.transcriptions.language import Language

from jev_turn.embedded.voice import VOICE_RATE, EmbeddedVoice, Spoken

CHUNK_MS = 100


class Voice(Protocol):
    """Turns text into spoken sentences; called from one thread at a time."""

    def say(self, text: str) -> Iterator[Spoken]:
        """Speak ``text``, a sentence at a time."""
        ...


class EmbeddedTTSService(TTSService):
    """Speaks with the embedded voice, sentence by sentence as the words arrive.

    Place: after the model.

    Consumes: text, as any ``TTSService``.

    Emits: ``TTSAudioRawFrame`` of 100 ms at the pipeline's rate, and per word a
    ``TTSTextFrame`` that leaves the output transport when the word is heard. What the assistant's
    context and the judge know as spoken is therefore what has been spoken, to the word.

    Synthesis runs in a thread of the service's own, one sentence at a time.

    Args:
        voice: What makes the sound; the embedded one when not given.
        **kwargs: As for ``TTSService``.

    Example::

        Pipeline([..., llm, EmbeddedTTSService(), transport.output(), ...])
    """

    language = "en"

    def __init__(self, *, voice: Voice | None = None, **kwargs: Any) -> None:
        super().__init__(
            push_text_frames=False,
            push_start_frame=True,
            push_stop_frames=True,
            settings=TTSSettings(model="hibari", voice="heart", language=Language.EN),
            **kwargs,
        )
        self._voice = voice or EmbeddedVoice()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedded-tts")
        self._context_id = ""
        self._started_s = 0.0
        self._played_s = 0.0

    def can_generate_metrics(self) -> bool:
        """Time to the first sound, processing time and characters are reported."""
        return True

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        """Speak one piece of text.

        Args:
            text: What to say.
            context_id: The audio context of the reply that it belongs to.

        Yields:
            The sound, in chunks.
        """
        await self.start_tts_usage_metrics(text)
        sentences = self._voice.say(text)
        while (spoken := await self._next_sentence(sentences)) is not None:
            begins_s = self._begin(context_id, spoken.duration_ms / 1000)
            await self.add_word_timestamps(
                [(word, begins_s + at_ms / 1000) for word, at_ms in spoken.words], context_id
            )
            async for frame in self._stream_audio_frames_from_iterator(
                _chunks(spoken), in_sample_rate=VOICE_RATE, context_id=context_id
            ):
                yield frame

    async def _next_sentence(self, sentences: Iterator[Spoken]) -> Spoken | None:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, next, sentences, None)

    def _begin(self, context_id: str, duration_s: float) -> float:
        """Tell where in its reply's sound a sentence begins, in seconds from the first one.

        A sentence follows the one before it, or comes later when the model was slower than the
        voice.
        """
        now_s = self.get_clock().get_time() / 1e9
        if context_id != self._context_id:
            self._context_id = context_id
            self._started_s = self._played_s = now_s
        begins_s = max(self._played_s, now_s)
        self._played_s = begins_s + duration_s
        return begins_s - self._started_s


async def _chunks(spoken: Spoken) -> AsyncGenerator[bytes, None]:
    size = VOICE_RATE * CHUNK_MS // 1000
    for start in range(0, len(spoken.samples), size):
        yield spoken.samples[start : start + size].tobytes()
