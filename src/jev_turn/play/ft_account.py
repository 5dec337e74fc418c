"""What came to light of a finish-turn call, beyond what any call shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    ErrorFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
)
from pipecat.observers.base_observer import FramePushed
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.tts_service import TTSService
from pipecat.transports.base_output import BaseOutputTransport

from jev_turn.play.witness import Timed, Witness
from jev_turn.processors.mic_gate import MicGate


@dataclass
class FinishTurnFacts:
    """What a finish-turn call shows besides its ``Account``, in ms since the call's start.

    Attributes:
        cuts: What the reply list took in.
        discards: (When, why, what) it dropped.
        errors: What was reported as an error.
        held_ms: How long each speech waited between the voice and the loudspeaker.
        mutes: (from, to) in which the microphone was muted.
        unheard: Words near the microphone that reached no recogniser.
    """

    cuts: list[Timed] = field(default_factory=list)
    discards: list[tuple[int, str, str]] = field(default_factory=list)
    errors: list[Timed] = field(default_factory=list)
    held_ms: list[int] = field(default_factory=list)
    mutes: list[tuple[int, int | None]] = field(default_factory=list)
    unheard: list[str] = field(default_factory=list)

    def muted_ms(self, ends_ms: int) -> int:
        """Return how long the microphone was muted in a call that ended at ``ends_ms``."""
        return sum((ends_ms if to is None else to) - since for since, to in self.mutes)

    def summary(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "cuts": [{"text": text, "at_ms": at} for at, text in self.cuts],
            "discards": [
                {"kind": why, "text": text, "at_ms": at} for at, why, text in self.discards
            ],
            "errors": [{"error": error, "at_ms": at} for at, error in self.errors],
            "held_ms": self.held_ms,
            "muted_ms": self.mutes,
            "unheard": " ".join(self.unheard),
        }

    def __str__(self) -> str:
        why = Counter(why for _, why, _ in self.discards)
        dropped = ", ".join(f"{name} {number}" for name, number in why.items()) or "nothing"
        parts = [f"cuts {len(self.cuts)}", f"dropped {dropped}"]
        if self.mutes:
            parts.append(f"muted {len(self.mutes)} times")
        if self.errors:
            parts.append(f"errors {len(self.errors)}")
        return "; ".join(parts)

    def read(self, records: list[dict[str, Any]]) -> None:
        """Take the cuts and what was dropped from the call record."""
        for line in (line for line in records if line["kind"] == "effect"):
            if line["name"] == "KeepCut":
                self.cuts.append((line["t"], line["text"]))
            elif line["name"] == "Discard":
                self.discards.append((line["t"], line["why"], line["text"]))


class FinishTurnWitness(Witness):
    """Sees one process's part of a call; ``gone`` when that process is.

    Args:
        recogniser: Whose transcripts count.
        zero: Loop time (s) of the call's start.
        facts: Is filled.
        on_word: Called with each of the agent's words that leaves the loudspeaker.
    """

    def __init__(
        self,
        recogniser: FrameProcessor,
        zero: float | None,
        facts: FinishTurnFacts,
        on_word: Callable[[str], None],
    ) -> None:
        super().__init__(recogniser, zero)
        self.gone = False
        self._facts = facts
        self._on_word = on_word
        self._made_at: int | None = None

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one push of one frame."""
        if self.gone:
            return
        await super().on_push_frame(data)
        down = data.direction is FrameDirection.DOWNSTREAM
        if isinstance(data.frame, TTSTextFrame):
            if down and isinstance(data.source, BaseOutputTransport):
                self._on_word(data.frame.text)
        elif data.first_push:
            self._see_more(data, down=down)

    def _see_more(self, data: FramePushed, *, down: bool) -> None:
        facts, now = self._facts, self._now()
        match data.frame:
            case ErrorFrame():
                facts.errors.append((now, data.frame.error))
            case TTSAudioRawFrame() if isinstance(data.source, TTSService):
                self._made_at = now if self._made_at is None else self._made_at
            case BotStartedSpeakingFrame() if down and self._made_at is not None:
                facts.held_ms.append(now - self._made_at)
                self._made_at = None
            case UserMuteStartedFrame() if down and isinstance(data.source, MicGate):
                facts.mutes.append((now, None))
            case UserMuteStoppedFrame() if down and isinstance(data.source, MicGate):
                facts.mutes[-1] = (facts.mutes[-1][0], now)
