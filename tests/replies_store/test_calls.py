"""Looking after the calls that are kept."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select
from support.reply_store import cut, die, end, ids, keep, start

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.effects import Discard, GapMarked, KeepCut, KeepWords, Mark
from jev_turn.replies.store import (
    CallInUse,
    Database,
    MemorySummary,
    ReplyStore,
    export_call,
    export_peer,
    forget_calls,
    forget_peer,
    list_calls,
    schema,
)

from .conftest import Wall

HOUR = timedelta(hours=1)


@asynccontextmanager
async def looked_after(place: str) -> AsyncIterator[Database]:
    """Yield the database, as the command line opens it."""
    database = await Database.open(place, must_exist=True)
    try:
        yield database
    finally:
        await database.close()


async def talk(place: str, call: str, word: str, *, peer: str | None = None) -> None:
    """Leave something in every table."""
    async with await ReplyStore.open(place, call, peer=peer) as store:
        await store.apply([KeepCut(cut(1, word)), KeepCut(cut(2, word)), Mark(2, word)])
        await store.apply([KeepWords(((3, word),))])
        await store.apply([start(1, 1), Discard("rate", word), GapMarked(1, 2)])
        await store.apply([end(1, word)])
        if peer is not None:
            await store.remember(word, word)
            first = (await store.memory()).blocks[0].seq
            await store.summarise(MemorySummary(first, first + 1, word))


async def test_calls_are_listed_without_their_words(place: str) -> None:
    """The last used first, with what is waiting, and who writes or died."""
    await talk(place, "old", "secret")
    dead = await ReplyStore.open(place, "new", peer="ann")
    await dead.apply(keep(1))
    await die(dead)
    async with looked_after(place) as database:
        new, old = await list_calls(database)
    assert (new.id, new.peer, new.turns, new.pending, old.discards) == ("new", "ann", 0, 1, 1)
    assert new.holder.startswith("process ") and not new.in_use and old.holder == ""
    assert "secret" not in repr((new, old))


async def test_an_export_is_all_that_is_kept_of_a_call(place: str) -> None:
    """In plain data with the schema's version, so that it can be handed over."""
    await talk(place, "call", "secret", peer="ann")
    async with looked_after(place) as database:
        told = json.loads(json.dumps(await export_call(database, "call")))
    assert (told["schema"], told["call"], told["peer"]) == (schema.VERSION, "call", "ann")
    lengths = {name: len(rows) for name, rows in told.items() if isinstance(rows, list)}
    assert lengths == {
        "pieces": 1, "cuts": 2, "turns": 1, "marks": 1, "discards": 1, "gaps": 1, "memory_blocks": 2,
    }  # fmt: skip


async def test_an_export_of_a_peer_has_all_their_calls_and_nobody_elses(place: str) -> None:
    """A person may ask for everything that is known of them."""
    await talk(place, "one", "secret", peer="ann")
    await talk(place, "two", "other", peer="bob")
    async with looked_after(place) as database:
        told = await export_peer(database, "ann")
        with pytest.raises(ReplyStoreError, match="no peer carl"):
            await export_peer(database, "carl")
    assert [call["call"] for call in told["calls"]] == ["one"]
    assert (len(told["memory_blocks"]), len(told["memory_summaries"])) == (2, 1)
    assert "other" not in json.dumps(told)


async def _rows(database: Database) -> dict[str, int]:
    tables = [table for table in schema.metadata.sorted_tables if table is not schema.version]
    counts = await database.run(
        lambda c: {t.name: c.scalar(select(func.count()).select_from(t)) or 0 for t in tables}
    )
    return {name: count for name, count in counts.items() if count}


async def test_a_forgotten_call_is_gone_from_memory_too(place: str) -> None:
    """With the summaries that were made of it; other calls stay whole."""
    await talk(place, "one", "secret", peer="ann")
    await talk(place, "two", "other", peer="bob")
    async with looked_after(place) as database:
        others = await export_peer(database, "bob")
        await forget_calls(database, ["one"])
        assert await export_peer(database, "bob") == others
        await forget_calls(database, ["two"])
        assert await _rows(database) == {"jev_peer": 2}


