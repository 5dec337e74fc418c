"""Speech recognition without a key, with words before the end of the sentence."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from pipecat.audio.resamplers.base_audio_resampler import BaseAudioResampler
from pipecat.audio.utils import create_stream_resampler
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import SegmentedSTTService
from pipecat.transcriptions.language import Language
from pipecat.utils.time import time_now_iso8601

from jev_turn.embedded.choice import RecogniserName, recogniser_for
from jev_turn.embedded.recogniser import RATE, Recogniser
from jev_turn.embedded.segment import GrowingSegment, SpokenSegment

TRAILING_SILENCE_SECS = 0.2
"""Enough for the last word; half a second of it made no word better and every read longer."""
TTFS_P99_SECS = 0.8


class EmbeddedSTTService(SegmentedSTTService):
    """Transcribes each VAD segment, and reads it again and again while it grows.

    Place: after a processor that says ``VADUserStartedSpeakingFrame`` and
    ``VADUserStoppedSpeakingFrame`` (``SnrGate``, or any VAD of Pipecat).

    Consumes: audio at any rate, mono; the two VAD frames. The second before the start belongs
    to the segment, so that no first word is clipped.

    Emits: ``InterimTranscriptionFrame`` from 0.8 s of speech on, at most every 0.3 s, with the
    words on which two consecutive reads agree, never after the segment has closed;
    ``TranscriptionFrame`` (``finalized``, ``result`` a ``SpokenSegment``) when it has. A segment
    in which nobody speaks yields nothing, or an empty interim that takes shown words back.

    Reads run in one thread of the service's own, one at a time. Words are English, and numbers
    come as digits.

    Args:
        recogniser: What turns sound into text: "moonshine", "whisper" or one of your own. When
            not given, see ``choice.recogniser_for``. The service closes it at the end.
        **kwargs: As for ``SegmentedSTTService``; ``sample_rate`` is always 16 kHz, to which
            what comes in is converted.

    Attributes:
        model_name: The recogniser's model, as a call record names it.

    Example::

        Pipeline([transport.input(), SnrGate(), EmbeddedSTTService(), JevJudge(...), ...])
    """

    language = "en"

    def __init__(
        self, *, recogniser: Recogniser | RecogniserName | None = None, **kwargs: Any
    ) -> None:
        kwargs.setdefault("trailing_silence_secs", TRAILING_SILENCE_SECS)
        kwargs.setdefault("ttfs_p99_latency", TTFS_P99_SECS)
        kwargs["sample_rate"] = RATE
        if recogniser is None or isinstance(recogniser, str):
            recogniser = recogniser_for(recogniser)
        self.model_name = str(getattr(recogniser, "name", type(recogniser).__name__))
        settings = STTSettings(model=self.model_name, language=Language.EN)
        super().__init__(settings=settings, **kwargs)
        self._recogniser = recogniser
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedded-stt")
        self._resamplers: dict[int, BaseAudioResampler] = {}
        self._closed: deque[tuple[SpokenSegment, bool]] = deque()
        self._segment: GrowingSegment | None = None
        self._reading: asyncio.Task[None] | None = None
        self._rests_until = 0.0

    @property
    def wants_wav_segments(self) -> bool:
        """Segments arrive as raw 16-bit samples."""
        return False

    def can_generate_metrics(self) -> bool:
        """Processing time, time to the final, and seconds of audio are reported."""
        return True

    async def stop(self, frame: EndFrame) -> None:
        """Transcribe what is queued, then stop."""
        await self._stop_reading()
        await super().stop(frame)

    async def cancel(self, frame: CancelFrame) -> None:
        """Stop at once."""
        await self._stop_reading()
        await super().cancel(frame)

    async def cleanup(self) -> None:
        """Free the model once its last read is over."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self._stop_reading()
        await asyncio.get_running_loop().run_in_executor(self._worker, self._recogniser.close)

    async def process_audio_frame(
        self, frame: InputAudioRawFrame, direction: FrameDirection
    ) -> None:
        """Keep the sound, at 16 kHz, and read the open segment when a read is due."""
        audio = await self._at_model_rate(frame)
        await super().process_audio_frame(replace(frame, audio=audio, sample_rate=RATE), direction)
        if self._segment is not None and self._segment.add(audio):
            self._read_again(self._segment)

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame, None]:
        """Transcribe one closed segment.

        Args:
            audio: 16-bit mono samples at 16 kHz.

        Yields:
            One final ``TranscriptionFrame``. When nobody spoke nothing, or an empty interim where
            words had been shown: they were none.
        """
        segment, shown = self._closed.popleft()
        await self.start_processing_metrics()
        text = await self._read(audio)
        await self.stop_processing_metrics()
        if text:
            yield TranscriptionFrame(
                text, self._user_id, time_now_iso8601(), Language.EN, segment, finalized=True
            )
        elif shown:
            yield InterimTranscriptionFrame(
                "", self._user_id, time_now_iso8601(), Language.EN, segment
            )

    async def _handle_user_started_speaking(self, frame: VADUserStartedSpeakingFrame) -> None:
        await super()._handle_user_started_speaking(frame)
        if self._segment is None:
            self._segment = GrowingSegment(frame.start_secs)

    async def _handle_user_stopped_speaking(self, frame: VADUserStoppedSpeakingFrame) -> None:
        # A second VAD in the pipeline stops what the first one has already stopped; transcribing
        # again would double the words.
        if self._segment is None:
            return
        segment, self._segment = self._segment, None
        if self.is_usable:
            closed = segment.close(frame.stop_secs, len(self._audio_buffer))
            self._closed.append((closed, segment.shown))
        await super()._handle_user_stopped_speaking(frame)

    async def _at_model_rate(self, frame: InputAudioRawFrame) -> bytes:
        if frame.sample_rate == RATE:
            return frame.audio
        # Never cleared: its state follows the samples, not the clock on the wall.
        resampler = self._resamplers.setdefault(
            frame.sample_rate, create_stream_resampler(clear_after_secs=None)
        )
        return await resampler.resample(frame.audio, frame.sample_rate, RATE)

    def _read_again(self, segment: GrowingSegment) -> None:
        is_busy = self._reading is not None and not self._reading.done()
        # A slow machine rests as long as it has read: a final waits for the read under way.
        if not is_busy and asyncio.get_running_loop().time() >= self._rests_until:
            audio = bytes(self._audio_buffer) + self._trailing_silence()
            self._reading = self.create_task(self._show(audio, segment), "embedded_stt_read")

    async def _show(self, audio: bytes, segment: GrowingSegment) -> None:
        """Read the open segment and push the words on which this read and the last agree."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        text = await self._read(audio)
        self._rests_until = 2 * loop.time() - began
        # The stop frame is pushed on before the segment is closed.
        if segment is not self._segment or not self._user_speaking:
            return
        if common := segment.show(text):
            await self.push_frame(
                InterimTranscriptionFrame(common, self._user_id, time_now_iso8601(), Language.EN)
            )

    async def _read(self, audio: bytes) -> str:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, self._recogniser.read, audio)

    async def _stop_reading(self) -> None:
        if self._reading is not None:
            await self.cancel_task(self._reading)
            self._reading = None
