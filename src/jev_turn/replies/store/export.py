"""Everything that is kept of a call or a peer, as plain data."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, func, select

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.store import schema
from jev_turn.replies.store.database import Database
from jev_turn.replies.store.place import named

_OF_A_CALL = (
    schema.piece,
    schema.cut,
    schema.turn,
    schema.mark,
    schema.discard,
    schema.gap,
)
_OF_A_PEER = (schema.memory_block, schema.memory_summary)


async def export_call(database: Database, call: str) -> dict[str, Any]:
    """Return everything that is kept of ``call``, words included, as plain data.

    Raises:
        ReplyStoreError: There is no such call.
    """
    found = await database.run(lambda connection: _export(connection, call))
    if found is None:
        raise ReplyStoreError(f"{named(database.place)}: there is no call {call}")
    return found


async def export_peer(database: Database, peer: str) -> dict[str, Any]:
    """Return a peer's memory and all their calls, words included, as plain data.

    Raises:
        ReplyStoreError: There is no such peer.
    """
    found = await database.run(lambda connection: _export_peer(connection, peer))
    if found is None:
        raise ReplyStoreError(f"{named(database.place)}: there is no peer {peer}")
    return found


def _export(connection: Connection, call: str) -> dict[str, Any] | None:
    row = connection.execute(select(schema.call).where(schema.call.c.id == call)).one_or_none()
    if row is None:
        return None
    kept = {"schema": schema.VERSION, "call": row.id, "peer": row.peer}
    times = {"created_ms": row.created_ms, "used_ms": row.used_ms, "expires_ms": row.expires_ms}
    tables = {_title(table): _plain(connection, table, "call", call) for table in _OF_A_CALL}
    block = _plain(connection, schema.memory_block, "call", call)
    return {**kept, **times, **tables, "memory_blocks": block}


def _export_peer(connection: Connection, peer: str) -> dict[str, Any] | None:
    if not connection.scalar(select(func.count()).where(schema.peer.c.peer == peer)):
        return None
    call = schema.call.c
    ids = connection.execute(
        select(call.id).where(call.peer == peer).order_by(call.created_ms, call.id)
    ).scalars()
    calls = [_export(connection, one) for one in ids]
    tables = {_title(table): _plain(connection, table, "peer", peer) for table in _OF_A_PEER}
    return {"schema": schema.VERSION, "peer": peer, "calls": calls, **tables}


def _title(table: Table) -> str:
    name = table.name.removeprefix("jev_")
    return f"{name.removesuffix('y')}ies" if name.endswith("y") else f"{name}s"


def _plain(connection: Connection, table: Table, owner: str, name: str) -> list[dict[str, Any]]:
    asked = select(table).where(table.c[owner] == name).order_by(*table.primary_key)
    return [
        {key: value for key, value in row._mapping.items() if key not in (owner, "peer")}
        for row in connection.execute(asked)
    ]
