"""The mouth: three bands of quiet, verdicts, the ceiling, and what asking costs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from support.reply_scenario import MouthRunner

from jev_turn.replies.effects import AskMouth, Hold, LetGo, Note, Open, Unspoken, Withdraw


def hold(lips: MouthRunner, at: int = 100, words: str = "what is an index") -> None:
    """Say something, fall quiet at ``at`` and put a first chunk at the mouth in that moment."""
    lips.do(at, f'words "{words}"')
    lips.do(at, "quiet 0")
    lips.do(at, "chunk 1")


@pytest.mark.parametrize(("at", "asks"), [(1099, 0), (1100, 1)])
def test_the_lower_bound_holds_without_asking(lips: MouthRunner, at: int, asks: int) -> None:
    """G03: asked in mid-sentence, a yes lets the reply out between two words; both sides of 1 s."""
    hold(lips)
    lips.do(at)
    assert (len(lips.all(AskMouth)), lips.all(Open)) == (asks, [])


@pytest.mark.parametrize(("at", "why"), [(4099, []), (4100, ["quiet"])])
def test_the_upper_bound_opens_without_asking(lips: MouthRunner, at: int, why: list[str]) -> None:
    """G03: a judge that always says no would keep the person waiting; both sides of 4 s."""
    hold(lips)
    lips.do(at)
    assert [opened.why for opened in lips.all(Open)] == why


@pytest.mark.parametrize("quiet_ms", [4000, 9000])
def test_a_reply_that_comes_late_opens_at_once(lips: MouthRunner, quiet_ms: int) -> None:
    """G03: the person has waited for the model already."""
    lips.do(0, "onset")
    lips.do(10000, f"quiet {quiet_ms}")
    effects = lips.do(10000, "chunk 1")
    assert effects == (Open(1, "quiet", quiet_ms, None),)


@pytest.mark.parametrize(("score", "opens"), [(0.6, True), (0.5999, False)])
def test_the_threshold_is_inclusive(lips: MouthRunner, score: float, opens: bool) -> None:
    """J06: both sides of 0.6, a guess until it is scanned."""
    hold(lips)
    lips.do(1100)
    lips.do(1400, f"judged ask=1 finished={score}")
    assert bool(lips.all(Open)) is opens


def test_a_yes_opens_in_the_same_millisecond(lips: MouthRunner) -> None:
    """Opened by the next tick, each reply would be up to a second late."""
    hold(lips)
    lips.do(1100)
    assert lips.do(1377, "judged ask=1 finished=0.9") == (Open(1, "finished", 1277, 0.9),)


def test_the_bounds_are_settings(lips: MouthRunner) -> None:
    """G04: raised towards 2 s to ask less in mid-sentence, and nothing else changes."""
    lips.config = replace(lips.config, ask_from_ms=2000, open_at_ms=3000)
    hold(lips)
    lips.do(9000)
    assert (lips.times(AskMouth), lips.times(Open)) == ([2100], [3100])


def test_a_lag_is_taken_off_the_quiet(lips: MouthRunner) -> None:
    """Section 9, 6: a clock on transcripts shows quiet while the person is still speaking."""
    lips.config = replace(lips.config, lag_ms=700)
    hold(lips)
    for at in (1100, 1799, 4100, 4799, 9000):
        lips.do(at)
    assert (lips.times(AskMouth), lips.times(Open)) == ([1800], [4800])


TICKS = [50, 100, 200, 250, 1000]


def calls(lips: MouthRunner, tick_ms: int, *, own: bool) -> int:
    """Count the asks of one timeline with a host that ticks every ``tick_ms``."""
    lips.ticks = own
    hold(lips)
    answered = 0
    for at in range(100, 4000, tick_ms):
        lips.do(at)
        for ask in lips.all(AskMouth)[answered:]:
            lips.do(at + min(tick_ms, 200), f"judged ask={ask.ask} finished=0.2")
            answered += 1
    return len(lips.all(AskMouth))


@pytest.mark.parametrize("tick_ms", TICKS)
@pytest.mark.parametrize("own", [True, False], ids=["own timer", "host's ticks alone"])
def test_a_faster_tick_asks_no_more_often(lips: MouthRunner, tick_ms: int, own: bool) -> None:
    """G05: ticks of 0.25 s instead of 1.0 s would quadruple the bill, run well and raise nothing."""
    assert calls(lips, tick_ms, own=own) == 3


def test_asks_are_a_second_apart_whatever_happens(lips: MouthRunner) -> None:
    """G05: words that come and go, and errors, each make the last answer worthless at once."""
    lips.config = replace(lips.config, open_at_ms=60000, ceiling_ms=60000)
    hold(lips)
    for at in range(200, 20000, 150):
        lips.do(at, f'words "{"word " * (at // 150)}"')
        if lips.ctx.asked:
            lips.do(at, f"failed ask={lips.ctx.asked.number} timeout")
    gaps = [later - earlier for earlier, later in pairwise(lips.times(AskMouth))]
    assert len(gaps) > 10
    assert min(gaps) >= 1000


def test_a_question_on_its_way_is_not_asked_again(lips: MouthRunner) -> None:
    """A slow judge is not made faster by asking twice."""
    hold(lips)
    lips.do(3900)
    assert lips.times(AskMouth) == [1100]


@pytest.mark.parametrize("score", [0.0, 0.59])
def test_a_no_is_asked_again_after_a_second(lips: MouthRunner, score: float) -> None:
    """G06: a person's quiet says more with each second."""
    hold(lips)
    lips.do(1100)
    lips.do(1300, f"judged ask=1 finished={score}")
    lips.do(2099)
    assert lips.times(AskMouth) == [1100]
    lips.do(2100)
    assert lips.times(AskMouth) == [1100, 2100]


