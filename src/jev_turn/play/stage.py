"""A transport whose clock is the event loop's, in real or virtual time.

``Microphone`` delivers chunks as a sound card would: one each 20 ms, whatever the pipeline does.
``Speaker`` takes as long to play audio as it lasts and keeps what it played.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from pipecat.frames.frames import InputAudioRawFrame, OutputAudioRawFrame, StartFrame
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams

RATE = 16000
"""Sample rate of everything on stage, Hz."""

CHUNK_MS = 20
CHUNK_BYTES = RATE * CHUNK_MS // 1000 * 2


class Microphone(BaseInputTransport):
    """Delivers 20 ms chunks of 16-bit mono audio at 16 kHz in step with the loop's clock.

    Args:
        params: With audio input enabled.
        chunks: The sound; ``None`` in it is a moment in which the device delivers nothing.
        on_start: Called with the loop's time (s) at which the first chunk begins.
    """

    def __init__(
        self,
        params: TransportParams,
        chunks: Iterator[bytes | None],
        on_start: Callable[[float], None] | None = None,
    ) -> None:
        super().__init__(params)
        self.finished = asyncio.Event()
        self._chunks = chunks
        self._on_start = on_start
        self._feeder: asyncio.Task[None] | None = None

    async def start(self, frame: StartFrame) -> None:
        """Begin to listen."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        if self._feeder is None:
            self._feeder = self.create_task(self._feed(), "feed")

    async def cleanup(self) -> None:
        """Stop listening."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        if self._feeder is not None:
            await self.cancel_task(self._feeder)

    async def _feed(self) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        if self._on_start is not None:
            self._on_start(began)
        for number, chunk in enumerate(self._chunks, 1):
            # A chunk is there when its last sample has been heard.
            await asyncio.sleep(max(0.0, began + number * CHUNK_MS / 1000 - loop.time()))
            if chunk is not None:
                await self.push_audio_frame(
                    InputAudioRawFrame(audio=chunk, sample_rate=RATE, num_channels=1)
                )
        self.finished.set()


class Speaker(BaseOutputTransport):
    """Plays audio at the pace of the loop's clock.

    Args:
        params: With audio output enabled.
        on_audio: Called with the loop's time (s) and the samples as each chunk begins to play.
    """

    def __init__(
        self,
        params: TransportParams,
        on_audio: Callable[[float, bytes], None] | None = None,
    ) -> None:
        super().__init__(params)
        self._on_audio = on_audio
        self._free_at = 0.0

    async def start(self, frame: StartFrame) -> None:
        """Be ready to play."""
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Play one chunk; return once it has been heard."""
        loop = asyncio.get_running_loop()
        begins = max(loop.time(), self._free_at)
        self._free_at = begins + len(frame.audio) / 2 / frame.sample_rate
        if self._on_audio is not None:
            self._on_audio(begins, frame.audio)
        await asyncio.sleep(max(0.0, self._free_at - loop.time()))
        return True


class Stage(BaseTransport):
    """A microphone and a loudspeaker on the loop's clock.

    Args:
        chunks: The microphone's sound.
        on_start: See ``Microphone``.
        on_audio: See ``Speaker``.
        chunk_ms: How much the loudspeaker plays at once, ms.
        **kwargs: For Pipecat's ``BaseTransport``.
    """

    def __init__(
        self,
        chunks: Iterator[bytes | None],
        *,
        on_start: Callable[[float], None] | None = None,
        on_audio: Callable[[float, bytes], None] | None = None,
        chunk_ms: int = CHUNK_MS,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        params = TransportParams(
            audio_in_enabled=True,
            audio_in_sample_rate=RATE,
            audio_out_enabled=True,
            audio_out_sample_rate=RATE,
            audio_out_10ms_chunks=chunk_ms // 10,
            audio_out_end_silence_secs=0,
        )
        self._input = Microphone(params, chunks, on_start)
        self._output = Speaker(params, on_audio)

    def input(self) -> Microphone:
        """Return the microphone."""
        return self._input

    def output(self) -> Speaker:
        """Return the loudspeaker."""
        return self._output
