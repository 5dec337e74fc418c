"""Carries a reply that is begun before the end of its turn through Pipecat's speculation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from pipecat.frames.frames import (
    EagerEndOfTurnCancelFrame,
    EagerTranscriptionFrame,
    Frame,
    LLMContextFrame,
)
from pipecat.pipeline.worker import PipelineWorker
from pipecat.services.llm_service import LLMService
from pipecat.turns.user_stop import EagerMatchPolicy
from pipecat.turns.user_turn_strategies import EagerUserTurnStrategies, ExternalUserTurnStrategies

from jev_turn.processors._pipecat import parts_of
from jev_turn.processors._words import AnyTranscription
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.effects import Commit, Effect, Speculate
from jev_turn.turn.speculation import same_words

_PICKED_UP_WITHIN_S = 1.0
_MARGIN_S = 1.0


@dataclass(slots=True)
class Speculations:
    """What became of the replies that were begun early in one call.

    Attributes:
        begun: Runs of the model before the end of a turn.
        kept: Those that were let out at its end.
    """

    begun: int = 0
    kept: int = 0

    def count(self, effect: Effect) -> None:
        """Take note of an order of the machine's."""
        self.begun += isinstance(effect, Speculate)
        self.kept += isinstance(effect, Commit)


class SameWords(EagerMatchPolicy):
    """Keeps a reply by the machine's own rule of what the same words are."""

    def matches(self, eager: str, final: str) -> bool:
        """Tell whether two texts differ in case, punctuation and the spelling of digits at most."""
        return same_words(eager, final)


class EarlyReply:
    """Begins and withdraws replies; at most one is out at a time.

    A withdrawal is a system frame and would overtake the words that it withdraws, after which the
    model answers them all the same. So it waits until the model has taken them up.

    Args:
        push: Pushes a frame downstream from the processor that decides.
    """

    def __init__(self, push: Callable[[Frame], Awaitable[None]]) -> None:
        self._push = push
        self._models: list[LLMService] = []
        self._out = False
        self._taken = asyncio.Event()

    def attach(self, worker: PipelineWorker) -> bool:
        """Follow the models of the bot; tell whether there is one that can hold a reply."""
        self._models = [part for part in parts_of(worker.pipeline) if isinstance(part, LLMService)]
        for model in self._models:
            model.add_event_handler("on_before_process_frame", self._takes)
        return bool(self._models)

    def detach(self) -> None:
        """Let go of the models."""
        for model in self._models:
            model.remove_event_handler("on_before_process_frame", self._takes)

    def _takes(self, model: LLMService, frame: Frame) -> None:
        if isinstance(frame, LLMContextFrame) and frame.speculation:
            self._taken.set()

    async def begin(self, text: str, like: AnyTranscription | None) -> None:
        """Have the model answer ``text``, words of the same person as ``like``."""
        frame = EagerTranscriptionFrame(
            text=text,
            user_id=like.user_id if like else "",
            timestamp=like.timestamp if like else "",
            language=like.language if like else None,
        )
        frame.interruptible = False
        self._out = True
        self._taken.clear()
        await self._push(frame)

    async def withdraw(self) -> None:
        """Have the model stop and what it said thrown away."""
        if not self._out:
            return
        self._out = False
        # A muted aggregator has dropped the words, and no model will ever take them up.
        with suppress(TimeoutError):
            await asyncio.wait_for(self._taken.wait(), _PICKED_UP_WITHIN_S)
        await self._push(EagerEndOfTurnCancelFrame())

    def settled(self) -> None:
        """Forget a reply that the end of its turn lets out, or that is gone already."""
        self._out = False


def strategies_for(config: TurnConfig) -> ExternalUserTurnStrategies:
    """Return the turn strategies that leave every decision to the turn machine."""
    if not config.speculate:
        return ExternalUserTurnStrategies(enable_interruptions=False)
    return EagerUserTurnStrategies(
        match_policy=SameWords(),
        # The machine ends every turn within its cap; this is for a machine that is gone.
        speculation_timeout=config.holding_cap_ms / 1000 + _MARGIN_S,
        enable_interruptions=False,
    )
