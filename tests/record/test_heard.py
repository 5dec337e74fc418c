"""Words as the oracle compares them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jev_turn.record.heard import behind, overlap, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is it?", "what IS it"),
        ("it's", "It\u2019s"),
        ("uh-huh", "Uh huh."),
        ("415", "four one five"),
        ("555 0", "five, five, five, oh"),
        ("19", "nineteen"),
        ("\uff11\uff12", "12"),
    ],
)
def test_the_same_words_are_the_same(one: str, other: str) -> None:
    """Case, punctuation, apostrophes and the spelling of digits do not count."""
    assert words(one) == words(other) != ()


@pytest.mark.parametrize(("one", "other"), [("yes", "no"), ("12", "21"), ("yes", "yes yes")])
def test_other_words_are_others(one: str, other: str) -> None:
    """Order and number of the words count."""
    assert words(one) != words(other)


@pytest.mark.parametrize("text", ["", " ", "...", "?!", "\u266a"])
def test_punctuation_is_no_word(text: str) -> None:
    """A recogniser writes it for noise."""
    assert words(text) == ()


@given(*[st.text("aB1. -'\u2019\u00e9\u4f60\u0301_", max_size=12)] * 2)
def test_joining_texts_joins_their_words(one: str, other: str) -> None:
    """Else a message could not be compared with the finals that it was joined from."""
    assert words(f"{one} {other}") == words(one) + words(other)


@pytest.mark.parametrize(
    ("interim", "final", "is_late"),
    [
        ("what is an index", "What is an index?", True),
        ("an index is", "an indexes", True),
        ("four hundred and fifteen", "415", True),
        ("what", "what is an index", True),
        ("abcdefgh xy", "abcdefgh zz", True),
        ("abcdefgh xyz", "abcdefgh", False),
        ("oh", "no", False),
    ],
)
def test_overlap_is_the_share_of_the_interims_letters(
    interim: str, final: str, is_late: bool
) -> None:
    """At 0.8 or more the final is the interim's own: 8 of 10 letters are, 8 of 11 are not."""
    assert (overlap(words(interim), words(final)) >= 0.8) is is_late


@pytest.mark.parametrize(
    ("interim", "final", "rests"),
    [
        ("what is", "what is it", [2]),
        ("an index is", "an indexes in it", [2]),
        ("a toy", "a top", [2]),
    ],
)
def test_the_rest_begins_behind_the_interim(interim: str, final: str, rests: list[int]) -> None:
    """What the committed words do not stand for must still come out."""
    assert list(behind(words(interim), words(final))) == rests
