"""What each step of the reply list leaves in the database."""

from __future__ import annotations

import math

import pytest
from support.reply_store import cut, end, ids, keep, start

from jev_turn.errors import ReplyStoreError
from jev_turn.replies.effects import (
    AskEar,
    Cut,
    Discard,
    EndTurnRecord,
    GapMarked,
    KeepCut,
    KeepWords,
    Mark,
    Note,
    Rejoin,
    RestoreCuts,
    TurnSpoke,
    Unmark,
)
from jev_turn.replies.store import ReplyStore

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_cuts_wait_in_order_of_arrival(store: ReplyStore) -> None:
    """R12: each cut keeps its number, time, words, segment, score and reason."""
    cuts = (Cut(1, 900, "one", 0, 0.65, "enough"), Cut(2, 2900, "two", 3, 0.0, "degraded"))
    await store.apply([KeepCut(cuts[0])])
    await store.apply([KeepCut(cuts[1])])
    assert (await store.state()).pending == cuts


async def test_a_cut_that_is_kept_twice_is_one_cut(store: ReplyStore) -> None:
    """Cuts are told apart by number: a step that is repeated doubles nothing."""
    await store.apply(keep(1))
    await store.apply(keep(1))
    assert ids((await store.state()).pending) == [1]


async def test_three_cuts_make_one_turn(store: ReplyStore) -> None:
    """R02: what a turn eats no longer waits and is in flight instead."""
    await store.apply(keep(1, 2, 3))
    await store.apply([start(1, 1, 2, 3)])
    state = await store.state()
    assert state.pending == ()
    assert state.in_flight is not None
    assert (state.in_flight.cuts, state.in_flight.text) == ((1, 2, 3), "cut 1 cut 2 cut 3")


async def test_cuts_that_come_during_a_turn_wait(store: ReplyStore) -> None:
    """R04, R07: the turn in flight does not eat them, and its end leaves them where they are."""
    await store.apply([*keep(1), start(1, 1)])
    await store.apply(keep(2, 3))
    await store.apply([end(1)])
    state = await store.state()
    assert (ids(state.pending), state.in_flight) == ([2, 3], None)


async def test_only_one_turn_is_in_flight(store: ReplyStore) -> None:
    """R05: two at once would answer each other's words."""
    await store.apply([*keep(1, 2), start(1, 1)])
    with pytest.raises(ReplyStoreError, match="another turn is in flight"):
        await store.apply([start(2, 2)])
    assert ids((await store.state()).pending) == [2]


async def test_a_turn_eats_only_what_waits(store: ReplyStore) -> None:
    """A cut of an earlier turn, or one that nobody kept, is refused: it would be answered twice."""
    await store.apply([*keep(1), start(1, 1), end(1)])
    for number in (1, 7):
        with pytest.raises(ReplyStoreError, match="does not wait"):
            await store.apply([start(2, number)])


async def test_a_dispatch_is_stored_whole_or_not_at_all(store: ReplyStore) -> None:
    """What precedes a refused effect is not stored either."""
    with pytest.raises(ReplyStoreError):
        await store.apply([*keep(1), Mark(0, "cut"), TurnSpoke(1)])
    state = await store.state()
    assert (state.cuts, state.marks) == ((), ())


async def test_a_failed_turn_gives_its_cuts_back_to_the_head(store: ReplyStore) -> None:
    """R11: they come before what was said meanwhile, and it is known that they failed once."""
    await store.apply([*keep(1, 2), start(1, 1, 2)])
    await store.apply(keep(3))
    await store.apply([RestoreCuts(1, "the model is down")])
    state = await store.state()
    assert (ids(state.pending), set(state.restored)) == ([1, 2, 3], {1, 2})
    assert state.in_flight is None
    assert (state.turns[0].ok, state.turns[0].error) == (False, "the model is down")


async def test_a_turn_that_spoke_gives_nothing_back(store: ReplyStore) -> None:
    """Its cuts have been answered, at least in part; they would be answered twice."""
    await store.apply([*keep(1), start(1, 1)])
    await store.apply([TurnSpoke(1)])
    with pytest.raises(ReplyStoreError, match="has spoken"):
        await store.apply([RestoreCuts(1)])