def test_an_error_holds_and_is_asked_again(lips: MouthRunner) -> None:
    """G06: an error must neither open over a person nor keep the reply back for ever."""
    hold(lips)
    lips.do(1100)
    effects = lips.do(1900, "failed ask=1 timeout")
    assert effects == (Note("degraded", "timeout"), Hold(1, "error", 1800, None))
    lips.do(2100)
    assert lips.times(AskMouth) == [1100, 2100]


def test_with_the_judge_down_the_upper_bound_opens(lips: MouthRunner) -> None:
    """G06: or a judge that is down makes the bot silent."""
    hold(lips)
    for ask, at in enumerate((1100, 2100, 3100), 1):
        lips.do(at)
        lips.do(at + 100, f"failed ask={ask} unavailable")
    lips.do(4100)
    assert [opened.why for opened in lips.all(Open)] == ["quiet"]


@pytest.mark.parametrize(
    ("since", "late"),
    [
        (["onset"], True),
        (["onset", "quiet 100"], True),
        (['words "what is an index and"'], True),
        (['words "What is an index?"'], False),
        (["quiet 0"], True),
        (["stalled"], True),
        (["quiet 1150"], False),
        (["tick"], False),
    ],
)
def test_a_verdict_is_late_after_a_word_or_a_sound(
    lips: MouthRunner, since: list[str], late: bool
) -> None:
    """G07: "finished" about words that are not the last any more speaks over a person."""
    hold(lips)
    lips.do(1100)
    for number, line in enumerate(since):
        lips.do(1200 + number, line)
    lips.do(1300, "judged ask=1 finished=0.9")
    assert bool(lips.all(Open)) is not late
    assert ([held.why for held in lips.all(Hold)][-1] == "late") is late


def test_a_late_no_does_nothing_either(lips: MouthRunner) -> None:
    """G07: the trace must not show the present words as judged."""
    hold(lips)
    lips.do(1100)
    lips.do(1200, 'words "what is an index and a view"')
    effects = lips.do(1300, "judged ask=1 finished=0.1")
    assert effects == (Hold(1, "late", 1200, 0.1),)


def test_sound_starts_the_bands_again(lips: MouthRunner) -> None:
    """Quiet before the last word is no quiet after it."""
    hold(lips)
    lips.do(1500, "onset")
    lips.do(2500, "quiet 200")
    lips.do(3299)
    assert lips.times(AskMouth) == [1100]
    lips.do(3300)
    assert lips.times(AskMouth) == [1100, 3300]


def test_a_soft_word_starts_the_bands_again(lips: MouthRunner) -> None:
    """The gate did not hear it; counted as four seconds of quiet, the reply would cut it off."""
    hold(lips)
    lips.do(1700, 'words "what is an index really"')
    lips.do(2699)
    assert lips.times(AskMouth) == [1100]
    lips.do(2700)
    assert lips.times(AskMouth) == [1100, 2700]


