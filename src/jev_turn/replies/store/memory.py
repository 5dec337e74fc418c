"""What a peer and the bot have said to each other, over all their calls; words never change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.store import schema


@dataclass(frozen=True, slots=True)
class MemoryBlock:
    """One turn, word for word.

    Attributes:
        seq: Its number among the peer's blocks, counted up from 1.
        user: What the person said.
        answer: What was answered; empty when the answer failed.
        at_ms: When the turn ended, ms of the wall clock.
    """

    seq: int
    user: str
    answer: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class MemorySummary:
    """What stands for the blocks ``from_seq`` to ``to_seq``, both included."""

    from_seq: int
    to_seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One peer's thread.

    Attributes:
        summaries: The oldest first; those that a wider one covers are left out.
        blocks: The blocks that no summary covers, the oldest first.
    """

    summaries: tuple[MemorySummary, ...] = ()
    blocks: tuple[MemoryBlock, ...] = ()


def add_peer(connection: Connection, peer: str) -> None:
    """Make the peer's thread unless it exists."""
    known = schema.peer
    if connection.scalar(select(known.c.blocks).where(known.c.peer == peer)) is not None:
        return
    try:
        with connection.begin_nested():
            connection.execute(insert(known).values(peer=peer))
    except IntegrityError:
        return  # another call of the same peer was faster


def remember(
    connection: Connection, peer: str, call: str, user: str, answer: str, now_ms: int
) -> int:
    """Append a block to the peer's thread and return its number."""
    known = schema.peer
    counted = update(known).where(known.c.peer == peer).values(blocks=known.c.blocks + 1)
    seq = connection.execute(counted.returning(known.c.blocks)).scalar_one()
    values = {"seq": seq, "call": call, "at_ms": now_ms, "user": user, "answer": answer}
    connection.execute(insert(schema.memory_block).values(peer=peer, **values))
    return int(seq)


def remember_turn(connection: Connection, peer: str, call: str, number: int, now_ms: int) -> None:
    """Append an ended turn to the peer's thread."""
    turn = schema.turn.c
    asked = select(turn.text, turn.answer).where(turn.call == call, turn.number == number)
    user, answer = connection.execute(asked).one()
    remember(connection, peer, call, user, answer or "", now_ms)


def summarise(connection: Connection, peer: str, summary: MemorySummary, now_ms: int) -> None:
    """Add a summary of a range of blocks; the blocks stay.

    Raises:
        ReplyStoreError: The range does not begin and end with blocks of this peer.
    """
    block = schema.memory_block.c
    ends = (summary.from_seq, summary.to_seq)
    found = select(func.count()).where(block.peer == peer, block.seq.in_(ends))
    if summary.from_seq > summary.to_seq or connection.scalar(found) != len(set(ends)):
        raise ReplyStoreError(f"blocks {ends[0]} to {ends[1]} cannot be summarised: no such range")
    values = {"from_seq": ends[0], "to_seq": ends[1], "text": summary.text, "at_ms": now_ms}
    connection.execute(insert(schema.memory_summary).values(peer=peer, **values))


def recall(connection: Connection, peer: str) -> Memory:
    """Read the peer's thread: its summaries, and the blocks that none of them covers."""
    summary, block = schema.memory_summary.c, schema.memory_block.c
    rows = connection.execute(
        select(summary.from_seq, summary.to_seq, summary.text)
        .where(summary.peer == peer)
        .order_by(summary.from_seq, summary.to_seq.desc())
    ).all()
    summaries = list[MemorySummary]()
    for row in rows:
        if not summaries or row.to_seq > summaries[-1].to_seq:
            summaries.append(MemorySummary(*row))
    blocks = connection.execute(
        select(block.seq, block.user, block.answer, block.at_ms)
        .where(block.peer == peer, ~exists().where(*_covering(block)))
        .order_by(block.seq)
    ).all()
    return Memory(tuple(summaries), tuple(MemoryBlock(*row) for row in blocks))


def forget_call(connection: Connection, call: str) -> None:
    """Delete the blocks that come from ``call``, and the summaries that were made of them."""
    block = schema.memory_block.c
    made_of_it = exists().where(block.call == call, *_covering(block))
    connection.execute(delete(schema.memory_summary).where(made_of_it))
    connection.execute(delete(schema.memory_block).where(block.call == call))


def _covering(block: Any) -> tuple[ColumnElement[bool], ...]:
    summary = schema.memory_summary.c
    return (
        summary.peer == block.peer,
        summary.from_seq <= block.seq,
        summary.to_seq >= block.seq,
    )
