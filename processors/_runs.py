"""Follows the model's run for a turn: when it ended, with what words, and when they were heard."""

from __future__ import annotations

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    ErrorFrame,
    Frame,
    FunctionCallResultFrame,
    FunctionCallsStartedFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.services.llm_service import LLMService

from jev_turn.processors.frames import ToolsHeldFrame
from jev_turn.replies.events import DROPPED, RunEnded, SpokeFirst

WATCHED = (
    BotStartedSpeakingFrame,
    ErrorFrame,
    FunctionCallResultFrame,
    FunctionCallsStartedFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    ToolsHeldFrame,
)
"""What ``Run.see`` wants to see, each frame once."""


class Run:
    """One turn's run of the model, its follow-ups after tools included.

    Args:
        turn: The turn's number.
    """

    def __init__(self, turn: int) -> None:
        self.turn = turn
        self._writing = False
        self._text = ""
        self._tools: set[str] = set()
        self._error = ""
        self._ended = False
        self._spoke = False

    def see(self, frame: Frame, at: int) -> RunEnded | SpokeFirst | None:
        """Return what ``frame`` means for the turn, if anything.

        Args:
            frame: On its first push; one that was broadcast may come twice.
            at: Now, ms.
        """
        if isinstance(frame, BotStartedSpeakingFrame):
            return self._heard(at)
        if isinstance(frame, InterruptionFrame):
            return self._dropped(at)
        return None if self._ended else self._run(frame, at)

    def _heard(self, at: int) -> SpokeFirst | None:
        if self._spoke or not self._text.strip():
            return None
        self._spoke = True
        return SpokeFirst(at, self.turn)

    def _dropped(self, at: int) -> RunEnded | None:
        """What was written and waits for the voice or the mouth is dropped too."""
        over = self._error == DROPPED or (self._ended and self._spoke)
        self._error = DROPPED
        return None if over else self._end(at)

    def _run(self, frame: Frame, at: int) -> RunEnded | None:
        match frame:
            case LLMFullResponseStartFrame():
                self._writing = True
            case LLMTextFrame() if self._writing:
                self._text += frame.text
            case LLMFullResponseEndFrame() if self._writing:
                self._writing = False
                return None if self._tools else self._end(at)
            case FunctionCallsStartedFrame() | ToolsHeldFrame():
                self._tools |= {call.tool_call_id for call in frame.function_calls}
            case FunctionCallResultFrame():
                return self._result(frame, at)
            case ErrorFrame() if isinstance(frame.processor, LLMService):
                self._error = "model"
                return None if self._writing else self._end(at)
        return None

    def _result(self, frame: FunctionCallResultFrame, at: int) -> RunEnded | None:
        """A tool's result starts another run, unless the tool says that it does not."""
        self._tools.discard(frame.tool_call_id)
        wanted = frame.properties.run_llm if frame.properties else frame.run_llm
        ends = wanted is False and not self._tools and not self._writing
        return self._end(at) if ends else None

    def _end(self, at: int) -> RunEnded:
        self._ended = True
        answer = " ".join(self._text.split())
        return RunEnded(at, self.turn, answer, not self._error, self._error)
