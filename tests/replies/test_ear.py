"""The ear: what is heard, when it is asked about, and what a verdict does."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from support.reply_scenario import ListRunner

from jev_turn.errors import UnreadableVerdict
from jev_turn.replies.effects import AskEar, Cut, Discard, KeepCut, KeepWords, Mark, Note
from jev_turn.replies.events import EarJudged, HeardFor, MouthJudged


def test_partials_replace_and_finals_append(run: ListRunner) -> None:
    """E01: appended partials repeat the sentence once per word, replaced finals forget it."""
    for at, line in enumerate(['heard "a"', 'heard "a b"', 'final "a b c"', 'heard "d"']):
        run.do(at, line)
    assert run.ctx.buffer.text == "a b c d"


def test_a_partial_may_take_words_back(run: ListRunner) -> None:
    """A recogniser corrects itself; words that it no longer hears must not be answered."""
    run.do(0, 'heard "a b c"')
    run.do(100, 'heard "a"')
    assert run.ctx.buffer.text == "a"


def test_a_lost_final_keeps_its_words(run: ListRunner) -> None:
    """After a reconnection the next segment begins; the words of the open one are words."""
    run.send(HeardFor(0, "what is an index", False, 1))
    run.send(HeardFor(100, "and a view", False, 2))
    assert run.ctx.buffer.text == "what is an index and a view"


def test_closed_words_are_kept_until_they_are_cut_or_dropped(run: ListRunner) -> None:
    """R01: a process may die between a final and the look at it; nobody says it again."""
    run.do(0, 'heard "what is"')
    run.do(100, 'final "what is an index"')
    run.do(200, 'final "and a view"')
    run.do(1200, "ear ask=1 enough=0.9")
    kept = ((1, "what is an index"), (2, "and a view"))
    assert run.all(KeepWords) == [KeepWords(kept[:1]), KeepWords(kept), KeepWords(())]


@pytest.mark.parametrize("text", ["", "  ", "...", "?! ,"])
def test_nothing_is_not_asked_about(run: ListRunner, text: str) -> None:
    """E03: an ask about white space costs money, and a yes to it would start a turn of nothing."""
    run.do(0, f'heard "{text}"')
    assert run.ctx.deadline is None
    assert not run.do(5000)


def test_an_empty_buffer_has_no_ticks(run: ListRunner) -> None:
    """E02: a ticker that runs for ever wakes a silent call once a second."""
    run.do(0, 'final "what is an index"')
    run.do(1000)
    run.do(1200, "ear ask=1 enough=0.9")
    run.do(1300, 'run-ended ""')
    assert run.ctx.deadline is None


def test_growing_words_are_asked_about_once_a_second(run: ListRunner) -> None:
    """E02: an ask per partial would be five times the cost."""
    for at in range(0, 4000, 200):
        run.do(at, f'heard "{"word " * (at // 200 + 1)}"')
    assert run.times(AskEar) == [1000, 2000, 3000]


def test_unchanged_words_are_asked_about_once(run: ListRunner) -> None:
    """Ruling: a look at unchanged text repeats the verdict; asking again would cost and not help."""
    run.do(0, "onset")
    run.do(0, 'heard "I wanted to"')
    run.do(1000)
    run.do(1100, "ear ask=1 enough=0.2")
    run.do(6000)
    assert run.times(AskEar) == [1000]


def test_a_question_on_its_way_is_not_asked_again(run: ListRunner) -> None:
    """A slow judge would be asked the same thing each second, and be slower for it."""
    run.do(0, 'heard "I wanted to"')
    run.do(2900)
    assert run.times(AskEar) == [1000]


def test_numbers_of_questions_never_repeat(run: ListRunner) -> None:
    """An answer finds its question by number; two with one number would answer each other."""
    for at in range(0, 5000, 500):
        run.do(at, f'heard "{"word " * (at // 500 + 1)}"')
    assert [ask.ask for ask in run.all(AskEar)] == [1, 2, 3, 4]


@pytest.mark.parametrize(("enough", "cuts"), [(0.65, 1), (0.6499, 0)])
def test_the_threshold_is_inclusive(run: ListRunner, enough: float, cuts: int) -> None:
    """E04: a score that equals the bar has passed it, or a scanned 0.65 would mean 0.6501."""
    run.do(0, 'heard "what is an index"')
    run.do(1000)
    run.do(1200, f"ear ask=1 enough={enough}")
    assert len(run.all(KeepCut)) == cuts


def test_a_cut_says_what_it_is_made_of(run: ListRunner) -> None:
    """R12: without number, time, segment and score nobody can tell later why it was answered."""
    run.do(0, 'final "what is"')
    run.do(500, 'heard "an  index"')
    run.do(1000)
    run.do(1200, "ear ask=1 enough=0.8")
    assert run.all(KeepCut)[0].cut == Cut(1, 1200, "what is an index", 2, 0.8, "enough")


def test_a_cut_empties_the_buffer(run: ListRunner) -> None:
    """E04: words that stay in the buffer are cut again with the next verdict."""
    run.do(0, 'final "what is an index"')
    run.do(1000)
    run.do(1200, "ear ask=1 enough=0.8")
    assert run.ctx.buffer.text == ""


@pytest.mark.parametrize(("line", "marks"), [("heard", 1), ("final", 0)])
def test_only_an_open_segment_is_marked(run: ListRunner, line: str, marks: int) -> None:
    """X05: a mark on a closed segment would wait for a final that never comes."""
    run.do(0, f'{line} "what is an index"')
    run.do(1000)
    run.do(1200, "ear ask=1 enough=0.8")
    assert len(run.all(Mark)) == marks


def test_a_second_cut_of_one_segment_marks_all_of_it(run: ListRunner) -> None:
    """X05: a mark on the second half alone would bring the first half back with the final."""
    run.do(0, 'heard "one two three"')
    run.do(1000)
    run.do(1100, "ear ask=1 enough=0.8")
    run.do(1200, 'heard "one two three four five six"')
    run.do(2200)
    run.do(2300, "ear ask=2 enough=0.8")
    run.do(2400, 'final "One two three, four five six."')
    assert run.all(Mark)[-1] == Mark(1, "one two three four five six")
    assert [cut.cut.text for cut in run.all(KeepCut)] == ["one two three", "four five six"]
    assert run.ctx.buffer.text == ""


@pytest.mark.parametrize(
    ("then", "late"),
    [
        ('heard "what is an index and"', True),
        ('heard "what was an index"', True),
        ('heard "what is"', True),
        ('heard "What is an index?"', False),
        ('final "What is an index."', False),
    ],
)
def test_a_verdict_counts_for_its_words(run: ListRunner, then: str, late: bool) -> None:
    """J07: acted on late, a fragment is handed over as if it were complete."""
    run.do(0, 'heard "what is an index"')
    run.do(1000)
    run.do(1100, then)
    run.do(1200, "ear ask=1 enough=0.9")
    assert (Note("late_verdict", "1") in run.all(Note)) is late
    assert bool(run.all(KeepCut)) is not late


def test_the_newest_of_two_answers_wins(run: ListRunner) -> None:
    """J09: the older answer comes second, about words that are a cut already."""
    run.do(0, 'heard "I need"')
    run.do(1000)
    run.do(1500, 'heard "I need a plumber"')
    run.do(2000)
    run.do(2100, "ear ask=2 enough=0.9")
    run.do(2200, "ear ask=1 enough=0.9")
    assert [cut.cut.text for cut in run.all(KeepCut)] == ["I need a plumber"]


def test_a_verdict_on_words_that_left_says_nothing_about_the_same_words_again(
    run: ListRunner,
) -> None:
    """J07: "yes" was cut without an answer; a late no must not strike the next "yes"."""
    run.do(0, 'final "yes"')
    run.do(1000)
    run.do(3000)
    assert len(run.all(KeepCut)) == 1
    run.do(3100, 'final "yes"')
    run.do(3200, "ear ask=1 enough=0.1")
    assert run.ctx.ear.strikes == 0


def test_an_error_is_neither_strike_nor_pass(run: ListRunner) -> None:
    """J10: read as a no, an unreachable judge drops every sentence after three errors."""
    run.do(0, "onset")
    run.do(0, 'heard "what is an index"')
    for ask in range(1, 5):
        run.do(1000 * ask)
        run.do(1000 * ask + 100, f"ear-failed ask={ask} timeout")
    assert (run.ctx.ear.strikes, run.all(KeepCut), run.all(Discard)) == (0, [], [])
    assert [note.kind for note in run.all(Note)] == ["degraded"] * 4


@pytest.mark.parametrize(("at", "cuts"), [(2599, 0), (2600, 1)])
def test_two_seconds_of_quiet_make_a_cut_while_the_judge_is_away(
    run: ListRunner, at: int, cuts: int
) -> None:
    """Ruling on a judge that is down: both sides of 2,000 ms; or the bot would fall silent."""
    run.do(0, "onset")
    run.do(400, 'heard "what is an index"')
    run.do(800, "quiet 200")
    run.do(1400)
    run.do(1500, "ear-failed ask=1 timeout")
    run.do(at)
    assert [cut.cut.why for cut in run.all(KeepCut)] == ["degraded"] * cuts


def test_no_cut_without_a_judge_while_the_person_speaks(run: ListRunner) -> None:
    """Sound is not quiet: the sentence may go on for longer than its words show."""
    run.do(0, "onset")
    run.do(400, 'heard "what is an"')
    run.do(1400)
    run.do(1500, "ear-failed ask=1 timeout")
    run.do(5000)
    assert run.all(KeepCut) == []


def test_without_a_judge_a_loud_room_gets_a_cut_after_the_cap(run: ListRunner) -> None:
    """Or a bot in a loud room would never answer while the judge is down."""
    run.do(0, "onset")
    run.do(400, 'heard "what is an index"')
    run.do(1400)
    run.do(1500, "ear-failed ask=1 timeout")
    run.do(5400)
    assert run.times(KeepCut) == [5400]


def test_the_judge_is_back_with_its_first_verdict(run: ListRunner) -> None:
    """Degraded for ever, the ear would go by quiet alone in a healthy call."""
    run.do(500, "onset")
    run.do(900, 'heard "what is an"')
    run.do(1400, "quiet 200")
    run.do(1900)
    run.do(2000, "ear-failed ask=1 timeout")
    run.do(2900)
    run.do(3000, "ear ask=2 enough=0.1")
    run.do(3500)
    assert (run.ctx.ear.away, run.all(KeepCut)) == (False, [])


def test_an_unknown_answer_is_noted(run: ListRunner) -> None:
    """A host that mixes its numbers up would otherwise never be found out."""
    assert run.do(0, "ear ask=9 enough=0.9") == (Note("unknown_ask", "9"),)


@pytest.mark.parametrize("value", [True, None, "0.9", math.nan, math.inf, -0.01, 1.01])
def test_an_unreadable_answer_is_no_event(value: object) -> None:
    """J05: degraded to "not enough", it would keep the bot silent without any error."""
    with pytest.raises(UnreadableVerdict, match="enough_to_answer"):
        EarJudged(0, 1, value)  # type: ignore[arg-type]
    with pytest.raises(UnreadableVerdict, match="holding_floor"):
        EarJudged(0, 1, 0.5, value)  # type: ignore[arg-type]
    with pytest.raises(UnreadableVerdict, match="turn_finished"):
        MouthJudged(0, 1, value)  # type: ignore[arg-type]


def test_time_never_runs_backwards(run: ListRunner) -> None:
    """Two clocks that disagree by a millisecond must not make a negative silence."""
    run.do(1000, 'final "what is an index"')
    run.send(HeardFor(500, "and a view", True, 2))
    assert run.ctx.at == 1000


def test_settings_may_change_during_a_call(run: ListRunner) -> None:
    """K+: a threshold tuned live applies to the next verdict, without a restart."""
    run.do(0, 'final "what is an index"')
    run.do(1000)
    run.config = replace(run.config, answer_threshold=0.3)
    run.do(1200, "ear ask=1 enough=0.4")
    assert len(run.all(KeepCut)) == 1


@pytest.mark.parametrize(
    ("line", "kind"),
    [('final "one small step for a man now" for 620', "rate"), ('final "hm"', None)],
)
def test_a_rate_leaves_its_trace_before_the_words_go(
    run: ListRunner, line: str, kind: str | None
) -> None:
    """X10, X15: the record is an effect of its own, with the numbers that decided."""
    run.do(0, line)
    assert [drop.kind for drop in run.all(Discard)] == ([kind] if kind else [])
    assert run.ctx.buffer.text == ("" if kind else "hm")
    for drop in run.all(Discard):
        assert dict(drop.numbers) == {
            "units_per_s": pytest.approx(11.29, abs=0.01),
            "duration_ms": 620,
        }


def test_a_partial_too_fast_is_kept_until_the_call_ends(run: ListRunner) -> None:
    """X15: kept back is not dropped; without its final its words still leave a trace."""
    run.do(0, 'heard "one small step for a man now" for 620')
    run.do(100, "hang-up")
    assert [drop.text for drop in run.all(Discard)] == ["one small step for a man now"]


def test_a_partial_too_fast_whose_final_is_lost_is_dropped(run: ListRunner) -> None:
    """X15: the next segment begins, so no final will vouch for it any more."""
    run.send(HeardFor(0, "one small step for a man now", False, 1, 620))
    run.send(HeardFor(100, "hello there", False, 2, 900))
    assert [(drop.kind, drop.text) for drop in run.all(Discard)] == [
        ("rate", "one small step for a man now")
    ]