def test_the_recognisers_delay_is_no_soft_word(lips: MouthRunner) -> None:
    """Text comes after its sound; counted as sound, each final would put the reply off."""
    hold(lips)
    lips.do(1600, 'words "what is an index really"')
    lips.do(2100)
    assert lips.times(AskMouth) == [1100, 2100]


@pytest.mark.parametrize("state", ["holding", "open", "clear"])
def test_only_the_first_chunk_waits(lips: MouthRunner, state: str) -> None:
    """G02: a second hold in one reply is a gap in the middle of a sentence."""
    hold(lips)
    lips.do(1100)
    if state != "holding":
        lips.do(1200, "judged ask=1 finished=0.9")
    if state == "clear":
        lips.do(1300, "leaving")
    lips.do(1400, "onset")
    assert lips.do(1500, "chunk 1") == ()
    assert lips.ctx.phase == state


def test_the_next_turn_is_held_anew(lips: MouthRunner) -> None:
    """G02: a mouth that stays open is no mouth."""
    hold(lips)
    lips.do(4100)
    lips.do(4200, "onset")
    assert lips.do(4300, "chunk 2") == (Hold(2, "short", 0, None),)


@pytest.mark.parametrize("over", [600, 2000])
def test_a_stream_that_ends_while_held_stays_held(lips: MouthRunner, over: int) -> None:
    """G08: a short reply is complete before the person is; it must come out all the same."""
    hold(lips)
    lips.do(over, "over")
    lips.do(4100)
    assert lips.times(Open) == [4100]


def test_an_empty_stream_holds_nothing(lips: MouthRunner) -> None:
    """G08: without a first chunk there is nothing to wait for, to ask about or to pay for."""
    lips.do(0, 'words "what is an index"')
    lips.do(0, "over")
    assert lips.ctx.deadline is None
    assert lips.do(20000) == ()


@pytest.mark.parametrize(("at", "why"), [(12099, []), (12100, ["ceiling"])])
def test_the_ceiling_opens_in_a_pause(lips: MouthRunner, at: int, why: list[str]) -> None:
    """Short pauses keep the upper bound out of reach for ever; both sides of 12 s."""
    lips.config = replace(lips.config, open_at_ms=60000)
    hold(lips)
    lips.do(11000, "onset")
    lips.do(11100, "quiet 100")
    lips.do(at)
    assert [opened.why for opened in lips.all(Open)] == why


@pytest.mark.parametrize(("word_at", "given_up"), [(7101, True), (7100, False)])
def test_the_ceiling_never_speaks_over_a_person(
    lips: MouthRunner, word_at: int, given_up: bool
) -> None:
    """Ruling: loud with words of the last five seconds is a person, without them a loud room."""
    hold(lips)
    lips.do(200, "onset")
    lips.do(word_at, 'words "what is an index and"')
    lips.do(12100)
    assert bool(lips.all(Unspoken)) is given_up
    assert [opened.why for opened in lips.all(Open)] == ([] if given_up else ["still"])


def test_a_reply_to_nothing_new_is_not_asked_about(lips: MouthRunner) -> None:
    """A call taken up again answers words that this process never heard; a judge has none to read."""
    lips.do(0, "quiet 0")
    lips.do(100, "chunk 1")
    lips.do(1000)
    assert (lips.all(AskMouth), lips.all(Open)) == ([], [Open(1, "quiet", 1000, None)])


def test_words_that_a_sound_may_still_bring_are_waited_for(lips: MouthRunner) -> None:
    """A recogniser that is 1.2 s behind has not said yet that the person goes on."""
    lips.do(0, "quiet 0")
    lips.do(100, "chunk 1")
    lips.do(200, "onset")
    lips.do(3000, "quiet 0")
    lips.do(4000)
    assert (lips.all(AskMouth), lips.all(Open)) == ([], [])
    lips.do(4200, 'words "and then I"')
    assert len(lips.all(AskMouth)) == 1 and not lips.all(Open)


@pytest.mark.parametrize(("at", "opens"), [(4499, False), (4500, True)])
def test_a_sound_without_words_holds_no_longer_than_words_take(
    lips: MouthRunner, at: int, opens: bool
) -> None:
    """A cough brings no word: both sides of word_lag_ms after it."""
    lips.do(100, "chunk 1")
    lips.do(200, "onset")
    lips.do(3000, "quiet 0")
    lips.do(at)
    assert bool(lips.all(Open)) is opens and not lips.all(AskMouth)


