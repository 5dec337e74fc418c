"""Sound through the acoustic gate into the embedded recogniser, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    StartFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner

from jev_turn.demo.mixing import RATE, Placed, Sound, length_ms, mix, resample
from jev_turn.demo.sounds import room_noise
from jev_turn.play import clock

CHUNK_MS = 20
T = TypeVar("T")
F = TypeVar("F", bound=Frame)
Edge = tuple[int, Frame]


class SteadyLoop(clock.VirtualLoop):
    """Virtual time in which each read takes as long as the test says, on any machine."""

    def __init__(self, read_s: float) -> None:
        super().__init__()
        self._read_s = read_s

    def virtual_s(self, took_s: float) -> float:
        """Take the time that the test says."""
        return self._read_s


class Microphone(FrameProcessor):
    """Pushes a track in chunks of 20 ms, and the test's frames at their times."""

    def __init__(self, track: Sound, rate: int, edges: Sequence[Edge]) -> None:
        super().__init__(name="Microphone")
        self._pcm, self._rate, self._edges = resample(track, RATE, rate), rate, list(edges)
        self._task: asyncio.Task[None] | None = None
        self.began = 0.0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self._task = self.create_task(self._feed(), "feed")

    async def _feed(self) -> None:
        loop = asyncio.get_running_loop()
        self.began = loop.time()
        size = self._rate * CHUNK_MS // 1000
        for number in range(len(self._pcm) // size):
            end_ms = (number + 1) * CHUNK_MS
            await asyncio.sleep(max(0.0, self.began + end_ms / 1000 - loop.time()))
            chunk = self._pcm[number * size : (number + 1) * size].tobytes()
            await self.push_frame(InputAudioRawFrame(chunk, self._rate, 1))
            while self._edges and self._edges[0][0] <= end_ms:
                await self.push_frame(self._edges.pop(0)[1])


@dataclass
class Heard:
    """What came out, each frame with its time in ms of the track."""

    frames: list[tuple[int, Frame]] = field(default_factory=list)

    def of(self, kind: type[F]) -> list[tuple[int, F]]:
        """Return the frames of one kind."""
        return [(at, frame) for at, frame in self.frames if isinstance(frame, kind)]

    @property
    def finals(self) -> list[str]:
        """The finals' texts."""
        return [frame.text for _, frame in self.of(TranscriptionFrame)]

    @property
    def interims(self) -> list[str]:
        """The interims' texts."""
        return [frame.text for _, frame in self.of(InterimTranscriptionFrame)]


class Listener(FrameProcessor):
    """Keeps what passes."""

    def __init__(self, heard: Heard, microphone: Microphone) -> None:
        super().__init__(name="Listener")
        self._heard, self._microphone = heard, microphone

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if direction is FrameDirection.DOWNSTREAM and not isinstance(frame, InputAudioRawFrame):
            at = asyncio.get_running_loop().time() - self._microphone.began
            self._heard.frames.append((round(at * 1000), frame))
        await self.push_frame(frame, direction)


def hear(
    track: Sound,
    make: Callable[[], list[FrameProcessor]],
    *,
    rate: int = RATE,
    edges: Sequence[Edge] = (),
    read_ms: int = 60,
) -> Heard:
    """Play a track into processors in virtual time.

    Args:
        track: The sound.
        make: Builds the processors, on the loop that they will run on.
        rate: The microphone's sample rate, Hz.
        edges: Frames (VAD) to push at times of the track, ms.
        read_ms: How long each read takes, virtually.
    """
    with asyncio.Runner(loop_factory=lambda: SteadyLoop(read_ms / 1000)) as runner:
        return runner.run(_hear(track, make, rate, edges))


async def _hear(
    track: Sound, make: Callable[[], list[FrameProcessor]], rate: int, edges: Sequence[Edge]
) -> Heard:
    heard = Heard()
    microphone = Microphone(track, rate, edges)
    pipeline = Pipeline([microphone, *make(), Listener(heard, microphone)])
    params = PipelineParams(audio_in_sample_rate=rate)
    worker = PipelineWorker(
        pipeline,
        params=params,
        clock=clock.LoopClock(),
        idle_timeout_secs=None,
        enable_rtvi=False,
        enable_turn_tracking=False,
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.ensure_future(runner.run())
    await asyncio.sleep(length_ms(track) / 1000 + 1.0)
    await worker.stop_when_done()  # type: ignore[no-untyped-call]
    await running
    return heard


def spoken(from_ms: int, to_ms: int, *, stop_ms: int = 200) -> list[Edge]:
    """Return the gate's frames for sound from ``from_ms`` to ``to_ms``."""
    return [
        (from_ms + 120, VADUserStartedSpeakingFrame(start_secs=0.12)),
        (to_ms + stop_ms, VADUserStoppedSpeakingFrame(stop_secs=stop_ms / 1000)),
    ]


def in_a_room(placed: list[Placed], lasts_ms: int, *, noise_db: float = -60.0) -> Sound:
    """Lay sounds over the noise of a room."""
    ground = mix(lasts_ms, [Placed(room_noise(lasts_ms, seed=7), 0, noise_db)])
    return mix(ground, placed)
