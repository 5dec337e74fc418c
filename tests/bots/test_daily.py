"""Daily's real transport, up to the room: nothing is joined here, and no media is exchanged.

What the room would deliver, one track of sound for each participant, is put where Daily's own client
puts it.
"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pipecat.frames.frames import Frame, InputAudioRawFrame, VADUserStartedSpeakingFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.runner.types import DailyRunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.workers.runner import WorkerRunner

from jev_turn.processors.snr_gate import SnrGate
from jev_turn.transports import transport_params

daily = pytest.importorskip("pipecat.transports.daily.transport", reason="needs the extra `daily`")

RATE = 16_000
CHUNK = RATE // 50


class Openings(FrameProcessor):
    """Counts the gate's openings, and the chunks behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.chunks = 0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Count, and pass everything on."""
        await super().process_frame(frame, direction)
        self.count += isinstance(frame, VADUserStartedSpeakingFrame)
        self.chunks += isinstance(frame, InputAudioRawFrame)
        await self.push_frame(frame, direction)

    async def until(self, chunks: int) -> None:
        """Wait until so many chunks have come through."""
        async with asyncio.timeout(60):
            while self.chunks < chunks:  # noqa: ASYNC110 frames tell nobody
                await asyncio.sleep(0.01)


def noise(db: float, seed: int) -> Any:
    """Make a chunk of noise as Daily delivers it."""
    wave = np.random.default_rng(seed).standard_normal(CHUNK) * 10 ** (db / 20) * 32768
    sound = np.clip(wave, -32768, 32767).astype(np.int16).tobytes()
    return SimpleNamespace(audio_frames=sound, sample_rate=RATE, num_channels=1)


async def test_each_participant_has_a_floor_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody in a silent room is heard at a level that is noise in another one's."""

    async def nowhere(client: object) -> None:
        """Stand in for joining and leaving the room."""

    monkeypatch.setattr(daily.DailyTransportClient, "join", nowhere)
    monkeypatch.setattr(daily.DailyTransportClient, "leave", nowhere)
    arguments = DailyRunnerArguments(room_url="https://example.daily.co/room", token=None)
    transport = await create_transport(arguments, transport_params())
    assert isinstance(transport, daily.DailyTransport)
    source: Any = transport.input()
    gate, openings = SnrGate(), Openings()
    heard: dict[str, int] = {}
    worker = PipelineWorker(Pipeline([source, gate, openings]), enable_rtvi=False)

    @worker.event_handler("on_pipeline_started")
    async def talk(worker: PipelineWorker, frame: Frame) -> None:
        for number in range(300):
            await source._on_participant_audio_data("street", noise(-50, number), "microphone")
            await source._on_participant_audio_data("study", noise(-75, number), "microphone")
        for who in ("street", "study"):
            for number in range(25):
                await source._on_participant_audio_data(who, noise(-42, number), "microphone")
            await source._on_participant_audio_data(who, noise(-75, 0), "microphone")
            await openings.until(600 + 26 * (len(heard) + 1))
            heard[who] = openings.count
        await worker.stop_when_done()  # type: ignore[no-untyped-call]

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await runner.run()
    floors = {user: mic.state.floor for user, mic in gate._room.mics.items()}
    assert floors["street"] > 5 * floors["study"]
    assert heard == {"street": 0, "study": 1}
