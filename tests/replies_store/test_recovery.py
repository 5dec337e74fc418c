"""What is put right when a call is taken up again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from support.reply_store import die, end, ids, keep, start

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.effects import Effect, Mark, RestoreCuts, TurnSpoke
from jev_turn.replies.store import CRASHED, ReplyStore


async def crash_after(place: str, *steps: Sequence[Effect], peer: str | None = None) -> ReplyStore:
    """Run ``steps`` in a process that dies, and take its call up again."""
    dead = await ReplyStore.open(place, "call", peer=peer)
    for step in steps:
        await dead.apply(step)
    await die(dead)
    return await ReplyStore.open(place, "call", peer=peer)


async def test_a_turn_that_had_not_spoken_gives_its_cuts_back(place: str) -> None:
    """R09: they go to the head of the list, before those that came later."""
    async with await crash_after(place, keep(1, 2), [start(1, 1, 2)], keep(3)) as store:
        state = await store.state()
        assert (ids(state.pending), state.in_flight) == ([1, 2, 3], None)
        assert (store.recovered.restored, store.recovered.interrupted) == ((1, 2), ())


async def test_a_turn_that_had_spoken_is_never_answered_again(place: str) -> None:
    """Its ending is written down instead, and says why."""
    async with await crash_after(place, keep(1), [start(1, 1)], [TurnSpoke(1)], keep(2)) as store:
        state = await store.state()
        assert (ids(state.pending), state.in_flight) == ([2], None)
        assert (state.turns[0].ok, state.turns[0].error) == (False, CRASHED)
        assert (store.recovered.restored, store.recovered.interrupted) == ((), (1,))


async def test_a_turn_that_had_ended_stays_as_it_is(place: str) -> None:
    """A crash after the ending changes nothing."""
    async with await crash_after(place, keep(1), [start(1, 1)], [TurnSpoke(1)], [end(1)]) as store:
        state = await store.state()
        assert (state.pending, state.turns[0].ok) == ((), True)
        assert store.recovered.restored == store.recovered.interrupted == ()


async def test_a_crash_is_not_the_failure_that_is_forgiven_once(place: str) -> None:
    """R11 counts runs that failed by themselves; a crash took the words from nobody."""
    async with await crash_after(place, keep(1, 2), [start(1, 1)], [RestoreCuts(1)]) as store:
        assert (await store.state()).restored == {1}
        await store.apply([start(2, 1, 2)])
        await die(store)
    async with await ReplyStore.open(place, "call") as store:
        assert (await store.state()).restored == {1}


async def test_recovering_twice_changes_nothing_more(place: str) -> None:
    """A process that dies right after the recovery leaves what the next one would leave."""
    async with await crash_after(place, keep(1), [start(1, 1)]) as store:
        first = await store.state()
        await die(store)
    async with await ReplyStore.open(place, "call") as store:
        assert (await store.state(), store.recovered.restored) == (first, ())


async def test_everything_else_is_found_as_it_was_left(place: str) -> None:
    """A call may move to another process between two words."""
    async with await crash_after(place, keep(1), [Mark(1, "cut 1 and")]) as store:
        assert (await store.state()).marks == ((1, "cut 1 and"),)


async def test_a_spoken_turn_enters_memory_though_the_process_died(place: str) -> None:
    """What the peer said was said; the answer is not known."""
    steps = keep(1), [start(1, 1)], [TurnSpoke(1)]
    async with await crash_after(place, *steps, peer="ann") as store:
        assert [(b.user, b.answer) for b in (await store.memory()).blocks] == [("cut 1", "")]


async def test_a_step_whose_caller_is_cancelled_is_whole(place: str) -> None:
    """The host may be cancelled at any await; half a step must not be what is left of it."""
    async with await ReplyStore.open(place, "call") as store:
        step = asyncio.ensure_future(store.apply([*keep(1, 2), start(1, 1, 2)]))
        await asyncio.sleep(0)
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step
    async with await ReplyStore.open(place, "call") as store:
        assert ids((await store.state()).pending) in ([], [1, 2])


async def test_a_call_that_was_closed_cannot_be_written(place: str) -> None:
    """A host that goes on after the end of its call would write beside the next writer."""
    store = await ReplyStore.open(place, "call")
    await store.close()
    await store.close()
    with pytest.raises(ReplyStoreError):
        await store.apply(keep(1))
