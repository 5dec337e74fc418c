"""The state of one call: every step a transaction, one writer, and nothing of another caller."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import TypeVar

from sqlalchemy import Connection

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.effects import STORED, Effect
from jev_turn.replies.store import memory
from jev_turn.replies.store.calls import forget_expired
from jev_turn.replies.store.database import Database
from jev_turn.replies.store.holder import (
    EXPIRES_AFTER,
    Holder,
    claim,
    confirm,
    leave,
    take,
    wall_ms,
)
from jev_turn.replies.store.lock import Lock
from jev_turn.replies.store.memory import Memory, MemorySummary
from jev_turn.replies.store.place import Place
from jev_turn.replies.store.saved import Saved, read
from jev_turn.replies.store.turns import Recovered
from jev_turn.replies.store.write import write

T = TypeVar("T")


class ReplyStore:
    """Cuts, turns, marks, discards and memory of one call, in SQLite or PostgreSQL.

    Made by ``open``, which also puts right what a dead process left behind.

    Example:
        async with await ReplyStore.open("calls") as store:
            saved = await store.state()
            await store.apply(effects)

    Attributes:
        call: The call's id.
        peer: Whose memory the call's turns enter; ``None`` for nobody's.
        recovered: What opening has put right.
    """

    def __init__(
        self,
        database: Database,
        lock: Lock,
        holder: Holder,
        recovered: Recovered,
        clock_ms: Callable[[], int],
        *,
        shared: bool,
    ) -> None:
        self.call = holder.call
        self.peer = holder.peer
        self.recovered = recovered
        self._database = database
        self._lock: Lock | None = lock
        self._holder = holder
        self._clock_ms = clock_ms
        self._shared = shared

    @classmethod
    async def open(
        cls,
        place: Place | Database = None,
        call: str | None = None,
        *,
        persist: bool = True,
        peer: str | None = None,
        expires_after: timedelta | None = EXPIRES_AFTER,
        clock_ms: Callable[[], int] = wall_ms,
    ) -> ReplyStore:
        """Open the state of a call, with the sole right to write it.

        Args:
            place: A folder for SQLite, a ``postgresql://`` URL, or ``None`` for ``DATABASE_URL``
                and, without it, a folder among the user's state. A ``Database`` is shared with
                other calls of this process, and stays open.
            call: The call to take up again; ``None`` begins one with a random id.
            persist: False keeps everything in memory and leaves nothing behind.
            peer: Who calls, as the bot's author names them, for memory over many calls.
            expires_after: How long after its last step a call is deleted; ``None`` keeps it
                until it is forgotten.
            clock_ms: The wall clock, ms.

        Raises:
            ReplyStoreError: The place cannot be used, the call is another peer's, or another
                process writes it (``CallInUse``; the message names that process).
        """
        shared = isinstance(place, Database)
        database = (
            place if isinstance(place, Database) else await Database.open(place, persist=persist)
        )
        holder = Holder(call or secrets.token_hex(16), peer, expires_after)
        lock: Lock | None = None
        try:
            lock = await take(database, holder.call)
            recovered = await database.run(lambda c: claim(c, holder, clock_ms()))
            await forget_expired(database, clock_ms())
        except BaseException:
            if lock is not None:
                await lock.release()
            if not shared:
                await database.close()
            raise
        return cls(database, lock, holder, recovered, clock_ms, shared=shared)

    async def apply(self, effects: Sequence[Effect]) -> None:
        """Write all of ``effects`` that are to be stored, in one transaction.

        Args:
            effects: Of one dispatch; carry out the others only when this has returned.

        Raises:
            ReplyStoreError: Nothing was stored: the database refused or was lost, another
                process has taken the call over, or a cut would be answered twice.
        """
        stored = [effect for effect in effects if isinstance(effect, STORED)]
        if not stored:
            return

        def work(connection: Connection, now_ms: int) -> None:
            write(connection, self.call, self.peer, stored, now_ms)

        await self._write(work)

    async def state(self) -> Saved:
        """Read all of the call."""
        return await self._database.run(lambda connection: read(connection, self.call))

    async def memory(self) -> Memory:
        """Read the peer's thread; it is empty without a peer."""
        if (peer := self.peer) is None:
            return Memory()
        return await self._database.run(lambda connection: memory.recall(connection, peer))

    async def remember(self, user: str, answer: str) -> None:
        """Append to the peer's thread what no turn of this call has brought there.

        ``EndTurnRecord`` appends its turn's words by itself.

        Raises:
            ReplyStoreError: As ``apply``, or the call has no peer.
        """
        peer = self._named_peer()

        def work(connection: Connection, now_ms: int) -> None:
            memory.remember(connection, peer, self.call, user, answer, now_ms)

        await self._write(work)

    async def summarise(self, summary: MemorySummary) -> None:
        """Add a summary to the peer's thread; the blocks that it covers stay.

        Raises:
            ReplyStoreError: As ``apply``, or the call has no peer, or there are no such blocks.
        """
        peer = self._named_peer()

        def work(connection: Connection, now_ms: int) -> None:
            memory.summarise(connection, peer, summary, now_ms)

        await self._write(work)

    async def close(self) -> None:
        """Let the next writer in; a second call does nothing."""
        lock, self._lock = self._lock, None
        if lock is None:
            return
        # The lock is what counts; the row only tells a person who writes.
        with suppress(ReplyStoreError):
            await self._database.run(lambda connection: leave(connection, self._holder))
        await lock.release()
        if not self._shared:
            await self._database.close()

    async def __aenter__(self) -> ReplyStore:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _named_peer(self) -> str:
        if self.peer is None:
            raise ReplyStoreError(f"call {self.call}: no peer is named, so there is no memory")
        return self.peer

    async def _write(self, work: Callable[[Connection, int], None]) -> None:
        # A call that names words in its line would show them in tracebacks with values.
        now_ms = self._clock_ms()

        def step(connection: Connection) -> None:
            confirm(connection, self._holder, now_ms)
            work(connection, now_ms)

        await self._database.run(step)
