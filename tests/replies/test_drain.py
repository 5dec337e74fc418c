"""The drain: when the list is handed to the model, and what it hands over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.reply_scenario import ListRunner

from jev_turn.replies.context import Piece, resumed
from jev_turn.replies.effects import Cut, KeepCut, KeepWords, StartTurn


def pending(run: ListRunner, *texts: str, at: int = 0) -> None:
    """Begin with cuts in the list."""
    cuts = tuple(
        Cut(number, 0, text, number, 0.9, "enough") for number, text in enumerate(texts, 1)
    )
    run.ctx = resumed(cuts, next_cut=len(cuts) + 1, next_turn=1)
    run.do(at, "onset")


@pytest.mark.parametrize(("at", "turns"), [(1799, 0), (1800, 1)])
def test_the_list_waits_for_quiet(run: ListRunner, at: int, turns: int) -> None:
    """E06: handed over at once, each breath would begin a turn; both sides of 800 ms."""
    pending(run, "what is an index")
    run.do(1200, "quiet 200")
    run.do(at)
    assert len(run.all(StartTurn)) == turns


@pytest.mark.parametrize("quiet_ms", [0, 1, 400])
def test_the_quiet_before_a_drain_is_a_setting(run: ListRunner, quiet_ms: int) -> None:
    """E06: the value is a choice that nothing public supports, so it must be possible to move."""
    run.config = replace(run.config, drain_quiet_ms=quiet_ms)
    pending(run, "what is an index")
    run.do(1000, "quiet 0")
    run.do(2000)
    assert run.times(StartTurn) == [1000 + quiet_ms]


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (("one",), "one"),
        (("one", "two", "three"), "one two three"),
        (("one\ntwo", " three  four "), "one two three four"),
        (("今日は", "いい天気"), "今日は いい天気"),
    ],
)
def test_cuts_are_joined_by_single_spaces(
    run: ListRunner, texts: tuple[str, ...], joined: str
) -> None:
    """R02, R03: a line break makes the model answer each fragment by itself."""
    pending(run, *texts)
    run.do(1000, "quiet 200")
    run.do(2000)
    (turn,) = run.all(StartTurn)
    assert (turn.text, turn.fresh) == (joined, joined)


def test_cuts_are_handed_over_in_order_and_all_at_once(run: ListRunner) -> None:
    """R02, R12: three runs for three cuts would give three replies to one utterance."""
    pending(run, "a", "b", "c")
    run.do(1000, "quiet 200")
    run.do(9000)
    assert [[cut.id for cut in turn.cuts] for turn in run.all(StartTurn)] == [[1, 2, 3]]


@pytest.mark.parametrize("state", ["thinking", "speaking"])
def test_an_agent_that_is_busy_is_not_given_more(run: ListRunner, state: str) -> None:
    """R07: a second reply would come out over the first."""
    pending(run, "what is an index")
    run.do(100, f"agent {state}")
    run.do(1000, "quiet 200")
    run.do(9000)
    assert run.all(StartTurn) == []
    run.do(9100, "agent listening")
    assert run.times(StartTurn) == [9100]


def test_one_turn_is_in_flight_at_most(run: ListRunner) -> None:
    """R05: with two, answers overtake each other and one of them is about half of the words."""
    pending(run, "what is an index")
    run.do(1000, "quiet 200")
    for number in range(5):
        run.do(2000 + 1000 * number, f'final "and number {number}"')
        run.do(2900 + 1000 * number, f"ear ask={number + 1} enough=0.9")
    assert len(run.all(StartTurn)) == 1


def test_what_waits_is_eaten_together(run: ListRunner) -> None:
    """R04: after a long answer, each cut would otherwise get a turn of its own."""
    pending(run, "what is an index")
    run.do(1000, "quiet 200")
    for at, number in ((2000, 1), (3000, 2), (4000, 3)):
        run.do(at, f'final "and number {number}"')
        run.do(at + 1000)
        run.do(at + 1000, f"ear ask={number} enough=0.9")
    run.do(6000, 'run-ended ""')
    assert [turn.text for turn in run.all(StartTurn)] == [
        "what is an index", "and number 1 and number 2 and number 3"
    ]  # fmt: skip


@pytest.mark.parametrize(("at", "turns"), [(5399, 0), (5400, 1)])
def test_in_a_loud_room_the_last_new_word_is_the_clock(
    run: ListRunner, at: int, turns: int
) -> None:
    """D25 for the list: music would keep it shut for ever; both sides of the cap."""
    run.do(0, "onset")
    run.do(400, 'final "what is an index"')
    run.do(1400)
    run.do(1500, "ear ask=1 enough=0.9")
    run.do(at)
    assert len(run.all(StartTurn)) == turns


def test_sound_after_the_last_word_gets_the_same_time(run: ListRunner) -> None:
    """It may become words; counted from the last word, the list would drain into them."""
    run.do(0, "onset")
    run.do(400, 'final "what is an index"')
    run.do(600, "quiet 200")
    run.do(1100, "onset")
    run.do(1400)
    run.do(1500, "ear ask=1 enough=0.9")
    run.do(9000)
    assert run.times(StartTurn) == [6100]


def test_a_stalled_microphone_does_not_shut_the_list(run: ListRunner) -> None:
    """The track has ended: without any sound information the words themselves are the clock."""
    run.do(400, 'final "what is an index"')
    run.do(500, "stalled")
    run.do(1400)
    run.do(1500, "ear ask=1 enough=0.9")
    run.do(9000)
    assert run.times(StartTurn) == [5400]


def test_quiet_counts_anew_after_a_mute(run: ListRunner) -> None:
    """M06: the muted time is no silence of the person's."""
    pending(run, "what is an index")
    run.do(100, "quiet 100")
    run.do(200, "agent speaking")
    run.do(200, "stalled")
    run.do(3000, "agent listening")
    run.do(3400, "back")
    run.do(9000)
    assert run.times(StartTurn) == [4200]


