"""What a call's rows say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from jev_turn.replies.effects import Cut
from jev_turn.replies.store import schema


@dataclass(frozen=True, slots=True)
class SavedTurn:
    """One turn.

    Attributes:
        number: As in ``StartTurn``.
        cuts: Ids of the cuts that it has eaten and that were not given back.
        text: What the model was given.
        spoke: Its first audio has left.
        ended: It has its ending.
        answer: What was answered.
        ok: The ending was a success.
        error: Why not.
        started_ms: When it began, ms of the wall clock.
        ended_ms: When it ended; ``None`` while it runs.
    """

    number: int
    cuts: tuple[int, ...]
    text: str
    spoke: bool
    ended: bool
    answer: str
    ok: bool
    error: str
    started_ms: int
    ended_ms: int | None


@dataclass(frozen=True, slots=True)
class SavedDiscard:
    """One text that was dropped, with its trace; ``at_ms`` is of the wall clock."""

    at_ms: int
    kind: str
    text: str
    numbers: tuple[tuple[str, float], ...]
    rejoined: bool


@dataclass(frozen=True, slots=True)
class Saved:
    """All of one call.

    Attributes:
        call: The call's id.
        words: (segment, text) of closed segments that are in no cut yet, in order.
        cuts: Every cut, in the order of arrival.
        pending: Those that wait for a turn, the next ones first.
        restored: Ids of the cuts that a failed turn gave back.
        in_flight: The turn that has no ending yet.
        turns: Every turn.
        marks: Delivered text of each open segment, by segment.
        discards: Every text that was dropped.
        gaps: Times in which nothing could be heard, ms of the call's clock.
    """

    call: str
    words: tuple[tuple[int, str], ...]
    cuts: tuple[Cut, ...]
    pending: tuple[Cut, ...]
    restored: frozenset[int]
    in_flight: SavedTurn | None
    turns: tuple[SavedTurn, ...]
    marks: tuple[tuple[int, str], ...]
    discards: tuple[SavedDiscard, ...]
    gaps: tuple[tuple[int, int], ...]

    @property
    def next_cut(self) -> int:
        """A number that no cut of this call has had."""
        return max((cut.id for cut in self.cuts), default=0) + 1

    @property
    def next_turn(self) -> int:
        """A number that no turn of this call has had."""
        return max((turn.number for turn in self.turns), default=0) + 1

    @property
    def next_segment(self) -> int:
        """A segment number that nothing of this call refers to."""
        used = [cut.segment for cut in self.cuts]
        used += [segment for segment, _ in (*self.marks, *self.words)]
        return max(used, default=-1) + 1


def read(connection: Connection, call: str) -> Saved:
    """Read all of ``call``."""
    rows = _rows(connection, schema.cut, call, "id")
    cuts = {row.id: _cut(row) for row in rows}
    turns = tuple(
        _turn(turn, tuple(row.id for row in rows if row.turn == turn.number))
        for turn in _rows(connection, schema.turn, call, "number")
    )
    return Saved(
        call=call,
        words=tuple((r.segment, r.text) for r in _rows(connection, schema.piece, call, "seq")),
        cuts=tuple(cuts.values()),
        pending=tuple(cuts[row.id] for row in rows if row.turn is None),
        restored=frozenset(row.id for row in rows if row.restored),
        in_flight=next((turn for turn in turns if not turn.ended), None),
        turns=turns,
        marks=tuple((r.segment, r.text) for r in _rows(connection, schema.mark, call, "segment")),
        discards=tuple(map(_discard, _rows(connection, schema.discard, call, "seq"))),
        gaps=tuple((r.from_ms, r.to_ms) for r in _rows(connection, schema.gap, call, "seq")),
    )


def _rows(connection: Connection, table: Any, call: str, order: str) -> list[Row[Any]]:
    wanted = select(table).where(table.c.call == call).order_by(table.c[order])
    return list(connection.execute(wanted).all())


def _cut(row: Row[Any]) -> Cut:
    return Cut(row.id, row.at_ms, row.text, row.segment, row.score, row.why)


def _turn(row: Row[Any], cuts: tuple[int, ...]) -> SavedTurn:
    return SavedTurn(
        number=row.number,
        cuts=cuts,
        text=row.text,
        spoke=row.spoke,
        ended=row.ended,
        answer=row.answer or "",
        ok=bool(row.ok),
        error=row.error or "",
        started_ms=row.started_ms,
        ended_ms=row.ended_ms,
    )


def _discard(row: Row[Any]) -> SavedDiscard:
    numbers = tuple((name, math.nan if value is None else value) for name, value in row.numbers)
    return SavedDiscard(row.at_ms, row.kind, row.text, numbers, row.rejoined)
