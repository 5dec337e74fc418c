"""Counts of one call, from its record."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from jev_turn.record.schema import Record
from jev_turn.record.spans import first_ms, last_ms

_TURNS = ("EndTurn", "StartTurn")


@dataclass(frozen=True, slots=True)
class Summary:
    """What happened in a call, counted.

    Attributes:
        name: The call's name; empty when the record has no ``call`` line.
        duration_ms: From the first line to the last.
        opened: Times that the gate opened.
        ends: Turns that were handed to the model, by ``why``.
        effects: Every effect by its name.
        asks: Questions to the judge.
        failed: Those without an answer, by error.
        latency_ms: Median time to an answer; ``None`` without answers.
        tokens: Input and output tokens.
        complete: The record has its ``end`` line.
    """

    name: str
    duration_ms: int
    opened: int
    ends: Counter[str]
    effects: Counter[str]
    asks: int
    failed: Counter[str]
    latency_ms: int | None
    tokens: tuple[int, int]
    complete: bool


def summarise(records: Sequence[Record]) -> Summary:
    """Count what happened in one call.

    Args:
        records: The lines of its record.

    Returns:
        The counts.
    """
    kinds: dict[str, list[Record]] = {}
    for record in records:
        kinds.setdefault(record["kind"], []).append(record)
    effects = kinds.get("effect", [])
    latencies = [r["latency_ms"] for r in kinds.get("verdict", [])]
    tokens = kinds.get("tokens", [])
    return Summary(
        name=next((r["name"] for r in kinds.get("call", [])), ""),
        duration_ms=last_ms(records) - first_ms(records),
        opened=sum(r["state"] == "open" for r in kinds.get("gate", [])),
        ends=Counter(r.get("why", "") for r in effects if r["name"] in _TURNS),
        effects=Counter(r["name"] for r in effects),
        asks=len(kinds.get("ask", [])),
        failed=Counter(r["error"] for r in kinds.get("failed", [])),
        latency_ms=round(statistics.median(latencies)) if latencies else None,
        tokens=(sum(r["input"] for r in tokens), sum(r["output"] for r in tokens)),
        complete="end" in kinds,
    )
