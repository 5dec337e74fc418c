"""One call: what it has used up, and how it is ended."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

from loguru import logger
from pipecat.frames.frames import (
    EagerEndOfTurnCancelFrame,
    EndFrame,
    InterruptionFrame,
    LLMContextFrame,
    LLMFullResponseStartFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.pipeline.worker import PipelineWorker

from jev_turn.judges.meter import may_ask
from jev_turn.server.config import ServerConfig

current: ContextVar[Call | None] = ContextVar("current", default=None)
"""The call in whose task the code runs."""


class Call:
    """A call that was admitted.

    ``why`` is a single word: ``hung_up``, ``call_minutes``, ``llm_starts``, ``judge_calls``,
    ``drain`` or ``failed``. Bots that keep a call record find it there, in the line ``end``.

    Args:
        number: Counts from 1 in this process.
        kind: How the caller is connected.
        config: What a call may use up.
    """

    def __init__(self, number: int, kind: str, config: ServerConfig) -> None:
        self.number = number
        self.kind = kind
        self.why = "hung_up"
        self.task: asyncio.Task[None] | None = None
        self._config = config
        self._llm_starts = 0
        self._judge_calls = 0
        self._workers: list[PipelineWorker] = []
        self._ending: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._limit = self._loop.call_later(config.call_max_ms / 1000, self.end, "call_minutes")

    @property
    def seconds(self) -> int:
        """Whole seconds since the call was admitted."""
        return int(self._loop.time() - self._began)

    def meter(self) -> None:
        """Count the judge's requests of everything that is made in this context."""
        may_ask.set(self.judge_asked)

    def attach(self, worker: PipelineWorker) -> None:
        """Watch a pipeline of this call, and end it with the call."""
        self._workers.append(worker)
        worker.add_observer(_Starts(self))
        if self._ending is not None:
            self._loop.create_task(worker.queue_frame(EndFrame(reason=self.why)))

    def llm_started(self) -> None:
        """Count a run of the model; the last one that the call may have is spoken to its end."""
        self._llm_starts += 1
        if self._llm_starts >= self._config.llm_starts_max:
            self.end("llm_starts")

    def judge_asked(self) -> bool:
        """Count a request to the judge; ``False`` keeps it back and ends the call."""
        if self._judge_calls >= self._config.judge_calls_max:
            self.end("judge_calls")
            return False
        self._judge_calls += 1
        return True

    def end(self, why: str) -> None:
        """End the call: after what is being said, or soon without it. The first reason counts."""
        if self._ending is None:
            self.why = why
            logger.info(f"call {self.number} is ended: {why}")
            self._ending = self._loop.create_task(self._end())

    def close(self) -> None:
        """Stop the clock."""
        self._limit.cancel()

    async def _end(self) -> None:
        for worker in self._workers:
            await worker.queue_frame(EndFrame(reason=self.why))
        if self._workers and await self._over():
            return
        for worker in self._workers:
            await worker.cancel(reason=self.why)
        if self._workers and await self._over():
            return
        if self.task is not None:
            self.task.cancel()

    async def _over(self) -> bool:
        """Wait for the call's task; tell whether it is done."""
        if self.task is None:
            return True
        await asyncio.wait({self.task}, timeout=self._config.end_ms / 1000)
        return self.task.done()


class _Starts(BaseObserver):
    """Tells a call about each run of its model.

    The model holds the start of a reply that is begun early, and shows it only if the reply is let
    out; one that is thrown away is known by its context and its withdrawal.
    """

    def __init__(self, call: Call) -> None:
        super().__init__(name=f"call {call.number}")
        self._call = call
        self._held = False

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one push of one frame."""
        if not data.first_push:
            return
        frame = data.frame
        if isinstance(frame, LLMFullResponseStartFrame):
            self._held = False
            self._call.llm_started()
        elif isinstance(frame, EagerEndOfTurnCancelFrame | InterruptionFrame):
            self._thrown_away()
        elif isinstance(frame, LLMContextFrame) and frame.speculation:
            self._thrown_away()
            self._held = True

    def _thrown_away(self) -> None:
        if self._held:
            self._held = False
            self._call.llm_started()
