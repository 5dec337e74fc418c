"""Stretches of time in a call record: gate open, turn open, bot speaking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from jev_turn.record.schema import Record


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch.

    Attributes:
        start_ms: When it began.
        end_ms: When it ended, or the last moment of the record.
        state: What it was.
    """

    start_ms: int
    end_ms: int
    state: str


_States = Mapping[str | None, str | None]
_GATE: _States = {"open": "open", "close": None, "stall": "stalled", "resume": None}
_BOT: _States = {"start": "speaking", "thinking": "thinking", "stop": None}
_TURN: _States = {
    "OpenTurn": "open",
    "EndTurn": None,
    "Backchannel": None,
    "Discard": None,
    "Retract": None,
    "ended_elsewhere": None,
}


def gate_spans(records: Sequence[Record]) -> list[Span]:
    """Return when the gate was open, and when the microphone was stalled."""
    return edge_spans(
        records, ((r["t"], r["state"]) for r in records if r["kind"] == "gate"), _GATE
    )


def bot_spans(records: Sequence[Record]) -> list[Span]:
    """Return when the bot spoke, and when it was thinking."""
    return edge_spans(records, ((r["t"], r["state"]) for r in records if r["kind"] == "bot"), _BOT)


def turn_spans(records: Sequence[Record]) -> list[Span]:
    """Return when a turn was open."""
    edges = ((r["t"], r.get("name", r.get("note"))) for r in records)
    return edge_spans(records, edges, _TURN)


def start_ms(records: Sequence[Record]) -> int:
    """Return the moment that a picture or a line counts from: the call's line, or the first."""
    return min((r["t"] for r in records if r["kind"] == "call"), default=first_ms(records))


def first_ms(records: Sequence[Record]) -> int:
    """Return the time of the earliest line; 0 for an empty record."""
    return min((r["t"] for r in records), default=0)


def last_ms(records: Sequence[Record]) -> int:
    """Return the time of the latest line; 0 for an empty record."""
    return max((r["t"] for r in records), default=0)


def edge_spans(
    records: Sequence[Record],
    edges: Iterable[tuple[int, str | None]],
    states: _States,
) -> list[Span]:
    """Build spans from edges.

    Args:
        records: Of the call; a span that nothing ends lasts to the end of them.
        edges: When, and which; those that ``states`` does not know count for nothing.
        states: What begins with an edge; ``None`` if it only ends what was.
    """
    found: list[Span] = []
    state, since = None, 0
    for at_ms, edge in edges:
        if edge not in states or states[edge] == state:
            continue
        if state is not None:
            found.append(Span(since, at_ms, state))
        state, since = states[edge], at_ms
    if state is not None:
        found.append(Span(since, last_ms(records), state))
    return found