async def test_a_forgotten_peer_is_gone_with_all_calls(place: str) -> None:
    """Nothing is left but what others said."""
    await talk(place, "one", "secret", peer="ann")
    await talk(place, "two", "secret", peer="ann")
    await talk(place, "three", "other")
    async with looked_after(place) as database:
        assert await forget_peer(database, "ann") == 2
        assert [info.id for info in await list_calls(database)] == ["three"]
        await forget_calls(database, ["three"])
        assert await _rows(database) == {}


def _files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_forgotten_words_are_gone_from_the_files(tmp_path: Path) -> None:
    """Deleting rows alone leaves their bytes in free pages and in the write-ahead log."""
    word = "xylophone"
    await talk(str(tmp_path), "call", word, peer="ann")
    await talk(str(tmp_path), "other", "something")
    async with looked_after(str(tmp_path)) as database:
        assert word.encode() in (tmp_path / "replies.sqlite3").read_bytes()
        await forget_calls(database, ["call"])
        left = b"".join(path.read_bytes() for path in _files(tmp_path))
    assert word.encode() not in left and b"something" in left


async def test_a_call_in_use_is_not_forgotten(place: str) -> None:
    """Its writer would go on without its rows."""
    async with await ReplyStore.open(place, "call") as store, looked_after(place) as database:
        assert [info.in_use for info in await list_calls(database)] == [True]
        with pytest.raises(CallInUse, match="call is in use"):
            await forget_calls(database, ["call"])
        await store.apply(keep(1))


async def test_an_unknown_call_is_an_error(place: str) -> None:
    """A mistyped id must not look like a deletion."""
    await talk(place, "call", "secret")
    async with looked_after(place) as database:
        for work in (forget_calls(database, ["cal"]), export_call(database, "cal")):
            with pytest.raises(ReplyStoreError, match="there is no call cal"):
                await work


async def test_an_expired_call_is_deleted_when_another_begins(place: str, wall: Wall) -> None:
    """At its time and not before; memory stays, for it is meant to outlive calls."""
    async with await ReplyStore.open(
        place, "old", peer="ann", expires_after=HOUR, clock_ms=wall
    ) as store:
        await store.apply([*keep(1), start(1, 1), end(1)])
    for minutes, left in ((59, ["new", "old"]), (1, ["new"])):
        wall.now_ms += minutes * 60_000
        async with (
            await ReplyStore.open(place, "new", peer="ann", clock_ms=wall) as store,
            looked_after(place) as database,
        ):
            assert [info.id for info in await list_calls(database)] == left
            assert len((await store.memory()).blocks) == 1


async def test_every_step_puts_the_expiry_off(place: str, wall: Wall) -> None:
    """A long call does not expire in its middle, and neither does one that is silent for long."""
    async with await ReplyStore.open(place, "long", expires_after=HOUR, clock_ms=wall) as store:
        wall.now_ms += 50 * 60_000
        await store.apply(keep(1))
        wall.now_ms += 50 * 60_000
        await (await ReplyStore.open(place, "other", clock_ms=wall)).close()
        wall.now_ms += 50 * 60_000
        await (await ReplyStore.open(place, "another", clock_ms=wall)).close()
        await store.apply(keep(2))
        assert ids((await store.state()).pending) == [1, 2]


async def test_an_expired_call_is_not_taken_up(place: str, wall: Wall) -> None:
    """Its id begins anew, empty."""
    async with await ReplyStore.open(place, "call", expires_after=HOUR, clock_ms=wall) as store:
        await store.apply(keep(1))
    wall.now_ms += 3_600_000
    async with await ReplyStore.open(place, "call", peer="bob", clock_ms=wall) as store:
        assert (await store.state()).cuts == ()


async def test_a_call_may_be_kept_until_it_is_forgotten(place: str, wall: Wall) -> None:
    """``expires_after=None``."""
    async with await ReplyStore.open(place, "call", expires_after=None, clock_ms=wall) as store:
        await store.apply(keep(1))
    wall.now_ms *= 2
    async with await ReplyStore.open(place, "call", expires_after=None, clock_ms=wall) as store:
        assert ids((await store.state()).pending) == [1]
