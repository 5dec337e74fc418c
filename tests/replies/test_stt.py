"""A recogniser that has gone deaf: how it is noticed, called back, and what becomes of the words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.reply_scenario import ListRunner

from jev_turn.replies.effects import Discard, GapMarked, KeepCut, Note, ReconnectStt, StartTurn


def silences(run: ListRunner) -> list[int]:
    """When the recogniser was taken for deaf, ms."""
    return [at for at, e in run.log if isinstance(e, Note) and e.kind == "stt_silent"]


@pytest.mark.parametrize(("at", "count"), [(8099, 0), (8100, 1)])
def test_eight_seconds_of_sound_without_a_word(run: ListRunner, at: int, count: int) -> None:
    """L03: a dead socket raises no error, and the person talks to a wall; both sides of 8 s."""
    run.do(100, "onset")
    run.do(at)
    assert len(silences(run)) == count


@pytest.mark.parametrize("line", ['heard "I would"', 'heard ""', 'final "I would"'])
def test_any_text_shows_that_it_hears(run: ListRunner, line: str) -> None:
    """Even an empty one: the service is alive, and the sound may be no speech."""
    run.do(100, "onset")
    run.do(5000, line)
    run.do(12999)
    assert silences(run) == []
    run.do(13000)
    assert silences(run) == [13000]


@pytest.mark.parametrize("line", ["quiet 200", "stalled"])
def test_without_sound_there_is_nothing_to_hear(run: ListRunner, line: str) -> None:
    """Or every pause of eight seconds would reconnect a healthy service."""
    run.do(100, "onset")
    run.do(5000, line)
    run.do(60000)
    assert (silences(run), run.all(ReconnectStt)) == ([], [])


def test_muted_sound_is_no_sound_without_words(run: ListRunner) -> None:
    """Nobody could hear anything; counted, each long reply would reconnect the service."""
    run.do(0, "onset")
    run.do(1000, "stalled")
    run.do(9000, "back")
    run.do(16999)
    assert silences(run) == []
    run.do(17000)
    assert silences(run) == [17000]


def test_a_fault_that_is_known_is_not_counted_again(run: ListRunner) -> None:
    """Its next attempt is due already; put off by the silence, it would come later and later."""
    run.do(0, "onset")
    run.do(7900, "stt-down closed")
    run.do(8400)
    assert (silences(run), run.times(ReconnectStt)) == ([8000], [8400])


def test_each_sound_has_its_own_eight_seconds(run: ListRunner) -> None:
    """Coughs of a second each never add up to a dead recogniser."""
    for at in range(0, 20000, 2000):
        run.do(at, "onset")
        run.do(at + 1000, "quiet 200")
    assert silences(run) == []


def test_a_second_onset_in_one_sound_does_not_start_it_again(run: ListRunner) -> None:
    """A detector that repeats its start would hide a dead recogniser for ever."""
    for at in range(0, 8000, 1000):
        run.do(at, "onset")
    run.do(8000)
    assert silences(run) == [8000]


def test_the_waits_before_attempts_double(run: ListRunner) -> None:
    """L03: .5, 1, 2, 4, 8 s: a service that is down is not hammered, and not given up."""
    run.do(0, "stt-down closed")
    at = 0
    for _ in range(7):
        at = run.ctx.deadline or 0
        run.do(at)
        run.do(at, "stt-down refused")
    attempts = run.times(ReconnectStt)
    assert [b - a for a, b in zip([0, *attempts], attempts, strict=False)] == [
        500, 1000, 2000, 4000, 8000, 8000, 8000
    ]  # fmt: skip
    assert [effect.attempt for effect in run.all(ReconnectStt)] == [1, 2, 3, 4, 5, 6, 7]


def test_an_attempt_without_an_answer_has_failed(run: ListRunner) -> None:
    """Waited for for ever, the first lost answer would be the last attempt."""
    run.do(0, "stt-down closed")
    run.do(9500)
    assert run.times(ReconnectStt) == [500, 9500]


def test_a_second_report_of_one_failure_does_not_hurry(run: ListRunner) -> None:
    """Services report an error twice; each report would skip one wait."""
    run.do(0, "stt-down closed")
    run.do(100, "stt-down closed")
    run.do(500)
    assert run.times(ReconnectStt) == [500]


def test_attempts_count_until_it_hears(run: ListRunner) -> None:
    """A service that connects and stays deaf would be called every half second otherwise."""
    run.do(0, "onset")
    run.do(8500)
    run.do(8600, "stt-up")
    run.do(16600)
    run.do(17600)
    assert [effect.attempt for effect in run.all(ReconnectStt)] == [1, 2]
    assert run.times(ReconnectStt) == [8500, 17600]


def test_hearing_again_ends_the_attempts(run: ListRunner) -> None:
    """Words prove that the connection works; the next fault begins at the shortest wait."""
    run.do(0, "stt-down closed")
    run.do(600, "stt-down refused")
    run.do(700, 'final "hello"')
    run.do(20000, "stt-down closed")
    run.do(20500)
    assert run.times(ReconnectStt) == [500, 20500]
    assert run.all(ReconnectStt)[-1].attempt == 1


@pytest.mark.parametrize("line", ["stt-up", 'heard "hello"'])
def test_the_gap_is_marked_once(run: ListRunner, line: str) -> None:
    """L03: a record without the gap reads as if the person had said nothing."""
    run.do(300, "onset")
    run.do(9000, line)
    run.do(9100, 'heard "hello there"')
    assert run.all(GapMarked) == [GapMarked(300, 9000)]


def test_the_gap_begins_with_the_last_text(run: ListRunner) -> None:
    """What was recognised before it is no gap."""
    run.do(0, "onset")
    run.do(2000, 'heard "hello"')
    run.do(10500)
    run.do(10600, "stt-up")
    assert run.all(GapMarked) == [GapMarked(2000, 10600)]


def test_the_words_already_heard_are_kept_and_answered(run: ListRunner) -> None:
    """L03: the wait for more ends; half a sentence answered is better than none."""
    run.do(0, "onset")
    run.do(500, 'heard "I would like to"')
    run.do(1500)
    run.do(1600, "ear ask=1 enough=0.2")
    run.do(8500)
    (kept,) = run.all(KeepCut)
    assert (kept.cut.text, kept.cut.why) == ("I would like to", "degraded")
    assert run.times(StartTurn) == [8500]
    assert run.all(Discard) == []


def test_cuts_that_wait_for_quiet_are_handed_over(run: ListRunner) -> None:
    """The sound that they wait out is one that nobody hears."""
    run.config = replace(run.config, cap_ms=60000)
    run.do(0, "onset")
    run.do(500, 'final "what is an index"')
    run.do(1500)
    run.do(1600, "ear ask=1 enough=0.9")
    run.do(8500)
    assert run.times(StartTurn) == [8500]


def test_a_gap_is_no_lack_of_growth(run: ListRunner) -> None:
    """The words could not grow while nobody heard; strikes begin anew."""
    run.do(0, 'final "I would like to"')
    run.do(1000)
    run.do(1100, "ear ask=1 enough=0.1")
    run.do(2500, "stt-down closed")
    run.do(4000, "stt-up")
    run.do(5999)
    assert run.all(Discard) == []
    run.do(7000)
    assert run.times(Discard) == [7000]


def test_a_connection_that_nobody_asked_for_is_no_gap(run: ListRunner) -> None:
    """Services connect by themselves at the start of a call."""
    assert run.do(0, "stt-up") == ()