@pytest.mark.parametrize(("at", "turns"), [(15099, 0), (15100, 1)])
def test_thinking_has_a_ceiling(run: ListRunner, at: int, turns: int) -> None:
    """A run of the application's own that nobody ended would shut the list for ever."""
    pending(run, "what is an index")
    run.do(50, "quiet 50")
    run.do(100, "agent thinking")
    run.do(at)
    assert len(run.all(StartTurn)) == turns


def test_a_call_taken_up_again_answers_what_waits(run: ListRunner) -> None:
    """R01: cuts that a dead process left must be answered without a new word."""
    cut = Cut(7, 0, "what is an index", 3, 0.9, "enough")
    run.ctx = resumed((cut,), next_cut=8, next_turn=5)
    run.do(0)
    run.do(800)
    assert run.all(StartTurn) == [StartTurn(5, (cut,), cut.text, cut.text)]


def test_words_in_no_cut_are_judged_after_a_restart(run: ListRunner) -> None:
    """R01: a person does not repeat what was heard; it would wait for words that never come."""
    run.ctx = resumed((), next_cut=1, next_turn=1, words=(Piece(4, "what is an index"),))
    run.do(0)
    run.do(200, "ear ask=1 enough=0.9")
    assert [kept.cut.text for kept in run.all(KeepCut)] == ["what is an index"]
    assert run.all(KeepWords) == [KeepWords(())]


def test_numbers_go_on_after_a_restart(run: ListRunner) -> None:
    """R01: a cut with an old number would be taken for the old cut and never be answered."""
    run.ctx = resumed((), next_cut=8, next_turn=5)
    run.do(0, 'final "what is an index"')
    run.do(1000)
    run.do(1000, "ear ask=1 enough=0.9")
    (turn,) = run.all(StartTurn)
    assert (turn.turn, turn.cuts[0].id) == (5, 8)


def test_an_empty_list_starts_nothing(run: ListRunner) -> None:
    """A model run about nothing gives a nonsense reply."""
    run.do(0, "onset")
    run.do(100, "quiet 0")
    run.do(60000)
    assert (run.all(StartTurn), run.ctx.deadline) == ([], None)
