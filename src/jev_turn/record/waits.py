"""Stretches of a call without barge-in: cuts that wait, turns in flight, replies held, mute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from jev_turn.record.schema import Record
from jev_turn.record.spans import Span, edge_spans, gate_spans, last_ms

ASK_FROM_MS = 1000
"""Where the lower band ends, for a record that does not hold its settings, ms of quiet."""

_FLIGHT: Mapping[str | None, str | None] = {
    "StartTurn": "in flight",
    "EndTurnRecord": None,
    "RestoreCuts": None,
}
_MUTE: Mapping[str | None, str | None] = {"start": "muted", "stop": None}
_HELD: Mapping[str | None, str | None] = {
    "Hold": "held",
    "ask": "held",
    "Open": None,
    "Unspoken": None,
    "Withdraw": None,
    "dropped": None,
}


def is_finish_turn(records: Sequence[Record]) -> bool:
    """Tell whether anything waited in this call, or could have."""
    return any(r["kind"] == "mute" or r.get("name") in _NAMES for r in records)


_NAMES = frozenset({"KeepCut", "StartTurn", "Hold", "Open"})


def mute_spans(records: Sequence[Record]) -> list[Span]:
    """Return when the microphone gave the recogniser silence."""
    edges = ((r["t"], r["state"]) for r in records if r["kind"] == "mute")
    return edge_spans(records, edges, _MUTE)


def flight_spans(records: Sequence[Record]) -> list[Span]:
    """Return when a turn was in flight: handed to the model and without its ending."""
    return edge_spans(records, ((r["t"], r.get("name")) for r in records), _FLIGHT)


@dataclass(frozen=True, slots=True)
class Wait:
    """Cuts that waited for one drain.

    Attributes:
        start_ms: When the first of them was cut.
        end_ms: When they were eaten, or the last moment of the record.
        cuts: Their lines.
        drained: The line of the turn that ate them; ``None`` if none did.
    """

    start_ms: int
    end_ms: int
    cuts: tuple[Record, ...]
    drained: Record | None


def waits(records: Sequence[Record]) -> list[Wait]:
    """Return every wait; a cut that is eaten at once has a wait of no length."""
    found: list[Wait] = []
    cuts: list[Record] = []
    for record in records:
        if record.get("name") == "KeepCut":
            cuts.append(record)
        elif record.get("name") == "StartTurn" and cuts:
            found.append(Wait(cuts[0]["t"], record["t"], tuple(cuts), record))
            cuts = []
    if cuts:
        found.append(Wait(cuts[0]["t"], last_ms(records), tuple(cuts), None))
    return found


def held_spans(records: Sequence[Record]) -> list[Span]:
    """Return when a reply was held, by its band of quiet.

    ``short`` is under ``mouth.ask_from_ms`` of quiet, where nobody is asked; ``asking`` is over it.
    """
    edges = ((r["t"], _held_edge(r)) for r in records)
    return [
        part
        for span in edge_spans(records, edges, _HELD)
        for part in _bands(span, _loud(records), _ask_from_ms(records))
    ]


def _held_edge(record: Record) -> str | None:
    if record["kind"] == "ask":
        return "ask" if record["bundle"] == "mouth" else None
    edge: str | None = record.get("name", record.get("note"))
    return edge


def _ask_from_ms(records: Sequence[Record]) -> int:
    call: Record = next((r for r in records if r["kind"] == "call"), {})
    return int(call.get("policy", {}).get("mouth.ask_from_ms", ASK_FROM_MS))


def _loud(records: Sequence[Record]) -> list[Span]:
    """Return when the person was loud; the gate closes a while after that."""
    late = {r["t"]: r.get("quiet_ms", 0) for r in records if r.get("state") == "close"}
    gate = [one for one in gate_spans(records) if one.state == "open"]
    return [Span(one.start_ms, one.end_ms - late.get(one.end_ms, 0), "loud") for one in gate]


def _bands(span: Span, loud: Sequence[Span], ask_from_ms: int) -> Iterator[Span]:
    """Cut a hold where the person's quiet reaches the band's edge, or ends."""
    cuts = {span.start_ms, span.end_ms}
    cuts |= {at for one in loud for at in (one.start_ms, one.end_ms + ask_from_ms)}
    inside = sorted(at for at in cuts if span.start_ms <= at <= span.end_ms)
    for start, end in pairwise(inside):
        short = any(one.start_ms <= start < one.end_ms + ask_from_ms for one in loud)
        yield Span(start, end, "short" if short else "asking")
