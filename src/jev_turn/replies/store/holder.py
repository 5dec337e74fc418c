"""Who writes a call: a token in the call's row stops a writer that has lost its lock."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.store import memory, schema
from jev_turn.replies.store.calls import CallInUse, erase_call
from jev_turn.replies.store.database import Database
from jev_turn.replies.store.lock import Lock
from jev_turn.replies.store.place import named
from jev_turn.replies.store.turns import Recovered, recover

EXPIRES_AFTER = timedelta(days=7)
"""How long a call is kept after its last step, unless the bot's author says otherwise."""

# A listing of the calls holds each lock for a moment, and a server needs one to see that a
# process is dead.
_WAITS_S = (0, 0.02, 0.04)


def wall_ms() -> int:
    """Return the wall clock, ms since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Holder:
    """One writer.

    Attributes:
        call: The call that it writes.
        peer: Whose memory the call's turns enter.
        expires_after: How long after its last step the call is kept; ``None`` for ever.
        token: Known to nobody else.
    """

    call: str
    peer: str | None
    expires_after: timedelta | None
    token: str = field(default_factory=lambda: secrets.token_hex(16))


async def take(database: Database, call: str) -> Lock:
    """Take the sole right to write ``call``.

    Raises:
        CallInUse: Somebody has it; the message names the process.
    """
    for wait_s in _WAITS_S:
        await asyncio.sleep(wait_s)
        if (lock := await database.lock(call)) is not None:
            return lock
    row = await database.run(lambda connection: _row(connection, call))
    raise CallInUse(f"{named(database.place)}: call {call} is in use by {_who(row)}")


def claim(connection: Connection, holder: Holder, now_ms: int) -> Recovered:
    """Write the holder into the call's row and put right what the last one left behind.

    Raises:
        ReplyStoreError: The call is another peer's.
    """
    erase_call(connection, holder.call, if_expired_ms=now_ms)
    row = _row(connection, holder.call)
    if row is not None and row.peer != holder.peer:
        raise ReplyStoreError(f"call {holder.call} is another peer's")
    if holder.peer is not None:
        memory.add_peer(connection, holder.peer)
    if row is None:
        begun = {"created_ms": now_ms, "used_ms": now_ms}
        connection.execute(insert(schema.call).values(id=holder.call, peer=holder.peer, **begun))
    mine = {"holder": holder.token, "holder_pid": os.getpid(), "holder_host": socket.gethostname()}
    change = update(schema.call).where(schema.call.c.id == holder.call)
    connection.execute(change.values(**mine, **_used(holder, now_ms)))
    return recover(connection, holder.call, holder.peer, now_ms)


def confirm(connection: Connection, holder: Holder, now_ms: int) -> None:
    """Put off the call's expiry, as a step of its writer.

    Raises:
        CallInUse: Somebody else writes the call.
        ReplyStoreError: It was deleted.
    """
    change = update(schema.call).where(*_ours(holder)).values(_used(holder, now_ms))
    if connection.execute(change).rowcount != 1:
        row = _row(connection, holder.call)
        if row is None:
            raise ReplyStoreError(f"call {holder.call} was deleted: nothing was stored")
        raise CallInUse(f"call {holder.call} was taken over by {_who(row)}: nothing was stored")


def leave(connection: Connection, holder: Holder) -> None:
    """Take the holder out of the call's row."""
    gone = {"holder": None, "holder_pid": None, "holder_host": None}
    connection.execute(update(schema.call).where(*_ours(holder)).values(gone))


def _ours(holder: Holder) -> tuple[Any, Any]:
    return schema.call.c.id == holder.call, schema.call.c.holder == holder.token


def _used(holder: Holder, now_ms: int) -> dict[str, int | None]:
    kept = holder.expires_after
    expires_ms = None if kept is None else now_ms + kept // timedelta(milliseconds=1)
    return {"used_ms": now_ms, "expires_ms": expires_ms}


def _row(connection: Connection, call: str) -> Row[Any] | None:
    return connection.execute(select(schema.call).where(schema.call.c.id == call)).one_or_none()


def _who(row: Row[Any] | None) -> str:
    if row is None or row.holder is None:
        return "another process"
    return f"process {row.holder_pid} on {row.holder_host}"
