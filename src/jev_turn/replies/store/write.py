"""Writes what one dispatch of the reply list ordered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, select, update

from jev_turn.errors import ReplyStoreError
from jev_turn.replies import effects as fx
from jev_turn.replies.store import memory, schema
from jev_turn.replies.store.turns import end, give_back


def write(
    connection: Connection, call: str, peer: str | None, effects: Sequence[fx.Stored], now_ms: int
) -> None:
    """Write ``effects`` in their order.

    Args:
        connection: Inside a transaction.
        call: The call.
        peer: Whose memory an ended turn enters.
        effects: Of one dispatch.
        now_ms: The wall clock.

    Raises:
        ReplyStoreError: One of them would answer a cut twice or end a turn twice.
    """
    for effect in effects:
        match effect:
            case fx.KeepCut(cut):
                _keep(connection, call, cut)
            case fx.KeepWords(pieces):
                _keep_words(connection, call, pieces)
            case fx.Mark() | fx.Unmark():
                _mark(connection, call, effect)
            case fx.Discard():
                _discard(connection, call, effect, now_ms)
            case fx.Rejoin():
                _rejoin(connection, call, effect.text)
            case fx.GapMarked():
                gap = {"from_ms": effect.from_ms, "to_ms": effect.to_ms}
                _append(connection, schema.gap, call, gap)
            case _:
                _turn(connection, call, peer, effect, now_ms)


def _turn(
    connection: Connection,
    call: str,
    peer: str | None,
    effect: fx.StartTurn | fx.TurnSpoke | fx.EndTurnRecord | fx.RestoreCuts,
    now_ms: int,
) -> None:
    match effect:
        case fx.StartTurn():
            _start(connection, call, effect, now_ms)
        case fx.TurnSpoke():
            _spoke(connection, call, effect.turn)
        case fx.EndTurnRecord(number, answer, ok, error):
            ended = end(connection, call, number, now_ms, answer=answer, ok=ok, error=error)
            _must(ended, f"turn {number} is not in flight")
            if peer is not None:
                memory.remember_turn(connection, peer, call, number, now_ms)
        case fx.RestoreCuts(number, error):
            _must(not _has_spoken(connection, call, number), f"turn {number} has spoken")
            give_back(connection, call, number, counted=True)
            ended = end(connection, call, number, now_ms, error=error)
            _must(ended, f"turn {number} is not in flight")


def _keep(connection: Connection, call: str, cut: fx.Cut) -> None:
    known = schema.cut.c
    kept = select(known.id).where(known.call == call, known.id == cut.id)
    if connection.scalar(kept) is not None:
        return
    values = {"id": cut.id, "at_ms": cut.at, "text": cut.text, "segment": cut.segment}
    connection.execute(insert(schema.cut).values(call=call, score=cut.score, why=cut.why, **values))


def _keep_words(connection: Connection, call: str, pieces: Sequence[tuple[int, str]]) -> None:
    piece = schema.piece
    connection.execute(delete(piece).where(piece.c.call == call))
    for seq, (segment, words) in enumerate(pieces):
        values = {"seq": seq, "segment": segment, "text": words}
        connection.execute(insert(piece).values(call=call, **values))


def _mark(connection: Connection, call: str, effect: fx.Mark | fx.Unmark) -> None:
    mark = schema.mark
    here = (mark.c.call == call, mark.c.segment == effect.segment)
    connection.execute(delete(mark).where(*here))
    if isinstance(effect, fx.Mark):
        values = {"segment": effect.segment, "text": effect.text}
        connection.execute(insert(mark).values(call=call, **values))


def _discard(connection: Connection, call: str, effect: fx.Discard, now_ms: int) -> None:
    # JSON has no word for what is no number.
    numbers = [[name, value if math.isfinite(value) else None] for name, value in effect.numbers]
    values = {"at_ms": now_ms, "kind": effect.kind, "text": effect.text, "numbers": numbers}
    _append(connection, schema.discard, call, values)


def _rejoin(connection: Connection, call: str, text: str) -> None:
    discard = schema.discard
    # A watermark's trace may hold the same words, which were answered and cannot come back.
    dropped = (discard.c.kind == "strikes", discard.c.rejoined.is_(False))
    mine = (discard.c.call == call, discard.c.text == text, *dropped)
    last = select(func.max(discard.c.seq)).where(*mine).scalar_subquery()
    change = update(discard).where(discard.c.call == call, discard.c.seq == last)
    connection.execute(change.values(rejoined=True))


def _start(connection: Connection, call: str, effect: fx.StartTurn, now_ms: int) -> None:
    turn, cut = schema.turn, schema.cut
    running = select(turn.c.number).where(turn.c.call == call, turn.c.ended.is_(False))
    _must(connection.scalar(running) is None, "another turn is in flight")
    values = {"number": effect.turn, "text": effect.text, "started_ms": now_ms}
    connection.execute(insert(turn).values(call=call, **values))
    ids = [eaten.id for eaten in effect.cuts]
    waiting = (cut.c.call == call, cut.c.id.in_(ids), cut.c.turn.is_(None))
    eaten = connection.execute(update(cut).where(*waiting).values(turn=effect.turn)).rowcount
    _must(eaten == len(ids), f"turn {effect.turn} eats a cut that does not wait")


def _spoke(connection: Connection, call: str, number: int) -> None:
    turn = schema.turn
    running = (turn.c.call == call, turn.c.number == number, turn.c.ended.is_(False))
    change = update(turn).where(*running).values(spoke=True)
    _must(connection.execute(change).rowcount == 1, f"turn {number} is not in flight")


def _has_spoken(connection: Connection, call: str, number: int) -> bool:
    turn = schema.turn.c
    asked = select(turn.spoke).where(turn.call == call, turn.number == number)
    return bool(connection.scalar(asked))


def _append(connection: Connection, table: Table, call: str, values: dict[str, Any]) -> None:
    last = select(func.coalesce(func.max(table.c.seq), 0)).where(table.c.call == call)
    seq = connection.execute(last).scalar_one() + 1
    connection.execute(insert(table).values(call=call, seq=seq, **values))


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ReplyStoreError(f"refused, nothing was stored: {otherwise}")
