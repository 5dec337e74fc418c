"""How turns end, also those whose process died."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from jev_turn.replies.store import schema
from jev_turn.replies.store.memory import remember_turn

CRASHED = "interrupted by a crash"
"""The error of a turn that had begun to speak when the process ended."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What opening a call after a crash has put right.

    Attributes:
        restored: Ids of the cuts that wait again.
        interrupted: Numbers of the turns that ended as interrupted by the crash.
    """

    restored: tuple[int, ...] = ()
    interrupted: tuple[int, ...] = ()


def recover(connection: Connection, call: str, peer: str | None, now_ms: int) -> Recovered:
    """Put right what a dead process left behind.

    A turn that had not spoken gives its cuts back; one that had spoken ends, so that nothing is
    answered twice.
    """
    turn, cut = schema.turn.c, schema.cut.c
    left = select(turn.number, turn.spoke).where(turn.call == call, turn.ended.is_(False))
    restored, interrupted = list[int](), list[int]()
    for number, spoke in connection.execute(left).all():
        if not spoke:
            eaten = select(cut.id).where(cut.call == call, cut.turn == number).order_by(cut.id)
            restored += connection.execute(eaten).scalars()
            give_back(connection, call, number)
        end(connection, call, number, now_ms, error=CRASHED)
        if spoke:
            interrupted.append(number)
            if peer is not None:
                remember_turn(connection, peer, call, number, now_ms)
    return Recovered(tuple(restored), tuple(interrupted))


def give_back(connection: Connection, call: str, number: int, *, counted: bool = False) -> None:
    """Let a turn's cuts wait again, in their old places.

    Args:
        connection: Inside a transaction.
        call: The call.
        number: The turn.
        counted: The run failed by itself: it is remembered, because that is forgiven once.
    """
    cut = schema.cut
    change = {"turn": None, "restored": cut.c.restored + int(counted)}
    connection.execute(update(cut).where(cut.c.call == call, cut.c.turn == number).values(change))


def end(
    connection: Connection,
    call: str,
    number: int,
    now_ms: int,
    *,
    answer: str = "",
    ok: bool = False,
    error: str = "",
) -> bool:
    """Write a turn's ending, unless it has one; tell whether it was written."""
    turn = schema.turn
    ending = {"ended": True, "ended_ms": now_ms, "answer": answer, "ok": ok, "error": error}
    running = (turn.c.call == call, turn.c.number == number, turn.c.ended.is_(False))
    return connection.execute(update(turn).where(*running).values(ending)).rowcount == 1
