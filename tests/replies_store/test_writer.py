"""One writer for each call."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from support.reply_store import die, ids, keep

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.store import CallInUse, Database, ReplyStore


async def test_a_second_writer_is_refused_and_told_who_writes(place: str) -> None:
    """Two processes on one call would answer its cuts twice; the message says whom to end."""
    async with await ReplyStore.open(place, "call-7"):
        who = f"call call-7 is in use by process {os.getpid()} on {socket.gethostname()}"
        with pytest.raises(CallInUse, match=who):
            await ReplyStore.open(place, "call-7")


async def test_a_refused_writer_changes_nothing(place: str) -> None:
    """The first one goes on as if nobody had asked."""
    async with await ReplyStore.open(place, "call") as store:
        with pytest.raises(CallInUse):
            await ReplyStore.open(place, "call")
        await store.apply(keep(1))
        assert ids((await store.state()).pending) == [1]


async def test_other_calls_are_free(place: str) -> None:
    """A bot serves many calls at once."""
    async with await ReplyStore.open(place, "one"), await ReplyStore.open(place, "two") as two:
        await two.apply(keep(1))


async def test_a_closed_call_can_be_taken_up(place: str) -> None:
    """The end of a writer lets the next one in at once."""
    await (await ReplyStore.open(place, "call")).close()
    await (await ReplyStore.open(place, "call")).close()


async def test_a_writer_that_lost_its_lock_cannot_write(place: str) -> None:
    """A server that restarts, or a network that breaks, unlocks without the writer's knowing."""
    old = await ReplyStore.open(place, "call")
    assert old._lock is not None
    await old._lock.release()
    async with await ReplyStore.open(place, "call") as new:
        with pytest.raises(ReplyStoreError, match="was taken over by process"):
            await old.apply(keep(1))
        assert (await new.state()).pending == ()
        await new.apply(keep(2))
        await die(old)
        await new.apply(keep(3))
        assert ids((await new.state()).pending) == [2, 3]


async def test_a_call_stays_its_peers(place: str) -> None:
    """Whoever guesses a call's id gets nothing under another name."""
    await (await ReplyStore.open(place, "call", peer="ann")).close()
    for other in ("bob", None):
        with pytest.raises(ReplyStoreError, match="another peer's"):
            await ReplyStore.open(place, "call", peer=other)


async def test_a_call_may_have_any_name(tmp_path: Path) -> None:
    """Y11: no name becomes a path."""
    name = "../../" + "x" * 180
    async with await ReplyStore.open(tmp_path / "calls", name, peer="../bob") as store:
        assert store.call == name
        with pytest.raises(CallInUse):
            await ReplyStore.open(tmp_path / "calls", name, peer="../bob")
    assert os.listdir(tmp_path) == ["calls"]


async def test_calls_of_one_process_may_share_a_database(place: str) -> None:
    """It stays open when one of them ends, and keeps their locks apart."""
    database = await Database.open(place)
    async with await ReplyStore.open(database, "one") as one:
        await (await ReplyStore.open(database, "two")).close()
        with pytest.raises(CallInUse):
            await ReplyStore.open(database, "one")
        await one.apply(keep(1))
    await database.close()
