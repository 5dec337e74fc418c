"""The acoustic gate in a Pipecat pipeline: sound in, VAD frames out in about 110 ms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal

from loguru import logger
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    CancelFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    SpeechControlParamsFrame,
    StartFrame,
    StopFrame,
    UserAudioRawFrame,
    UserSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from jev_turn.dsp import snr
from jev_turn.dsp.config import GateConfig
from jev_turn.dsp.level import fault
from jev_turn.dsp.room import Edge, HearingLost, Room, SpeechStarted, SpeechStopped
from jev_turn.policy import load_policy
from jev_turn.processors._speech_check import SpeechCheck
from jev_turn.processors.frames import MicStalledFrame, TurnStateFrame

_ACTIVITY_EVERY_S = 0.2
"""Pipecat's own period of ``UserSpeakingFrame``, which keeps its idle timers awake."""


class SnrGate(FrameProcessor):
    """Opens on sound that stands out of the room, and says so as Pipecat's VAD frames.

    Place: right after the input transport (after ``MicGate``, when there is one), before the
    speech recogniser. It takes the place of a VAD: leave ``vad_analyzer`` unset.

    Consumes: nothing; every frame passes, audio before the VAD frames that it causes. It listens
    to ``InputAudioRawFrame`` (mono, 16 bit, 8, 16, 24 or 48 kHz, one noise floor per
    ``user_id``), ``BotStartedSpeakingFrame``, ``BotStoppedSpeakingFrame`` and ``TurnStateFrame``.

    Emits, both ways: ``VADUserStartedSpeakingFrame`` when the first participant's gate opens
    (``start_secs``: since the first frame over the gate), ``VADUserStoppedSpeakingFrame`` when
    the last one's closes (``stop_secs``: the quiet until then), ``UserSpeakingFrame`` in between,
    ``SpeechControlParamsFrame`` at the start, and ``MicStalledFrame`` when the microphone of
    whoever spoke last gives no sound information (frames stop, or hold only zeros) and when it
    does again. A microphone that stalls closes its gate, after the ``MicStalledFrame``. Sound
    that it cannot read passes unheard, with one ``ErrorFrame`` for each reason.

    Pipecat's recognisers need no pre-roll from here: streaming ones hear all audio anyway, and
    segmented ones keep the second before the opening themselves. ``preroll()`` is for a consumer
    that is given no audio until the gate opens.

    Example::

        Pipeline([transport.input(), SnrGate(), stt, user_aggregator, llm, tts, ...])

    Args:
        config: Settings; the policy's when absent.
        confirm: With ``"silero"``, sound that opened the gate and is not speech (a cough, music) is
            dropped: ``VADUserStoppedSpeakingFrame`` follows after ``confirm_ms``, and the gate opens
            again for speech only, until that sound is over. The opening itself comes as early as
            without. It runs the model that Pipecat bundles, and only while the gate is open.
        recorder: Called with a line of the call record for each decision and, every 50 ms, the
            level. ``age_ms`` is how long ago the line's moment was when it was written.
        **kwargs: For ``FrameProcessor``.

    Raises:
        ValueError: ``confirm`` is something else.
    """

    def __init__(
        self,
        config: GateConfig | None = None,
        *,
        confirm: Literal["silero"] | None = None,
        recorder: Callable[[dict[str, Any]], None] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if confirm not in (None, "silero"):
            raise ValueError(f"SnrGate(confirm={confirm!r}): 'silero' or None")
        self._room = Room(config or load_policy().gate(), recorder)
        self._check = SpeechCheck(self._room) if confirm else None
        self._arrived: dict[str, float] = {}
        self._active = 0.0
        self._complaints: set[str] = set()
        self._watcher: asyncio.Task[None] | None = None
        # The watcher and the input task both report edges; their frames must not interleave.
        self._order = asyncio.Lock()

    def update_settings(self, config: GateConfig) -> None:
        """Use other settings from the next sound on.

        Args:
            config: The settings; ``frame_ms`` must stay as it is.

        Raises:
            ConfigError: ``frame_ms`` differs.
        """
        self._room.update_settings(config)

    def quiet_ms(self, user_id: str = "") -> int | None:
        """Sound heard since the participant's last frame over the gate, ms.

        None when the microphone is stalled or unknown. A transport that names no participant
        has one with an empty ``user_id``.
        """
        mic = self._room.mics.get(user_id)
        return snr.quiet_ms(mic.state) if mic else None

    def preroll(self, user_id: str = "") -> tuple[bytes, int]:
        """Sound of the latest opening: ``preroll_ms`` up to the chunk that opened the gate.

        Mono 16-bit samples and their rate; empty before the first opening.
        """
        mic = self._room.mics.get(user_id)
        return (mic.preroll, mic.sample_rate) if mic else (b"", 0)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass the frame on, and listen to it."""
        await super().process_frame(frame, direction)
        if isinstance(frame, CancelFrame):
            await self._stop_watching()
        await self.push_frame(frame, direction)
        match frame:
            case InputAudioRawFrame():
                await self._hear(frame)
            case BotStartedSpeakingFrame() | BotStoppedSpeakingFrame():
                self._room.tell_agent(isinstance(frame, BotStartedSpeakingFrame))
            case TurnStateFrame():
                self._room.tell_turn(frame.open, frame.words)
            case StartFrame():
                await self._start()
            case EndFrame() | StopFrame():
                await self._stop_watching()

    async def cleanup(self) -> None:
        """Stop the watch over the microphones."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self._stop_watching()

    async def _hear(self, frame: InputAudioRawFrame) -> None:
        reason = fault(frame.sample_rate, frame.num_channels, len(frame.audio))
        if reason:
            await self._complain(reason)
        if reason or not frame.audio:
            return
        user = frame.user_id if isinstance(frame, UserAudioRawFrame) else ""
        async with self._order:
            now = asyncio.get_running_loop().time()
            self._arrived[user] = now
            edges = self._room.hear(user, frame.audio, frame.sample_rate)
            if self._check:
                edges += self._check.hear(user, frame.audio)
            await self._say(edges)
            if self._room.speaking and now - self._active >= _ACTIVITY_EVERY_S:
                self._active = now
                await self.broadcast_frame(UserSpeakingFrame)

    async def _say(self, edges: list[Edge]) -> None:
        for edge in edges:
            match edge:
                case SpeechStarted(held_ms):
                    start_secs = held_ms / 1_000
                    await self.broadcast_frame(VADUserStartedSpeakingFrame, start_secs=start_secs)
                case SpeechStopped(quiet_ms):
                    stop_secs = quiet_ms / 1_000
                    await self.broadcast_frame(VADUserStoppedSpeakingFrame, stop_secs=stop_secs)
                case HearingLost(user, lost):
                    logger.debug(f"{self}: microphone {'stalled' if lost else 'resumed'}")
                    await self.broadcast_frame(MicStalledFrame, stalled=lost, user_id=user)

    async def _complain(self, reason: str) -> None:
        if reason not in self._complaints:
            self._complaints.add(reason)
            await self.push_error(
                f"SnrGate takes mono 16-bit sound at 8, 16, 24 or 48 kHz and got {reason}: "
                "that audio passes, but the gate does not hear it"
            )

    async def _start(self) -> None:
        config = self._room.config
        params = VADParams(start_secs=config.hold_ms / 1_000, stop_secs=config.stop_ms / 1_000)
        await self.broadcast_frame(SpeechControlParamsFrame, vad_params=params)
        if self._watcher is None:
            self._watcher = self.create_task(self._watch(), "stall watch")

    async def _stop_watching(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher:
            await self.cancel_task(watcher)

    async def _watch(self) -> None:
        """Starve each microphone whose frames stop coming, by the loop's clock."""
        loop = asyncio.get_running_loop()
        while True:
            limit = (self._room.config.stall_ms + 1) / 1_000
            mics = self._room.mics.items()
            live = [self._arrived[user] for user, mic in mics if not mic.state.stalled]
            due = min(live, default=loop.time()) + limit
            await asyncio.sleep(max(due - loop.time(), 0.001))
            async with self._order:
                for user, arrived in self._arrived.items():
                    if loop.time() - arrived >= limit:
                        await self._say(self._room.starve(user))
