"""What was said is for the call's owner alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from loguru import logger
from sqlalchemy import text
from support.reply_store import cut, end, keep, start

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.effects import Discard, Effect, KeepCut, Mark
from jev_turn.replies.store import Memory, ReplyStore
from jev_turn.replies.store.place import FILE


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    """The folder is made 0700 and every file 0600, the write-ahead log too, whatever the umask."""
    before = os.umask(0)
    try:
        async with await ReplyStore.open(tmp_path / "new" / "calls", peer="ann") as store:
            await store.apply(keep(1))
            files = _files(tmp_path / "new" / "calls")
            assert {path.suffix for path in files} >= {".sqlite3", ".sqlite3-wal", ".lock"}
            assert {_mode(path) for path in files} == {0o600}
            assert _mode(tmp_path / "new" / "calls") == 0o700
    finally:
        os.umask(before)


async def test_a_file_that_everybody_may_read_is_closed_to_them(tmp_path: Path) -> None:
    """It was restored from a copy, say."""
    await (await ReplyStore.open(tmp_path)).close()
    (tmp_path / FILE).chmod(0o644)
    async with await ReplyStore.open(tmp_path):
        assert _mode(tmp_path / FILE) == 0o600


async def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Whoever can write into the folder cannot choose where the words go."""
    (tmp_path / "elsewhere").touch()
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ReplyStoreError, match="a file was expected"):
        await ReplyStore.open(tmp_path)
    assert (tmp_path / "elsewhere").read_bytes() == b""


async def test_nothing_is_left_of_a_call_that_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``persist=False``: no file anywhere, and the next such call begins empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    for _ in range(2):
        async with await ReplyStore.open(tmp_path / "calls", "call", persist=False) as store:
            assert (await store.state()).cuts == ()
            await store.apply(keep(1))
    assert _files(tmp_path) == []


async def test_ids_are_random(place: str) -> None:
    """Nobody reaches a call by guessing."""
    async with await ReplyStore.open(place) as one, await ReplyStore.open(place) as two:
        assert one.call != two.call
        assert min(len(one.call), len(two.call)) == 32


async def test_no_caller_gets_anything_of_another(place: str) -> None:
    """Neither cuts nor memory pass from call to call, but by a peer that the author named."""
    async with (
        await ReplyStore.open(place, peer="ann") as ann,
        await ReplyStore.open(place, peer="bob") as bob,
        await ReplyStore.open(place) as nobody,
    ):
        await ann.apply([*keep(1), start(1, 1), end(1)])
        await ann.apply([*keep(2), Mark(2, "cut"), Discard("rate", "thanks")])
        for other in (bob, nobody):
            state = await other.state()
            assert (state.cuts, state.turns, state.marks, state.discards) == ((), (), (), ())
            assert await other.memory() == Memory()


async def test_without_a_peer_there_is_no_memory(place: str) -> None:
    """By default nobody is named, and nothing outlives the call's expiry."""
    async with await ReplyStore.open(place) as store:
        await store.apply([*keep(1), start(1, 1), end(1)])
        assert await store.memory() == Memory()
        with pytest.raises(ReplyStoreError, match="no peer is named"):
            await store.remember("hello", "hi")


def _said() -> list[Effect]:
    return [KeepCut(cut(1, "my secret PIN")), Mark(1, "secret"), Discard("rate", "secret")]


def _eaten() -> Effect:
    return start(1, 7)


async def _fail(store: ReplyStore) -> None:
    try:
        await store.apply([*_said(), _eaten()])
    except ReplyStoreError:
        logger.exception("the store failed")


async def test_logs_and_errors_hold_no_words(place: str, everything_logged: list[str]) -> None:
    """At the most talkative level of every library, and when the database refuses the words."""
    async with await ReplyStore.open(place, peer="ann") as store:
        await store.apply(_said())
        await store.state()
        await _fail(store)
        await store._database.run(lambda c: c.execute(text("DROP TABLE jev_mark")))
        await _fail(store)
    told = "\n".join(everything_logged)
    assert told.count("the store failed") == 2 and "does not wait" in told and "jev_mark" in told
    assert "secret" not in told and "PIN" not in told