@pytest.mark.parametrize("second", [end(1), RestoreCuts(1), TurnSpoke(1)])
async def test_a_turn_has_one_ending(
    store: ReplyStore, second: EndTurnRecord | RestoreCuts | TurnSpoke
) -> None:
    """R06: after it, nothing happens to the turn any more."""
    await store.apply([*keep(1), start(1, 1), end(1)])
    with pytest.raises(ReplyStoreError, match="turn 1 is not in flight"):
        await store.apply([second])
    assert (await store.state()).pending == ()


async def test_an_ending_is_written_down(store: ReplyStore) -> None:
    """R06: with its answer, or with what went wrong."""
    await store.apply([*keep(1), start(1, 1), TurnSpoke(1), end(1, "because")])
    await store.apply([*keep(2), start(2, 2), EndTurnRecord(2, "half", False, "silent")])
    told = [(t.answer, t.ok, t.error, t.spoke) for t in (await store.state()).turns]
    assert told == [("because", True, "", True), ("half", False, "silent", False)]


async def test_a_segment_has_one_mark_until_its_final(store: ReplyStore) -> None:
    """X05: the delivered text grows with its segment and is void at the final."""
    await store.apply([Mark(0, "what is"), Mark(1, "and")])
    await store.apply([Mark(0, "what is an index")])
    assert (await store.state()).marks == ((0, "what is an index"), (1, "and"))
    await store.apply([Unmark(0), Unmark(5)])
    assert (await store.state()).marks == ((1, "and"),)


async def test_a_discard_leaves_its_trace(store: ReplyStore) -> None:
    """X15: kind, words, numbers and time; a number may be none."""
    await store.apply([Discard("rate", "thank you", (("per_s", 11.31), ("seconds", math.nan)))])
    (trace,) = (await store.state()).discards
    assert (trace.kind, trace.text, trace.rejoined) == ("rate", "thank you", False)
    assert trace.numbers[0] == ("per_s", 11.31) and math.isnan(trace.numbers[1][1])
    assert trace.at_ms > 1_700_000_000_000


async def test_words_in_no_cut_are_kept_as_they_are_now(store: ReplyStore) -> None:
    """Each step that changes them replaces them all; after a crash they are asked about again."""
    await store.apply([KeepWords(((0, "so"), (1, "what is")))])
    await store.apply([KeepWords(((1, "what is"), (2, "an index")))])
    assert (await store.state()).words == ((1, "what is"), (2, "an index"))
    assert (await store.state()).next_segment == 3
    await store.apply([*keep(1), KeepWords(())])
    assert (await store.state()).words == ()


async def test_words_that_come_back_are_noted_at_their_trace(store: ReplyStore) -> None:
    """The last trace of these words: not another's, an older one's or that of a second copy."""
    await store.apply([Discard("strikes", "so"), Discard("strikes", "so"), Discard("rate", "hm")])
    await store.apply([Discard("watermark", "so"), Rejoin("so")])
    assert [d.rejoined for d in (await store.state()).discards] == [False, True, False, False]


async def test_a_gap_is_kept(store: ReplyStore) -> None:
    """What the recogniser did not hear is known afterwards."""
    await store.apply([GapMarked(1000, 9500)])
    assert (await store.state()).gaps == ((1000, 9500),)


async def test_other_effects_are_none_of_the_database(store: ReplyStore) -> None:
    """A dispatch without anything to store costs no transaction."""
    await store.close()
    await store.apply([AskEar(1, "so", 0), Note("stale")])
    with pytest.raises(ReplyStoreError):
        await store.apply(keep(1))


async def test_words_that_no_database_can_hold_are_kept_without_it(store: ReplyStore) -> None:
    """A lone surrogate or a NUL must not lose the whole cut."""
    await store.apply([KeepCut(cut(1, "good\0 \ud800 morning"))])
    assert (await store.state()).pending[0].text == "good ? morning"


async def test_words_of_every_script_come_back_as_they_were(store: ReplyStore) -> None:
    """Not only English is spoken."""
    said = "什么是索引 インデックス naïve 🙂 'quoted' ; DROP TABLE jev_cut"
    await store.apply([KeepCut(cut(1, said))])
    assert (await store.state()).pending[0].text == said


async def test_new_numbers_follow_the_highest(store: ReplyStore) -> None:
    """Whoever takes the call up again must not use a number twice."""
    first = await store.state()
    assert (first.next_cut, first.next_turn, first.next_segment) == (1, 1, 0)
    await store.apply([*keep(1, 4), start(2, 1), Mark(9, "and")])
    state = await store.state()
    assert (state.next_cut, state.next_turn, state.next_segment) == (5, 3, 10)
