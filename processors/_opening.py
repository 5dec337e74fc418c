"""Opens a bot's user turn without interrupting it, for a bot that ends turns in its own way."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    InterimTranscriptionFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_start import ExternalUserTurnStartStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies


class OpenedByWords(ExternalUserTurnStartStrategy):  # type: ignore[no-untyped-call]
    """Opens a turn for any words that arrive, and for sound while the agent is silent.

    Sound has to open it, because an end-of-turn model forgets what it heard before a turn began.
    Over the agent's speech sound may be a nod, so only words that were let through open a turn.
    """

    def __init__(self) -> None:
        super().__init__(enable_interruptions=False)
        self._agent_speaks = False
        self._sound = False

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Open a turn, if this frame is a reason to."""
        match frame:
            case TranscriptionFrame() | InterimTranscriptionFrame():
                return await self._open()
            case BotStartedSpeakingFrame():
                self._agent_speaks = True
            case BotStoppedSpeakingFrame():
                self._agent_speaks = False
            case VADUserStartedSpeakingFrame() | ProposedUserStartedSpeakingFrame():
                self._sound = True
            case VADUserStoppedSpeakingFrame() | ProposedUserStoppedSpeakingFrame():
                self._sound = False
            case _:
                return await super().process_frame(frame)
        if self._sound and not self._agent_speaks:
            return await self._open()
        return ProcessFrameResult.CONTINUE

    async def _open(self) -> ProcessFrameResult:
        await self.trigger_user_turn_started()
        return ProcessFrameResult.STOP


@dataclass
class OwnEnd(UserTurnStrategies):
    """One of our ways to open a turn beside somebody else's ways to end it.

    Pipecat would put defaults in the place of a missing list, and load a model for them.
    """

    def __post_init__(self) -> None:
        self.start = self.start or []
        self.stop = self.stop or []