@pytest.fixture
def loud_room(lips: MouthRunner) -> MouthRunner:
    """A mouth that has opened in a room whose sound never stops."""
    hold(lips)
    lips.do(200, "onset")
    lips.do(12100)
    assert [opened.why for opened in lips.all(Open)] == ["still"]
    return lips


def test_a_room_that_is_never_quiet_lets_the_audio_leave(loud_room: MouthRunner) -> None:
    """Held again for the same noise, the reply would open and be held in one ms without end."""
    assert loud_room.do(12100, "leaving") == (LetGo(1),)


def test_words_in_a_loud_room_hold_the_audio_that_is_leaving(loud_room: MouthRunner) -> None:
    """Noise says nothing about the person there; words still do."""
    loud_room.do(12150, 'words "what is an index and"')
    loud_room.do(12200, "leaving")
    assert (loud_room.all(LetGo), loud_room.all(Unspoken)) == ([], [Unspoken(1)])


def test_without_any_words_sound_at_the_ceiling_is_a_person(lips: MouthRunner) -> None:
    """A mouth whose host tells it no words cannot know a loud room from a speaker."""
    lips.do(0, "onset")
    lips.do(100, "chunk 1")
    lips.do(12100)
    assert lips.all(Unspoken) == [Unspoken(1)]


def test_a_breath_at_the_ceiling_is_waited_out(lips: MouthRunner) -> None:
    """A fifth of a second between two words is not the end, and no reason to give up either."""
    lips.do(0, "onset")
    lips.do(100, "chunk 1")
    lips.do(12000, 'words "and so"')
    lips.do(12050, "quiet 200")
    lips.do(12849)
    assert (lips.all(Open), lips.all(Unspoken)) == ([], [])
    lips.do(12850)
    assert lips.times(Open) == [12850]


def test_soft_words_at_the_ceiling_do_not_put_it_off_for_ever(lips: MouthRunner) -> None:
    """Somebody too soft for the gate goes on: after one breath the reply is given up."""
    lips.config = replace(lips.config, word_lag_ms=0)
    lips.do(0, "quiet 0")
    lips.do(0, "chunk 1")
    for at in range(0, 14000, 500):
        lips.do(at, f'words "{"word " * at}"')
    assert lips.times(Unspoken) == [13000]


def test_what_was_given_up_stays_so_for_its_turn(lips: MouthRunner) -> None:
    """The second half of a dropped reply would come out without its first."""
    lips.do(0, "onset")
    lips.do(100, "chunk 1")
    lips.do(12100)
    assert lips.do(12200, "chunk 1") == (Unspoken(1),)
    assert lips.do(12300, "chunk 2") == (Hold(2, "short", 0, None),)


def test_a_muted_microphone_is_no_quiet(lips: MouthRunner) -> None:
    """M06: the next reply would find the mouth wide open."""
    lips.do(0, "quiet 0")
    lips.do(100, "stalled")
    lips.do(10000, "back")
    assert lips.do(10000, "chunk 1") == (Hold(1, "short", 0, None),)


def test_without_a_microphone_only_the_ceiling_opens(lips: MouthRunner) -> None:
    """G22: no sound information is neither silence nor speech."""
    lips.do(0, "stalled")
    lips.do(0, "chunk 1")
    lips.do(20000)
    assert (lips.all(AskMouth), lips.times(Open)) == ([], [12000])


@pytest.mark.parametrize("between", [["onset"], ['words "what is an index and a view"']])
def test_it_is_checked_once_more_when_audio_leaves(lips: MouthRunner, between: list[str]) -> None:
    """Synthesis takes half a second, in which a person goes on."""
    hold(lips)
    lips.do(1100)
    lips.do(1200, "judged ask=1 finished=0.9")
    for line in between:
        lips.do(1300, line)
    (effect, *_) = lips.do(1400, "leaving")
    assert isinstance(effect, Hold)
    assert (effect.why, lips.ctx.phase, lips.all(LetGo)) == ("resumed", "holding", [])


def test_what_has_left_is_not_taken_back(lips: MouthRunner) -> None:
    """R06: a reply that has begun is finished."""
    hold(lips)
    lips.do(1100)
    lips.do(1200, "judged ask=1 finished=0.9")
    assert lips.do(1200, "leaving") == (LetGo(1),)
    assert lips.do(1300, "onset") == ()
    lips.do(9000, 'words "stop stop"')
    assert (len(lips.all(Hold)), lips.all(Withdraw)) == (1, [])


