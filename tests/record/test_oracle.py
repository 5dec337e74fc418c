"""Words lost or doubled, told from outside."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jev_turn.record.oracle import Final, Oracle, segments, words_lost

CLEAN = Oracle((), ())


def _finals(*texts: str) -> list[Final]:
    return [Final(text, 1000 * number) for number, text in enumerate(texts)]


def test_words_that_come_out_once_are_accounted_for() -> None:
    """In the context, among the discards, as nods, or still held."""
    finals = _finals("what is it", "hey mark", "uh-huh", "and then")
    assert words_lost(finals, ["What is it?"], ["Hey Mark"], ["uh-huh"], ["and then"]) == CLEAN


def test_a_dropped_final_is_lost() -> None:
    """It is named as it was written."""
    assert words_lost(_finals("one more", "Is it, though?"), ["one more"]) == Oracle(
        ("Is it, though?",), ()
    )


def test_a_final_answered_twice_is_doubled() -> None:
    """Two turns with the same words that were said once."""
    assert words_lost(_finals("what is it"), ["what is it", "what is it"]) == Oracle(
        (), ("what is it",)
    )


def test_a_final_repeated_inside_one_message_is_doubled() -> None:
    """The aggregator would join a final that was pushed twice."""
    assert words_lost(_finals("yes", "what is it"), ["yes what is it what is it"]) == Oracle(
        (), ("what is it",)
    )


def test_a_nod_that_is_answered_as_well_is_doubled() -> None:
    """Words that left the turn must not come back in the next one."""
    oracle = words_lost(_finals("uh-huh", "what is it"), ["uh-huh what is it"], (), ["uh-huh"])
    assert oracle == Oracle((), ("uh-huh",))


def test_a_split_final_is_whole() -> None:
    """A nod at the head of a final, the rest a turn; or half before a cut and half behind it."""
    assert words_lost(_finals("uh-huh wait stop"), ["wait stop"], (), ["uh-huh"]) == CLEAN
    assert words_lost(_finals("what is it in use"), ["what is it", "in use"]) == CLEAN


def test_the_lost_half_of_a_split_final_is_lost() -> None:
    """Half a sentence is not a sentence."""
    assert words_lost(_finals("what is it in use"), ["what is it"]) == Oracle(("in use",), ())


def test_punctuation_and_digits_do_not_count() -> None:
    """Recognisers write the same words in many ways."""
    finals = _finals("My number is 415", "five five oh.")
    assert words_lost(finals, ["my number is four one five, 5-5-0"]) == CLEAN


def test_the_same_utterance_twice_must_come_out_twice() -> None:
    """Two answers, "yes" and "yes", are two answers."""
    finals = _finals("yes", "what", "Yes.")
    assert words_lost(finals, ["yes", "what", "yes"]) == CLEAN
    assert words_lost(finals, ["yes", "what"]) == Oracle(("Yes.",), ())
    assert words_lost(finals, ["yes", "what"], ["yes"]) == CLEAN


def test_order_counts() -> None:
    """Two turns that changed places are not what was said."""
    assert not words_lost(_finals("first this", "then that"), ["then that", "first this"]).ok


def test_invented_words_are_doubled() -> None:
    """No final accounts for them."""
    assert words_lost(_finals("yes"), ["yes", "thank you"]) == Oracle((), ("thank you",))


def test_finals_are_taken_in_order_of_time() -> None:
    """Whoever collects them may do so from several places."""
    assert words_lost([Final("b", 2), Final("a", 1)], ["a b"]) == CLEAN


def test_a_final_of_punctuation_needs_no_place() -> None:
    """Noise is written as dots."""
    assert words_lost(_finals("...", "yes"), ["yes"]) == CLEAN


LATE = [Final("What is an indexes?", 0, ("what is", "what is an index is"))]


def test_a_committed_interim_stands_for_its_late_final() -> None:
    """The final came after the commit and says the same in other letters."""
    assert words_lost(LATE, ["what is an index is"]) == CLEAN


def test_a_late_final_that_is_answered_as_well_is_doubled() -> None:
    """The person said it once."""
    oracle = words_lost(LATE, ["what is an index is", "What is an indexes?"])
    assert oracle == Oracle((), ("What is an indexes?",))


def test_the_rest_of_a_late_final_must_come_out() -> None:
    """Words behind the committed interim are new text."""
    finals = [Final("what is an indexes in use", 0, ("what is an index is",))]
    assert words_lost(finals, ["what is an index is", "in use"]) == CLEAN
    assert words_lost(finals, ["what is an index is"]) == Oracle(("in use",), ())


def test_a_final_unlike_its_committed_interim_is_new_text() -> None:
    """Overlap below 0.8: both were heard, and both may be answered, but the final must be."""
    finals = [Final("wreck a nice beach", 0, ("recognise speech",))]
    assert words_lost(finals, ["recognise speech", "wreck a nice beach"]) == CLEAN
    assert words_lost(finals, ["wreck a nice beach"]) == CLEAN
    assert not words_lost(finals, ["recognise speech"]).ok


def test_only_a_known_interim_stands_for_a_final() -> None:
    """A final that lost one of five words was not committed early: it was damaged."""
    assert words_lost(_finals("do not call me back"), ["do call me back"]) == Oracle(("not",), ())


def test_a_swapped_word_is_lost_and_doubled() -> None:
    """What came out was not what was said."""
    assert words_lost(_finals("call me back"), ["call him back"]) == Oracle(("me",), ("him",))


def test_nothing_said_and_nothing_heard_is_clean() -> None:
    """A silent call."""
    assert words_lost([], []) == CLEAN


def test_a_long_soak_is_accounted_for_exactly() -> None:
    """One final of 400 in a vocabulary of five words: it is found, and nothing else is blamed."""
    said = [" ".join("abcde"[(i * i + i * k) % 5] for k in range(i % 5 + 2)) for i in range(400)]
    places: list[list[str]] = [[], [], []]
    for number, text in enumerate(said):
        places[number % 7 % 3].append(text)
    assert words_lost(_finals(*said), *places) == CLEAN
    lost = places[0].pop(90)
    assert words_lost(_finals(*said), *places) == Oracle((lost,), ())


def test_interims_belong_to_the_final_that_follows_them() -> None:
    """A recogniser numbers nothing: a final closes what came before it."""
    heard = [(1, "a", False), (2, "a b", False), (3, "A b.", True), (4, "C.", True)]
    assert segments(heard) == [Final("A b.", 3, ("a", "a b")), Final("C.", 4)]


def test_interims_without_a_final_are_words_too() -> None:
    """The last interim is all there is of them, and it must come out."""
    assert segments([(1, "a", False), (2, "a b", False)]) == [Final("a b", 2, ("a",))]


# Any account of random utterances: in order inside each place, joined and split at will.
WORDS = st.sampled_from(["yes", "no", "wait", "one", "stop"])
# Mutations of so few words show within some dozens of calls; the suite has seconds, not minutes.
FEW = settings(max_examples=40)
SAID = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@dataclass
class Call:
    """A call whose words all came out once, and the pieces they came out in."""

    finals: list[Final] = field(default_factory=list)
    places: list[list[str]] = field(default_factory=lambda: [[], [], [], []])

    def oracle(self) -> Oracle:
        return words_lost(self.finals, *self.places)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Any honest call."""
    call = Call()
    for number, text in enumerate(draw(st.lists(SAID, min_size=1, max_size=8))):
        call.finals.append(Final(text, number))
        said = text.split()
        cut = draw(st.integers(0, len(said)))
        for piece in filter(None, (said[:cut], said[cut:])):
            place = call.places[draw(st.integers(0, 3))]
            written = draw(st.sampled_from(["{}", "{}.", "{}, "])).format(" ".join(piece))
            joins = draw(st.booleans())
            if place and joins:
                place[-1] += f" {written.capitalize()}"
            else:
                place.append(written)
    return call


