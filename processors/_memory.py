"""Brings a peer's thread into the context, and has its old part summarised beside the call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from loguru import logger
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.services.llm_service import LLMService

from jev_turn.policy import Policy
from jev_turn.replies.store import MemorySummary, ReplyStore
from jev_turn.replies.thread import Budget, message, outgrown, retained, summary_request

CreateTask = Callable[[Coroutine[Any, Any, None], str], "asyncio.Task[Any]"]


class MemoryKeeper:
    """One call's view of its peer's thread.

    The program appends, never the model: every ended turn enters the thread by itself. Words stay
    as they were said; a summary is added beside them.

    Args:
        store: Of the call, with a peer.
        policy: ``memory.*``.
        llm: The bot's own model, which writes summaries; ``None`` never summarises.
        create_task: Runs a coroutine under a name.
        on_failed: Hears the kind of error when no summary could be made.
    """

    def __init__(
        self,
        store: ReplyStore,
        policy: Policy,
        llm: LLMService | None,
        create_task: CreateTask,
        on_failed: Callable[[str], None],
    ) -> None:
        self._store = store
        self._llm = llm
        self._create_task = create_task
        self._on_failed = on_failed
        self._busy = False
        self._budget = Budget(
            int(policy.value("memory.retention_tokens")),
            int(policy.value("memory.retention_blocks_min")),
            int(policy.value("memory.compress_at_tokens")),
        )

    async def opening(self) -> str:
        """Return what the model is told when the call begins; "" for somebody new."""
        memory = await self._store.memory()
        summaries = [summary.text for summary in memory.summaries]
        return message(summaries, retained(memory.blocks, self._budget))

    def turn_ended(self) -> None:
        """Summarise what has become too long, beside the call and one at a time."""
        if self._llm is not None and not self._busy:
            self._busy = True
            self._create_task(self._compress(self._llm), "summarise")

    async def _compress(self, llm: LLMService) -> None:
        try:
            await self._summarised(llm)
        except Exception as error:
            # The blocks are untouched, and the next turn's end tries again.
            logger.warning(f"memory: no summary was made: {type(error).__name__}")
            self._on_failed(type(error).__name__)
        finally:
            self._busy = False

    async def _summarised(self, llm: LLMService) -> None:
        memory = await self._store.memory()
        old = outgrown(memory.blocks, self._budget)
        if not old:
            return
        request = summary_request([summary.text for summary in memory.summaries], old)
        answer = await llm.run_inference(LLMContext([{"role": "user", "content": request}]))
        if not answer or not answer.strip():
            raise ValueError("an empty summary")
        first = memory.summaries[0].from_seq if memory.summaries else old[0].seq
        await self._store.summarise(MemorySummary(first, old[-1].seq, answer.strip()))
