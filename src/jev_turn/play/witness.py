"""Sees a call from outside the processors: what was recognised, committed, spoken, interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    LLMFullResponseStartFrame,
    TranscriptionFrame,
    TTSTextFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.transports.base_output import BaseOutputTransport

from jev_turn.processors._pipecat import LLMContextUserTurnFrame, UserBackchannelFrame
from jev_turn.record.oracle import Final, Oracle, words_lost

Timed = tuple[int, str]
"""When (ms since the call's start), and the words."""


@dataclass
class Account:
    """What came to light, in ms since the call's start.

    Attributes:
        onsets: Openings of the gate in front of the recogniser.
        quiets: Its closings.
        finals: What the recogniser wrote, by segment, interims included.
        turns: User messages as they were written to the context.
        runs: Starts of the language model.
        spoken: The agent's words as they left the output transport.
        bot: (start, stop) of the agent's speech; an open one has no stop.
        interrupts: Interruptions.
        backchannels: Nods.
    """

    onsets: list[int] = field(default_factory=list)
    quiets: list[int] = field(default_factory=list)
    finals: list[Final] = field(default_factory=list)
    turns: list[Timed] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)
    spoken: list[Timed] = field(default_factory=list)
    bot: list[tuple[int, int | None]] = field(default_factory=list)
    interrupts: list[int] = field(default_factory=list)
    backchannels: list[Timed] = field(default_factory=list)

    def oracle(self, discards: Sequence[str], pending: Sequence[str]) -> Oracle:
        """Account for every word.

        Args:
            discards: Texts that were dropped with a trace, from the call record.
            pending: Texts of a turn still open.
        """
        return words_lost(
            self.finals,
            [text for _, text in self.turns],
            discards,
            [text for _, text in self.backchannels],
            pending,
        )


class Witness(BaseObserver):
    """Fills an account from the frames' first pushes.

    Args:
        recogniser: Whose transcripts count; those that a turn-taker makes do not.
        zero: Loop time (s) of the call's start; the first frame's time if ``None``.
    """

    def __init__(self, recogniser: FrameProcessor, zero: float | None = None) -> None:
        super().__init__(observe_every_push=True)
        self.account = Account()
        self._recogniser = recogniser
        self._zero = zero
        self._interims: list[str] = []

    def start(self, zero: float) -> None:
        """Take ``zero``, a time of the loop in seconds, as the call's start."""
        self._zero = zero

    def finish(self) -> Account:
        """Count the interims that no final followed and return the account."""
        if self._interims:
            self._segment_closed(self._interims[-1])
        return self.account

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one push of one frame."""
        down = data.direction is FrameDirection.DOWNSTREAM
        if isinstance(data.frame, TTSTextFrame):
            if down and isinstance(data.source, BaseOutputTransport):
                self.account.spoken.append((self._now(), data.frame.text))
        elif data.first_push and down:
            self._see(data.frame, data.source)

    def _see(self, frame: Frame, source: FrameProcessor) -> None:
        account, now = self.account, self._now()
        match frame:
            case InterimTranscriptionFrame() if source is self._recogniser:
                self._interims.append(frame.text)
            case TranscriptionFrame() if source is self._recogniser:
                self._segment_closed(frame.text)
            case LLMContextUserTurnFrame():
                account.turns.append((now, frame.text))
            case LLMFullResponseStartFrame():
                account.runs.append(now)
            case InterruptionFrame():
                account.interrupts.append(now)
            case UserBackchannelFrame():
                account.backchannels.append((now, frame.text))
            case VADUserStartedSpeakingFrame():
                account.onsets.append(now)
            case VADUserStoppedSpeakingFrame():
                account.quiets.append(now)
            case BotStartedSpeakingFrame():
                account.bot.append((now, None))
            case BotStoppedSpeakingFrame() if account.bot:
                account.bot[-1] = (account.bot[-1][0], now)

    def _segment_closed(self, text: str) -> None:
        self.account.finals.append(Final(text, self._now(), tuple(self._interims)))
        self._interims = []

    def _now(self) -> int:
        now = asyncio.get_running_loop().time()
        if self._zero is None:
            self._zero = now
        return round((now - self._zero) * 1000)
