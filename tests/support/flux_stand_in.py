"""Deepgram Flux without a key: its turn events made of the embedded recogniser's words.

The frames are Pipecat's own: its Flux base class is given Flux's messages. Only when a message comes
is a rule of ours, and simpler than Flux:

* ``StartOfTurn`` with the first words that are recognised while no turn is open, whoever speaks;
* ``Update`` with every further partial;
* ``EndOfTurn`` 0.5 s after the last final, unless sound has begun again; no ``EagerEndOfTurn``, which
  Flux sends only when asked to.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.deepgram.flux.stt_base import DeepgramFluxSTTBase, DeepgramFluxSTTSettings

from jev_turn.embedded.stt import EmbeddedSTTService
from jev_turn.processors.snr_gate import SnrGate

END_AFTER_S = 0.5
_VAD = VADUserStartedSpeakingFrame, VADUserStoppedSpeakingFrame
_DOWN = FrameDirection.DOWNSTREAM


class _Events(DeepgramFluxSTTBase):
    """Turns the embedded recogniser's frames into Flux's messages; its base does the rest."""

    def __init__(self) -> None:
        settings = DeepgramFluxSTTSettings(model="flux-general-en", language=None)
        for name in DeepgramFluxSTTSettings.__dataclass_fields__:
            if name not in ("model", "language", "extra"):
                setattr(settings, name, None)
        super().__init__(settings=settings)
        self._finals: list[str] = []
        self._open = False
        self._ending: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        match frame:
            case VADUserStartedSpeakingFrame() if direction is _DOWN:
                await self._go_on()
            case VADUserStoppedSpeakingFrame() if direction is _DOWN:
                pass
            case InterimTranscriptionFrame() if frame.text:
                await self._words(" ".join([*self._finals, frame.text]))
            case TranscriptionFrame():
                self._finals.append(frame.text)
                await self._words(" ".join(self._finals))
                await self._go_on()
                self._ending = self.create_task(self._end(), "end of turn")
            case InterimTranscriptionFrame():
                pass
            case _:
                await super().process_frame(frame, direction)

    async def _words(self, text: str) -> None:
        event = "Update" if self._open else "StartOfTurn"
        self._open = True
        await self._told(event, text)
        if event == "StartOfTurn":
            await self._told("Update", text)

    async def _end(self) -> None:
        await asyncio.sleep(END_AFTER_S)
        text, self._finals, self._open = " ".join(self._finals), [], False
        self._ending = None
        await self._told("EndOfTurn", text)

    async def _told(self, event: str, text: str) -> None:
        await self._handle_message({"type": "TurnInfo", "event": event, "transcript": text})

    async def _go_on(self) -> None:
        ending, self._ending = self._ending, None
        if ending is not None:
            await self.cancel_task(ending)

    async def cleanup(self) -> None:
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self._go_on()

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        yield None

    async def _transport_send_audio(self, audio: bytes) -> None:
        pass

    async def _transport_send_json(self, message: dict[str, Any]) -> None:
        pass

    def _transport_is_active(self) -> bool:
        return True

    async def _connect(self) -> None:
        pass

    async def _disconnect(self) -> None:
        pass


class _Door(FrameProcessor):
    """Leads the bot's own voice detection past the gate that is hidden inside."""

    def __init__(self, events: _Events) -> None:
        super().__init__()
        self._events = events

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, _VAD) and direction is _DOWN:
            await self._events.push_frame(frame)
        elif not isinstance(frame, _VAD):
            await self.push_frame(frame, direction)


def flux_stand_in(**_: Any) -> Pipeline:
    """Return what takes the place of ``DeepgramFluxSTTService``, whatever it is made with."""
    events = _Events()
    return Pipeline([_Door(events), SnrGate(), EmbeddedSTTService(), events])
