"""What became of each sound, from accounts made by hand."""

from __future__ import annotations

import pytest
from support.demo_call import call, ended, heard, line, noise, opened, played

from jev_turn.demo.evidence import Ended, Opening
from jev_turn.demo.kept import Before
from jev_turn.demo.labels import Stretch
from jev_turn.demo.outcome import cut_ins, outcomes, thoughts
from jev_turn.demo.plan import Fate, Recording, Voice
from jev_turn.play.witness import Account


def test_opened_after_counts_from_the_first_loud_frame_of_the_sound_itself() -> None:
    """The gate decided at 1110 ms of sound, 110 ms in; the pipeline was told at 1124 ms."""
    one = call([line(995, 1500, Fate.ANSWERED)], Account(onsets=[1124]), [opened(1110, 110)])
    assert outcomes(one)[0].openings == (Opening(1124, 124, 129, heard_ms=120),)


@pytest.mark.parametrize(("refused_ms", "held_back"), [(1109, True), (880, True), (879, False)])
def test_an_opening_that_the_refractory_time_held_back_is_marked(
    refused_ms: int, held_back: bool
) -> None:
    """It was refused between its first loud frame at 880 ms and its opening at 1110 ms."""
    numbers = {"stream_ms": refused_ms}
    refusal = {"kind": "gate", "state": "refractory", "t": 0, "numbers": numbers}
    records = [refusal, opened(1110, 230)]
    one = call([line(880, 1500, Fate.STOPS)], Account(onsets=[1110]), records)
    assert outcomes(one)[0].openings == (Opening(1110, 230, 230, held_back, 240),)


def test_a_reopening_within_a_stretch_has_no_label() -> None:
    """It began at no labelled onset; one after a labelled pause did."""
    voice = played(Voice("x"), Fate.ANSWERED, Stretch(1000, 1800), Stretch(2200, 2600))
    one = call([voice], Account(onsets=[1115, 1500, 2312]))
    assert [x.from_label_ms for x in outcomes(one)[0].openings] == [115, None, 112]


def test_a_noise_opens_without_a_label() -> None:
    """Only voices are labelled; the label before it is not taken for its own."""
    one = call([line(0, 900, Fate.ANSWERED), noise(3000, 3300)], Account(onsets=[110, 3120]))
    openings = [x.openings for x in outcomes(one)]
    assert [[x.from_label_ms for x in group] for group in openings] == [[110], [None]]


def test_everything_belongs_to_the_sound_before_it() -> None:
    """Words, turns, interruptions and replies come after what caused them."""
    account = Account(
        finals=[heard(1300, "hello"), heard(5300, "wait")],
        turns=[(1700, "hello"), (5900, "wait")],
        bot=[(2000, 5400), (6200, None)],
        interrupts=[5400],
    )
    sounds = [line(500, 1000, Fate.ANSWERED), line(4600, 5000, Fate.STOPS)]
    first, second = outcomes(call(sounds, account, audible=[(2000, 5410), (6200, 7000)]))
    assert (first.words, first.replies, first.interruptions) == (("hello",), (2000,), ())
    assert (second.words, second.replies) == (("wait",), (6200,))
    assert [turn.text for turn in first.ended] == ["hello"]


def test_words_that_were_never_made_final_are_words_too() -> None:
    """A recogniser that reads words into music need not stand by them for harm to be done."""
    partials = [
        {"kind": "partial", "t": at_ms, "segment": 1, "text": text}
        for at_ms, text in ((800, "hel"), (4000, "thank"), (4300, "thank you"))
    ]
    sounds = [line(500, 1000, Fate.ANSWERED), noise(3500, 4500, "music")]
    found = outcomes(call(sounds, Account(finals=[heard(1300, "hello")]), partials, began_ms=10))
    assert [one.words for one in found] == [("hello",), ("thank you",)]


def test_the_bot_is_stopped_when_the_loudspeaker_is_silent() -> None:
    """The order went out at 5400 ms, the last sound was heard at 5410: 410 after the end."""
    account = Account(interrupts=[5400])
    one = call([line(4600, 5000, Fate.STOPS)], account, audible=[(2000, 5410)])
    (stop,) = outcomes(one)[0].interruptions
    assert (stop.silent_ms, stop.after_end_ms, stop.spoke) == (5410, 410, True)


def test_a_reply_that_was_withdrawn_stopped_nothing_audible() -> None:
    """Nobody had heard it yet."""
    one = call([line(4600, 5000, Fate.ANSWERED)], Account(interrupts=[5400]))
    (stop,) = outcomes(one)[0].interruptions
    assert (stop.silent_ms, stop.spoke) == (5400, False)


def test_a_turn_has_the_reason_that_was_on_record_when_it_ended() -> None:
    """The record's clock began 40 ms after the microphone's."""
    account = Account(turns=[(1700, "a"), (3700, "b")])
    records = [ended(1655), ended(3660, "timeout")]
    one = call([line(500, 1000, Fate.ANSWERED)], account, records, began_ms=40)
    assert outcomes(one)[0].ended == (
        Ended("a", 1000, 1700, "complete"),
        Ended("b", 1000, 3700, "timeout"),
    )


def test_a_recording_has_its_last_word_from_the_gate() -> None:
    """Without labels the gate's closing is the best that is known."""
    sound = played(Recording("x.wav"), Fate.ANY)
    one = call([sound], Account(quiets=[900, 2600], turns=[(1700, "a")]))
    assert outcomes(one)[0].ended == (Ended("a", 900, 1700, ""),)


def test_a_turn_before_the_thought_is_whole_is_a_cut() -> None:
    """From the first onset to the last end: 3999 is inside, 4000 is not."""
    sounds = [line(1000, 2000, Fate.CONTINUED), line(3500, 4000, Fate.ANSWERED)]

    def cuts(*turns: int) -> int:
        return cut_ins(outcomes(call(sounds, Account(turns=[(at, "x") for at in turns]))))

    assert (cuts(999), cuts(1000), cuts(2500), cuts(3999), cuts(4000)) == (0, 1, 1, 1, 0)
    assert cuts(2500, 4400) == 1


def test_a_thought_ends_with_the_first_line_that_is_not_continued() -> None:
    """Three groups of digits are one thought, what follows is another."""
    fates = [Fate.CONTINUED, Fate.CONTINUED, Fate.ANSWERED, Fate.ANSWERED]
    found = outcomes(
        call([line(n * 1000, n * 1000 + 500, fate) for n, fate in enumerate(fates)], Account())
    )
    assert [len(group) for group in thoughts(found)] == [3, 1]


def test_what_is_answered_before_the_first_sound_belongs_to_a_killed_process() -> None:
    """It would count as a second reply to the first sound."""
    account = Account(turns=[(100, "tickets")], bot=[(900, 2000)])
    (one,) = outcomes(call([line(5000, 5900, Fate.ANY)], account, before=Before(-9, ())))
    assert (one.ended, one.replies) == ((), ())


def test_behind_a_mute_the_sounds_own_clock_is_not_the_calls() -> None:
    """MicGate gives the gate the end of the mute as well: its clock is set forward."""
    mute = {"kind": "mute", "t": 500, "state": "stop"}
    one = call([line(995, 1500, Fate.ANSWERED)], Account(onsets=[1124]), [mute, opened(1310, 110)])
    assert outcomes(one)[0].openings == (Opening(1124, None, 129),)