@pytest.mark.parametrize("resume", ["hold", "withdraw"])
def test_new_words_withdraw_a_held_reply_only_if_asked_to(lips: MouthRunner, resume: str) -> None:
    """Ruling: in finish-turn the words wait in the list; alone nobody else keeps them."""
    lips.config = replace(lips.config, on_resume=resume)  # type: ignore[arg-type]
    hold(lips)
    lips.do(500, 'words "what is an index and a view"')
    assert bool(lips.all(Withdraw)) is (resume == "withdraw")


@pytest.mark.parametrize("line", ["onset", 'words "What is an index?"', 'words ""'])
def test_sound_and_signs_withdraw_nothing(lips: MouthRunner, line: str) -> None:
    """A cough or a full stop would cancel a reply that is being made."""
    lips.config = replace(lips.config, on_resume="withdraw")
    hold(lips)
    lips.do(500, line)
    assert lips.all(Withdraw) == []


@pytest.mark.parametrize("line", ["dropped", "judged ask=1 finished=0.9", "leaving", "over"])
def test_what_finds_nothing_held_is_noted(lips: MouthRunner, line: str) -> None:
    """Nothing is ignored silently, and nothing opens that is not held."""
    (effect,) = lips.do(0, line)
    assert isinstance(effect, Note)
    assert lips.ctx.phase == "idle"


def test_a_dropped_reply_is_asked_about_no_more(lips: MouthRunner) -> None:
    """The application dropped it; each further ask would be paid for nothing."""
    hold(lips)
    lips.do(500, "dropped")
    assert lips.ctx.deadline is None
    lips.do(9000)
    assert (lips.all(AskMouth), lips.all(Open)) == ([], [])


def test_each_decision_says_what_it_rests_on(lips: MouthRunner) -> None:
    """G09: "why did it wait until 0:41?" is answered by quiet, band and score."""
    hold(lips)
    lips.do(1100)
    lips.do(1300, "judged ask=1 finished=0.3")
    lips.do(4100)
    assert lips.all(Hold) == [Hold(1, "short", 0, None), Hold(1, "unfinished", 1200, 0.3)]
    assert lips.all(Open) == [Open(1, "quiet", 4000, None)]


# --- words that were dropped ---------------------------------------------------------------------


def test_dropped_words_leave_the_quiet_clock_alone(lips: MouthRunner) -> None:
    """They are no sign of life: the person would wait for another second of quiet."""
    hold(lips, 0, "what is an index thank you for watching")
    lips.do(1800, 'left "what is an index"')
    lips.do(2000)
    assert [ask.quiet_ms for ask in lips.all(AskMouth)] == [1000, 2000]


def test_a_verdict_about_dropped_words_is_late(lips: MouthRunner) -> None:
    """G07: it is about words that nobody said; what is left is asked about."""
    hold(lips, 0, "what is an index thank you for watching")
    lips.do(1000)
    lips.do(1100, 'left "what is an index"')
    lips.do(1200, "judged ask=1 finished=0.9")
    assert (lips.all(Hold)[-1].why, lips.all(Open)) == ("late", [])
    lips.do(2000)
    assert [ask.text for ask in lips.all(AskMouth)][1:] == ["what is an index"]


def test_when_nothing_is_left_the_mouth_opens_unasked(lips: MouthRunner) -> None:
    """Without a word since the last reply there is nothing to have finished."""
    hold(lips, 0, "thank you for watching")
    lips.do(300, 'left ""')
    lips.do(1000)
    assert (lips.all(AskMouth), [opened.why for opened in lips.all(Open)]) == ([], ["quiet"])


def test_dropped_words_hold_no_audio_that_is_leaving(lips: MouthRunner) -> None:
    """The person has not gone on: what they said has only become less."""
    hold(lips, 0, "what is an index thank you for watching")
    lips.do(1000)
    lips.do(1100, "judged ask=1 finished=0.9")
    lips.do(1150, 'left "what is an index"')
    assert lips.do(1160, "leaving") == (LetGo(1),)


def test_dropped_words_withdraw_nothing(lips: MouthRunner) -> None:
    """Only new words show that the person goes on."""
    lips.config = replace(lips.config, on_resume="withdraw")
    hold(lips, 0, "what is an index thank you for watching")
    lips.do(500, 'left "what is an index"')
    assert lips.all(Withdraw) == []
