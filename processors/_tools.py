"""Lets a model's tools wait for the words that they belong to."""

from __future__ import annotations

from collections.abc import Sequence

from loguru import logger
from pipecat.frames.frames import Frame, FunctionCallFromLLM
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import LLMService

from jev_turn.processors._pipecat import LLMContextUserTurnFrame
from jev_turn.processors.frames import ToolsHeldFrame

Calls = Sequence[FunctionCallFromLLM]


class HeldTools:
    """Stands between one model and its tools.

    A turn is named by the id of the ``LLMContextUserTurnFrame`` that announced it, which the model
    and the gate both see; later turns have greater ids. 0 stands for runs before any turn, which
    the application asked for.

    Args:
        llm: The model.
    """

    def __init__(self, llm: LLMService) -> None:
        self._llm = llm
        self._run_calls = llm.run_function_calls
        self._turn = 0
        self._released = 0
        self._dropped = 0
        self._waiting: list[tuple[int, Calls]] = []

    def attach(self) -> None:
        """Begin to hold."""
        self._llm.run_function_calls = self._asked  # type: ignore[method-assign]
        self._llm.add_event_handler("on_before_process_frame", self._seen)

    def detach(self) -> None:
        """Give the model its tools back."""
        self._llm.remove_event_handler("on_before_process_frame", self._seen)
        if vars(self._llm).get("run_function_calls") == self._asked:
            del self._llm.run_function_calls

    def waits(self, turn: int) -> bool:
        """Tell whether tools of a turn wait."""
        return any(number <= turn for number, _ in self._waiting)

    def open(self, turn: int) -> None:
        """Hold no more tools of a turn."""
        self._released = max(self._released, turn)

    async def run(self) -> None:
        """Run the tools that need not wait any longer."""
        ready = [calls for number, calls in self._waiting if number <= self._released]
        self._waiting = [held for held in self._waiting if held[0] > self._released]
        for calls in ready:
            await self._run_calls(calls)

    def drop(self, turn: int | None = None) -> None:
        """Drop what waits, and what a turn may still ask for if one is given."""
        for number, calls in self._waiting:
            if turn is None or number <= turn:
                logger.info(f"{self._llm}: {len(calls)} tools were dropped with their reply")
        self._waiting = [held for held in self._waiting if turn is not None and held[0] > turn]
        self._dropped = max(self._dropped, turn or 0)

    def _seen(self, _: LLMService, frame: Frame) -> None:
        if isinstance(frame, LLMContextUserTurnFrame):
            self._turn = frame.id

    async def _asked(self, function_calls: Calls) -> None:
        """Take the place of ``run_function_calls``."""
        if not function_calls or self._turn <= self._released:
            await self._run_calls(function_calls)
        elif self._turn <= self._dropped:
            logger.info(f"{self._llm}: {len(function_calls)} tools were dropped with their reply")
        else:
            self._waiting.append((self._turn, function_calls))
            held = ToolsHeldFrame(function_calls=function_calls)
            await self._llm.push_frame(held, FrameDirection.UPSTREAM)
