"""Looks after the calls that are kept: lists them, and really deletes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.store import memory, schema
from jev_turn.replies.store.database import Database
from jev_turn.replies.store.place import named

_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class CallInfo:
    """One call, without its words.

    Attributes:
        id: Its id.
        peer: Who called, as the bot's author named them.
        created_ms: When it began, ms of the wall clock.
        used_ms: Its last step.
        expires_ms: When it is deleted; ``None`` for never.
        turns: How many turns it has.
        pending: How many cuts wait.
        discards: How many texts were dropped.
        holder: The process that writes it, or that died doing so; empty once it was closed.
        in_use: That process lives.
    """

    id: str
    peer: str | None
    created_ms: int
    used_ms: int
    expires_ms: int | None
    turns: int
    pending: int
    discards: int
    holder: str
    in_use: bool = False


async def list_calls(database: Database) -> list[CallInfo]:
    """Return every call, the last used first."""
    infos = await database.run(_list)
    return [
        replace(info, in_use=bool(info.holder) and await _is_locked(database, info.id))
        for info in infos
    ]


async def _is_locked(database: Database, call: str) -> bool:
    if (lock := await database.lock(call)) is None:
        return True
    await lock.release()
    return False


async def forget_calls(database: Database, calls: Iterable[str]) -> None:
    """Delete calls, with everything that memory has of them.

    Raises:
        ReplyStoreError: One does not exist or is in use; those before it are deleted.
    """
    try:
        for call in calls:
            if not await _forget(database, call, None):
                raise ReplyStoreError(f"{named(database.place)}: there is no call {call}")
    finally:
        await database.scrub()


async def forget_peer(database: Database, peer: str) -> int:
    """Delete a peer's memory and calls; return the number of calls.

    Raises:
        ReplyStoreError: There is no such peer, or one of the calls is in use.
    """
    calls = [info.id for info in await list_calls(database) if info.peer == peer]
    await forget_calls(database, calls)
    gone = await database.run(
        lambda connection: (
            connection.execute(delete(schema.peer).where(schema.peer.c.peer == peer)).rowcount
        )
    )
    await database.scrub()
    if not gone:
        raise ReplyStoreError(f"{named(database.place)}: there is no peer {peer}")
    return len(calls)


async def forget_expired(database: Database, now_ms: int, at_most: int = _AT_ONCE) -> int:
    """Delete calls whose time is over and that nobody writes; return their number.

    What memory has of them stays.
    """
    call = schema.call.c
    over = select(call.id).where(call.expires_ms <= now_ms).order_by(call.expires_ms)
    calls = await database.run(
        lambda connection: list(connection.execute(over.limit(at_most)).scalars())
    )
    deleted = 0
    for one in calls:
        try:
            deleted += await _forget(database, one, now_ms)
        except CallInUse:
            continue
    return deleted


class CallInUse(ReplyStoreError):
    """A process writes the call."""


async def _forget(database: Database, call: str, if_expired_ms: int | None) -> bool:
    """Delete a call that nobody writes and tell whether it was there.

    Args:
        database: Where.
        call: Its id.
        if_expired_ms: Delete it only if its time is over now, and keep what memory has of it.
    """
    lock = await database.lock(call)
    if lock is None:
        raise CallInUse(f"{named(database.place)}: call {call} is in use; end it first")
    try:
        return await database.run(lambda connection: erase_call(connection, call, if_expired_ms))
    finally:
        await lock.release(remove=True)


def erase_call(connection: Connection, call: str, if_expired_ms: int | None = None) -> bool:
    """Delete a call's rows and tell whether there were any; see ``forget_calls`` for the whole.

    Args:
        connection: Inside a transaction, by whoever holds the call's lock.
        call: Its id.
        if_expired_ms: Delete it only if its time is over now, and keep what memory has of it.
    """
    row = schema.call.c
    wanted = [row.id == call]
    if if_expired_ms is not None:
        wanted.append(row.expires_ms <= if_expired_ms)
    if not connection.execute(delete(schema.call).where(*wanted)).rowcount:
        return False
    if if_expired_ms is None:
        memory.forget_call(connection, call)
    return True


def _list(connection: Connection) -> list[CallInfo]:
    call, turn, cut, discard = schema.call.c, schema.turn.c, schema.cut.c, schema.discard.c
    turns = select(func.count()).where(turn.call == call.id).scalar_subquery()
    waiting = (cut.call == call.id, cut.turn.is_(None))
    pending = select(func.count()).where(*waiting).scalar_subquery()
    discards = select(func.count()).where(discard.call == call.id).scalar_subquery()
    rows = connection.execute(
        select(
            schema.call,
            turns.label("turns"),
            pending.label("pending"),
            discards.label("discards"),
        ).order_by(call.used_ms.desc(), call.id)
    )
    return [_info(row) for row in rows]


def _info(row: Row[Any]) -> CallInfo:
    return CallInfo(
        id=row.id,
        peer=row.peer,
        created_ms=row.created_ms,
        used_ms=row.used_ms,
        expires_ms=row.expires_ms,
        turns=row.turns,
        pending=row.pending,
        discards=row.discards,
        holder=f"process {row.holder_pid} on {row.holder_host}" if row.holder else "",
    )
