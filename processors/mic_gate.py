"""MicGate: silence for the recogniser while the bot can be heard."""

from __future__ import annotations

import asyncio
import copy
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    StartFrame,
    StopFrame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor, FrameProcessorSetup
from pipecat.transports.base_transport import BaseTransport

from jev_turn.policy import Policy, load_policy
from jev_turn.processors._audible import Audible, AudibleTap
from jev_turn.processors._pipecat import watch
from jev_turn.processors._record import Recorder

_ECHO_CANCELLED = ("daily", "heygen", "lemonslice", "livekit", "smallwebrtc", "tavus", "vonage")


class MicGate(FrameProcessor):
    """Mutes the microphone for as long as the bot is audible, and a tail longer.

    The mute is held by audio that really leaves the output transport: each chunk of speech renews
    it for the tail. Nothing else can hold it for long, so whatever ends speech (its last word, an
    interruption, a synthesis that dies, the end of the call) opens the microphone one tail later.

    Place:
        Right behind the transport's input, in front of SnrGate and the recogniser. Not with
        barge-in: who cannot be heard cannot interrupt.

    Consumes:
        Microphone audio while muted. Zeros of equal length take its place, so that recognisers
        keep their connection and detectors their clock.

    Emits:
        ``UserMuteStartedFrame`` and ``UserMuteStoppedFrame`` both ways, always in pairs. On
        opening, the last ``mic.ring_ms`` of what was muted, so that no first word is clipped.

    Example:
        gate = [MicGate()] if wants_mic_gate(transport) else []
        Pipeline([transport.input(), *gate, SnrGate(), stt, ...])

    Args:
        policy: ``mic.*``; the packaged policy and the environment by default.
        record: Where to write the muted time.
        now_ms: The record's clock, for instance ``ReplyList.now_ms``; its own by default, which
            runs from the ``StartFrame``.
        **kwargs: For Pipecat's ``FrameProcessor``.
    """

    def __init__(
        self,
        *,
        policy: Policy | None = None,
        record: Recorder | None = None,
        now_ms: Callable[[], int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        policy = policy or load_policy()
        tail_ms = policy.value("mic.tail_ms")
        self._audible = Audible(tail_ms / 1000, policy.value("mic.start_ms") / 1000)
        # A ring longer than the tail would hold the end of the bot's own words.
        self._ring_ms = min(policy.value("mic.ring_ms"), tail_ms)
        self._record = record
        self._now_ms = now_ms or self._since_start_ms
        self._muted = False
        self._live = False
        self._zero = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._rings: dict[str, deque[InputAudioRawFrame]] = {}
        self._edges: asyncio.Queue[type[Frame]] = asyncio.Queue()
        self._teller: asyncio.Task[None] | None = None

    @property
    def muted(self) -> bool:
        """True while the recogniser is given silence."""
        return self._muted

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        """Listen to what goes into and out of the output transport."""
        await super().setup(setup)
        self._teller = self.create_task(self._tell(), "tell")
        watch(setup.pipeline_worker, AudibleTap(self._audible, self._changed))

    async def cleanup(self) -> None:
        """Release the timer and the task."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        self._live = False
        self._changed()
        if self._teller is not None:
            await self.cancel_task(self._teller)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass everything on, audio as silence while the bot is audible."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame) and direction is FrameDirection.DOWNSTREAM:
            await self._hear(frame)
            return
        if isinstance(frame, StartFrame):
            self._live, self._zero = True, asyncio.get_running_loop().time()
        elif isinstance(frame, EndFrame | CancelFrame | StopFrame):
            self._live = False
            self._changed()
            await self._edges.join()
        await self.push_frame(frame, direction)

    async def _hear(self, frame: InputAudioRawFrame) -> None:
        ring = self._rings.setdefault(getattr(frame, "user_id", ""), deque())
        # Who is told of the mute must be told before the silence, and of its end before sound.
        await self._edges.join()
        if self._muted:
            ring.append(frame)
            while _ms(ring) - _ms([ring[0]]) >= self._ring_ms:
                ring.popleft()
            frame = copy.copy(frame)
            frame.audio = bytes(len(frame.audio))
        while ring and not self._muted:
            await self.push_frame(ring.popleft())
        await self.push_frame(frame)

    def _changed(self) -> None:
        """Mute or open by what is audible, and look again when that ends."""
        self._disarm()
        loop = asyncio.get_running_loop()
        until = self._audible.until if self._live else 0.0
        muted = until > loop.time()
        if muted:
            self._timer = loop.call_at(until, self._changed)
        if muted is not self._muted:
            self._muted = muted
            self._edges.put_nowait(UserMuteStartedFrame if muted else UserMuteStoppedFrame)
            self._write("start" if muted else "stop")

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _tell(self) -> None:
        while True:
            edge = await self._edges.get()
            try:
                await self.broadcast_frame(edge)
            finally:
                self._edges.task_done()

    def _write(self, state: str) -> None:
        if self._record is not None:
            self._record.write("mute", self._now_ms(), state=state)

    def _since_start_ms(self) -> int:
        return int((asyncio.get_running_loop().time() - self._zero) * 1000 + 1e-6)


def wants_mic_gate(transport: BaseTransport) -> bool:
    """Tell whether the bot would hear itself through ``transport``.

    Args:
        transport: The bot's.

    Returns:
        False where echo cancellation is part of the connection: browser WebRTC, Daily, LiveKit and
        what is built on them. True for local audio, and where nobody knows what is at the other
        end, as with websockets and telephone lines.
    """
    known = tuple(f"pipecat.transports.{name}." for name in _ECHO_CANCELLED)
    return not any(kind.__module__.startswith(known) for kind in type(transport).__mro__)


def _ms(frames: Iterable[InputAudioRawFrame]) -> float:
    return sum(1000 * frame.num_frames / frame.sample_rate for frame in frames)
