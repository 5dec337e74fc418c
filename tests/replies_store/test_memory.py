"""What a peer and the bot have said to each other."""

from __future__ import annotations

import pytest
from support.reply_store import cut, end, keep, start

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.effects import EndTurnRecord, KeepCut, RestoreCuts
from jev_turn.replies.store import MemorySummary, ReplyStore, export_peer

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def said(store: ReplyStore, *words: str) -> None:
    """Append blocks."""
    for word in words:
        await store.remember(word, f"{word}?")


async def test_every_ended_turn_is_a_block(store: ReplyStore) -> None:
    """Y01, Y09: user and answer together, in the step that ends the turn, failed ones too."""
    await store.apply([*keep(1, 2), start(1, 1, 2)])
    assert (await store.memory()).blocks == ()
    await store.apply([end(1, "because")])
    await store.apply([KeepCut(cut(3)), start(2, 3), EndTurnRecord(2, "", False, "silent")])
    told = [(block.seq, block.user, block.answer) for block in (await store.memory()).blocks]
    assert told == [(1, "cut 1 cut 2", "because"), (2, "cut 3", "")]


async def test_a_turn_that_gave_its_cuts_back_is_no_block(store: ReplyStore) -> None:
    """The turn that answers them will be: words must not stand there twice."""
    await store.apply([*keep(1), start(1, 1)])
    await store.apply([RestoreCuts(1)])
    await store.apply([start(2, 1), end(2)])
    assert [block.user for block in (await store.memory()).blocks] == ["cut 1"]


async def test_the_last_call_is_context_for_the_next(place: str) -> None:
    """Y02: and two calls of one peer at the same time number their blocks one after another."""
    async with await ReplyStore.open(place, peer="ann") as one:
        await said(one, "a")
        async with await ReplyStore.open(place, peer="ann") as two:
            await said(two, "b")
            await said(one, "c")
            blocks = (await two.memory()).blocks
    assert [(block.seq, block.user) for block in blocks] == [(1, "a"), (2, "b"), (3, "c")]


async def test_a_summary_stands_for_its_blocks_and_leaves_them(store: ReplyStore) -> None:
    """Y06: nothing verbatim is ever overwritten; Y07: what was said meanwhile is not lost."""
    await said(store, "a", "b", "c")
    await store.summarise(MemorySummary(1, 2, "about a and b"))
    memory = await store.memory()
    assert memory.summaries == (MemorySummary(1, 2, "about a and b"),)
    assert [block.user for block in memory.blocks] == ["c"]
    kept = (await export_peer(store._database, str(store.peer)))["memory_blocks"]
    assert [block["answer"] for block in kept] == ["a?", "b?", "c?"]


async def test_a_wider_summary_hides_the_narrower_ones(store: ReplyStore) -> None:
    """Compaction may take its own summaries in; they stay in the database."""
    await said(store, "a", "b", "c", "d")
    for summary in (
        MemorySummary(1, 1, "a"),
        MemorySummary(2, 3, "bc"),
        MemorySummary(1, 3, "abc"),
    ):
        await store.summarise(summary)
    memory = await store.memory()
    assert [summary.text for summary in memory.summaries] == ["abc"]
    assert [block.user for block in memory.blocks] == ["d"]


@pytest.mark.parametrize("ends", [(2, 1), (0, 2), (2, 3)])
async def test_a_summary_covers_blocks_that_are_there(
    store: ReplyStore, ends: tuple[int, int]
) -> None:
    """One of words to come would hide them."""
    await said(store, "a", "b")
    with pytest.raises(ReplyStoreError, match="cannot be summarised"):
        await store.summarise(MemorySummary(*ends, "all"))
