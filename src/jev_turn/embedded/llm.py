"""A language model without a key: scripted answers, streamed like real ones."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from pipecat.frames.frames import (
    Frame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import LLMService
from pipecat.services.settings import LLMSettings

from jev_turn.embedded.script import FALLBACK, RECEPTION, Line, answer, last_said

_WORD = re.compile(r"\S+\s*")


class ScriptedLLMService(LLMService):
    """Answers what was said last, from a table: the same words get the same reply.

    Place: between the user aggregator and the voice.

    Consumes: ``LLMContextFrame``.

    Emits: ``LLMFullResponseStartFrame``, one ``LLMTextFrame`` per word, and
    ``LLMFullResponseEndFrame``. An interruption stops it between two words.

    Args:
        script: The table, first match wins.
        fallback: What it says when nothing matches; it never repeats what it was told.
        ttft_ms: Time to the first word, ms >= 0.
        token_ms: Time between two words, ms >= 0.
        **kwargs: As for ``LLMService``.

    Example::

        Pipeline([..., aggregators.user(), ScriptedLLMService(), EmbeddedTTSService(), ...])
    """

    language = "en"

    def __init__(
        self,
        *,
        script: Sequence[Line] = RECEPTION,
        fallback: str = FALLBACK,
        ttft_ms: int = 250,
        token_ms: int = 20,
        **kwargs: Any,
    ) -> None:
        super().__init__(settings=_settings(), **kwargs)
        self._script = tuple(script)
        self._fallback = fallback
        self._ttft_s = ttft_ms / 1000
        self._token_s = token_ms / 1000

    def can_generate_metrics(self) -> bool:
        """Time to the first word and processing time are reported."""
        return True

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer a context; pass everything else on."""
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        await self.push_frame(LLMFullResponseStartFrame())
        await self.start_processing_metrics()
        try:
            await self._stream(self._reply(frame.context))
        finally:
            await self.stop_processing_metrics()
            await self.push_frame(LLMFullResponseEndFrame())

    async def run_inference(self, context: LLMContext, *args: Any, **kwargs: Any) -> str | None:
        """Answer a context outside of the pipeline, whole and at once."""
        return self._reply(context)

    async def _stream(self, reply: str) -> None:
        await self.start_ttfb_metrics()
        wait_s = self._ttft_s
        for word in _WORD.findall(reply):
            await asyncio.sleep(wait_s)
            await self.stop_ttfb_metrics()
            await self._push_llm_text(word)
            wait_s = self._token_s

    def _reply(self, context: LLMContext) -> str:
        return answer(last_said(context.get_messages()), self._script, self._fallback)


def _settings() -> LLMSettings:
    """Every setting that a real model has, unset: there is nothing to set."""
    return LLMSettings(
        model="scripted",
        system_instruction=None,
        temperature=None,
        max_tokens=None,
        top_p=None,
        top_k=None,
        frequency_penalty=None,
        presence_penalty=None,
        seed=None,
        filter_incomplete_user_turns=False,
        user_turn_completion_config=None,
        use_provider_thinking_default=False,
    )
