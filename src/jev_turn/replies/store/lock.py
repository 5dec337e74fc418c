"""One writer for each call; the operating system or the server ends a dead writer's right."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from contextlib import suppress
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jev_turn.replies.store.outside import work_outside
from jev_turn.replies.store.place import private_file


class Lock:
    """The right to write a call that nobody else can reach."""

    async def release(self, *, remove: bool = False) -> None:
        """Let the next writer in.

        Args:
            remove: The call is gone: leave nothing of the lock behind.
        """


class FileLock(Lock):
    """A lock file, locked by SQLite because that works the same on every system.

    Args:
        path: The file.
        connection: With an exclusive transaction that is never written to.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    async def release(self, *, remove: bool = False) -> None:
        """Close the file, which unlocks it; it stays unless it is to be removed."""
        await asyncio.to_thread(self._close, remove)

    def _close(self, remove: bool) -> None:
        if remove:
            self._path.unlink(missing_ok=True)
        self._connection.close()


class ServerLock(Lock):
    """A PostgreSQL advisory lock, held by a connection of its own."""

    def __init__(self, connection: AsyncConnection, key: int) -> None:
        self._connection = connection
        self._key = key

    async def release(self, *, remove: bool = False) -> None:
        """Unlock, and give the connection back; a lost connection has unlocked by itself."""
        unlock = text("SELECT pg_advisory_unlock(:k)")
        with work_outside():
            with suppress(SQLAlchemyError):
                await self._connection.execute(unlock, {"k": self._key})
            with suppress(SQLAlchemyError):
                await self._connection.close()


def digest(call: str) -> bytes:
    """Return what a lock is named after, so that a call may have any name."""
    return hashlib.sha256(call.encode("utf-8", "replace")).digest()


def lock_by_file(folder: Path, call: str) -> FileLock | None:
    """Lock the call's file, or return ``None`` when somebody else has.

    Raises:
        ReplyStoreError: The file cannot be made.
        sqlite3.Error: It cannot be locked for another reason.
    """
    path = private_file(folder / f"{digest(call).hex()[:32]}.lock")
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            return None
        raise
    return FileLock(path, connection)


async def lock_by_server(engine: AsyncEngine, call: str) -> ServerLock | None:
    """Take the call's advisory lock, or return ``None`` when another session has it.

    Raises:
        SQLAlchemyError: The server cannot be asked.
    """
    connection = await engine.connect()
    try:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        key = int.from_bytes(digest(call)[:8], "big", signed=True)
        taken = await connection.scalar(text("SELECT pg_try_advisory_lock(:k)"), {"k": key})
    except BaseException:
        await connection.close()
        raise
    if taken:
        return ServerLock(connection, key)
    await connection.close()
    return None
