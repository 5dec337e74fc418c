"""One database, reached by transactions that are whole or did not happen."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.store import schema
from jev_turn.replies.store.lock import Lock, lock_by_file, lock_by_server
from jev_turn.replies.store.outside import work_outside
from jev_turn.replies.store.place import (
    FILE,
    STATEMENT_TIMEOUT,
    Place,
    locate,
    make_engine,
    named,
)

T = TypeVar("T")

_FAULTS = (SQLAlchemyError, sqlite3.Error, OSError)


class Database:
    """The tables at one place.

    Args:
        place: A server, a folder, or ``None`` for memory.
    """

    def __init__(self, place: URL | Path | None) -> None:
        self.place = place
        self._engine = make_engine(place)
        self._at_work: set[asyncio.Task[object]] = set()
        self._closed = False

    @classmethod
    async def open(
        cls, place: Place, *, persist: bool = True, must_exist: bool = False
    ) -> Database:
        """Open the database and make its tables where there are none.

        Args:
            place: See ``locate``.
            persist: False keeps everything in memory and makes no file.
            must_exist: Make no file either, but use one that is there.

        Raises:
            ReplyStoreError: It cannot be opened or belongs to another version.
        """
        where = locate(place) if persist else None
        if must_exist and isinstance(where, Path) and not (where / FILE).exists():
            raise ReplyStoreError(f"{named(where)}: there is no such database")
        database = cls(where)
        try:
            await database.run(schema.prepare)
        except BaseException:
            await database.close()
            raise
        return database

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` in one transaction, which ends by itself when the caller is cancelled.

        Raises:
            ReplyStoreError: The database refused or was lost; nothing of ``work`` was stored,
                unless the connection was lost at the very commit.
        """
        if self._closed:
            raise ReplyStoreError(f"{named(self.place)}: closed already")
        task = asyncio.ensure_future(self._transaction(work))
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        return await asyncio.shield(task)

    async def _transaction(self, work: Callable[[Connection], T]) -> T:
        try:
            with work_outside():
                async with self._engine.begin() as connection:
                    return await connection.run_sync(work)
        except _FAULTS as error:
            raise self._told(error) from None
        except ReplyStoreError as error:
            # Without the frames that held words: some loggers show the values in a traceback.
            raise error.with_traceback(None) from None

    async def lock(self, call: str) -> Lock | None:
        """Take the sole right to write ``call``, or return ``None`` when somebody has it.

        Raises:
            ReplyStoreError: The place cannot be reached.
        """
        if self.place is None:
            return Lock()
        try:
            if isinstance(self.place, Path):
                return await asyncio.to_thread(lock_by_file, self.place, call)
            with work_outside():
                return await lock_by_server(self._engine, call)
        except _FAULTS as error:
            raise self._told(error) from None

    async def scrub(self) -> None:
        """Remove what deleted rows leave behind in the database's own files.

        SQLite has overwritten the rows and only its write-ahead log is left. PostgreSQL drops the
        old row versions; the server's own log and backups follow its settings.

        Raises:
            ReplyStoreError: SQLite's log is in use; the rows are gone, and a second try helps.
        """
        try:
            with work_outside():
                if isinstance(self.place, Path):
                    await self._truncate_log()
                elif self.place is not None:
                    await self._vacuum()
        except _FAULTS as error:
            raise self._told(error) from None

    async def _truncate_log(self) -> None:
        async with self._engine.connect() as connection:
            raw = (await connection.get_raw_connection()).driver_connection
            assert raw is not None
            cursor = await raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            busy = (await cursor.fetchone())[0]
            await cursor.close()
        if busy:
            raise ReplyStoreError(
                f"{named(self.place)}: deleted, but its write-ahead log is in use: try again"
            )

    async def _vacuum(self) -> None:
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(text("SET statement_timeout = 0"))
            for table in schema.metadata.sorted_tables:
                await connection.execute(text(f"VACUUM {table.name}"))
            await connection.execute(text(STATEMENT_TIMEOUT))

    async def close(self) -> None:
        """Wait for what is under way and close the connections."""
        self._closed = True
        await asyncio.gather(*self._at_work, return_exceptions=True)
        with work_outside():
            await self._engine.dispose()

    def _told(self, error: BaseException) -> ReplyStoreError:
        """Return an error with the first line of the reason; further ones may quote rows."""
        cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
        lines = str(cause).splitlines() or [""]
        return ReplyStoreError(f"{named(self.place)}: {type(cause).__name__}: {lines[0]}")
