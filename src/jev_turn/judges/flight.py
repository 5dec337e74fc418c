"""One ask on its way to its end, and how the tokens it cost find back to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from pipecat.metrics.metrics import LLMUsageMetricsData, MetricsData

from jev_turn.judges.answers import Probabilities
from jev_turn.judges.tally import Entry, Stats


@dataclass(slots=True, eq=False)
class Flight:
    """An ask between ``submit`` and its end.

    Attributes:
        ask: Its number.
        bundle: The questions it asks.
        state: What the classifier is shown.
        stats: Its judge's counters.
        sent_at_ms: When it went out, if it did.
        offered_at_ms: When it was submitted.
        timer: Ends the waiting at the deadline.
        tokens: Read and written by the model, once known.
        ended: It has had its end.
    """

    ask: int
    bundle: str
    state: dict[str, Any]
    stats: Stats
    sent_at_ms: int | None = None
    offered_at_ms: int = 0
    timer: asyncio.TimerHandle | None = None
    tokens: tuple[int, int] | None = None
    ended: bool = False

    def entry(self, outcome: Probabilities | str, model: str | None, now_ms: int) -> Entry:
        """Return what its end leaves in the record: an answer, or why there is none."""
        return Entry(
            ask=self.ask,
            bundle=self.bundle,
            model=model,
            latency_ms=None if self.sent_at_ms is None else now_ms - self.sent_at_ms,
            probabilities=None if isinstance(outcome, str) else outcome,
            error=outcome if isinstance(outcome, str) else None,
            tokens=self.tokens,
        )


# A classifier reports metrics from a task of its own, which inherits the request's context; no
# other thread leads from them to the ask when several judges share one classifier.
current: ContextVar[Flight | None] = ContextVar("jev_turn_flight", default=None)


def count_tokens(stats: Stats, data: Sequence[MetricsData]) -> None:
    """Add the tokens in ``data`` to the ask that they are of, if it is one of this judge's."""
    flight = current.get()
    if flight is None or flight.stats is not stats:
        return
    for usage in (item.value for item in data if isinstance(item, LLMUsageMetricsData)):
        flight.tokens = (usage.prompt_tokens, usage.completion_tokens)
        stats.input_tokens += usage.prompt_tokens
        stats.output_tokens += usage.completion_tokens
