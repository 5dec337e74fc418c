"""What a judge did in this call, in numbers and without a word of what was said."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from jev_turn.errors import Superseded
from jev_turn.judges.answers import Probabilities


@dataclass(slots=True)
class Stats:
    """Counters of one judge: an ask that has ended is an answer, a failure or superseded.

    Attributes:
        asks: Asks submitted.
        answers: Asks that were answered.
        failures: Asks that ended without one, by kind.
        superseded: Asks that a newer one replaced before they were sent.
        late: Answers and errors that came after their ask had ended.
        input_tokens: Tokens read by the model, those of late answers included.
        output_tokens: Tokens written by the model.
        latencies_ms: From sending to the verdict, one per answer.
        waits_ms: From submitting to sending, one per ask that was sent.
    """

    asks: int = 0
    answers: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    superseded: int = 0
    late: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    latencies_ms: list[int] = field(default_factory=list)
    waits_ms: list[int] = field(default_factory=list)

    def ended(self, entry: Entry) -> None:
        """Count one ask's end."""
        if entry.error == Superseded.kind:
            self.superseded += 1
        elif entry.error is not None:
            self.failures[entry.error] += 1
        else:
            self.answers += 1
            self.latencies_ms.append(entry.latency_ms or 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One ended ask, for the call record.

    Attributes:
        ask: Its number.
        bundle: The questions asked.
        model: What answers.
        latency_ms: From sending to its end; ``None`` for one that was never sent.
        probabilities: The answer by question, if there is one.
        error: Why there is none, as ``JudgeError.kind``.
        tokens: Read and written by the model, if it said so.
    """

    ask: int
    bundle: str
    model: str | None
    latency_ms: int | None
    probabilities: Probabilities | None
    error: str | None
    tokens: tuple[int, int] | None

    def as_dict(self) -> dict[str, Any]:
        """Return it as the record holds it."""
        read, written = self.tokens or (None, None)
        return {
            "ask": self.ask,
            "bundle": self.bundle,
            "model": self.model,
            "latency_ms": self.latency_ms,
            "probabilities": self.probabilities,
            "error": self.error,
            "input_tokens": read,
            "output_tokens": written,
        }