def _pick(data: st.DataObject, call: Call) -> tuple[list[str], int]:
    place = data.draw(st.sampled_from([place for place in call.places if place]))
    return place, data.draw(st.integers(0, len(place) - 1))


@FEW
@given(calls())
def test_every_honest_call_is_clean(call: Call) -> None:
    """Splitting, joining, re-punctuation and repetition alone are never called an error."""
    assert call.oracle() == CLEAN


@FEW
@given(calls(), st.data())
def test_a_piece_that_is_dropped_is_always_seen(call: Call, data: st.DataObject) -> None:
    """Whatever is dropped, from wherever, however often it was said."""
    place, at = _pick(data, call)
    del place[at]
    assert call.oracle().lost


@FEW
@given(calls(), st.data())
def test_a_piece_that_is_doubled_is_always_seen(call: Call, data: st.DataObject) -> None:
    """Once more in its place, or in another one."""
    place, at = _pick(data, call)
    other = data.draw(st.sampled_from(call.places))
    other.insert(data.draw(st.integers(0, len(other))), place[at])
    assert call.oracle().doubled


@FEW
@given(calls(), st.data())
def test_a_final_that_went_nowhere_is_always_seen(call: Call, data: st.DataObject) -> None:
    """One more final was written than came out."""
    at = data.draw(st.integers(0, len(call.finals) - 1))
    call.finals.insert(at, Final(data.draw(SAID), call.finals[at].at_ms))
    assert call.oracle().lost


@FEW
@given(calls(), st.data())
def test_an_interim_that_stands_in_hides_no_error(call: Call, data: st.DataObject) -> None:
    """Knowing interims must not excuse a dropped piece of a final whose interims begin it."""
    call.finals = [
        Final(final.text, final.at_ms, tuple(_beginnings(final.text))) for final in call.finals
    ]
    assert call.oracle() == CLEAN
    place, at = _pick(data, call)
    del place[at]
    assert call.oracle().lost


def _beginnings(text: str) -> list[str]:
    said = text.split()
    return [" ".join(said[:end]) for end in range(1, len(said) + 1)]


@pytest.mark.parametrize("place", range(4))
def test_every_place_counts(place: int) -> None:
    """A word may come out in any of the four places."""
    places: list[list[str]] = [[], [], [], []]
    places[place].append("yes")
    assert words_lost(_finals("yes"), *places) == CLEAN
