"""What a value may be: type, range and both sides of each boundary."""

from __future__ import annotations

import pytest
from support.policy_files import refusal

from jev_turn.policy.entry import Entry

MS = Entry("a.b_ms", "ms", 10, 20)
SHARE = Entry("a.b", "probability", 0, 1)
CHOICE = Entry("a.b", "choice", choices=("retract", "keep"))
SWITCH = Entry("a.b", "switch")
NAME = Entry("a.b", "name")
PHRASES = Entry("a.b", "phrases")


@pytest.mark.parametrize("value", [10, 20])
def test_a_range_includes_both_ends(value: int) -> None:
    """The lowest and the highest value are allowed."""
    assert MS.check(value, "f") == value


@pytest.mark.parametrize("value", [9, 21, 10.0, 15.5, True, "15", None, [15]])
def test_a_whole_number_is_whole_and_in_range(value: object) -> None:
    """Just outside, a fraction, a bool and text are refused."""
    assert refusal(lambda: MS.check(value, "f")).value == value


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.72])
def test_a_probability_is_a_float(value: float) -> None:
    """Whole numbers are taken as such."""
    assert isinstance(SHARE.check(value, "f"), float)


@pytest.mark.parametrize(
    "value", [-1e-9, 1.0000001, float("nan"), float("inf"), float("-inf"), True, "0.5", 10**400]
)
def test_a_probability_lies_between_0_and_1(value: object) -> None:
    """Not finite, a bool, text and numbers too big for a float are refused."""
    assert "from 0 to 1" in refusal(lambda: SHARE.check(value, "f")).reason


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        (CHOICE, "Keep"), (CHOICE, None), (SWITCH, 1), (SWITCH, "true"), (NAME, 3),
        (NAME, "x" * 101), (NAME, "a\nb"),
    ],
)  # fmt: skip
def test_words_are_of_their_unit(entry: Entry, value: object) -> None:
    """A choice is one of its choices, a switch true or false, a name one line of text."""
    assert refusal(lambda: entry.check(value, "f")).key == "a.b"


@pytest.mark.parametrize(
    "value",
    ["stop", {"en": "stop"}, {"en": ["Stop"]}, {"en": ["stop!"]}, {"en": [""]}, {"en": [" stop"]},
     {"en": ["hold  on"]}, {"en": [1]}, [["stop"]]],
)  # fmt: skip
def test_a_phrase_that_could_never_match_is_refused(value: object) -> None:
    """Recognised words are compared without capitals, punctuation and double spaces."""
    assert "phrases" in refusal(lambda: PHRASES.check(value, "f")).reason


def test_phrases_may_be_written_in_any_script() -> None:
    """Accents, vowel signs and apostrophes are part of a word."""
    table = {"de": ["hör auf"], "hi": ["रुको"], "fr": ["c'est bon"], "ja": ["待って"]}
    assert PHRASES.check(table, "f") == {key: tuple(value) for key, value in table.items()}


@pytest.mark.parametrize(
    ("entry", "text", "value"),
    [
        (MS, " 15 ", 15), (SHARE, "0.5", 0.5), (SHARE, "1", 1.0), (CHOICE, "keep", "keep"),
        (SWITCH, "on", True), (SWITCH, "FALSE", False), (SWITCH, "1", True), (NAME, "Ada", "Ada"),
        (PHRASES, "stop, hold on", {"*": ("stop", "hold on")}), (PHRASES, "", {"*": ()}),
    ],
)  # fmt: skip
def test_text_is_read_by_unit(entry: Entry, text: str, value: object) -> None:
    """Environment and options are text: numbers, on and off, phrases between commas."""
    assert entry.parse(text, "f") == value


@pytest.mark.parametrize(
    ("entry", "text"),
    [(MS, "15.5"), (MS, "15ms"), (MS, ""), (SHARE, "nan"), (SHARE, "inf"), (SWITCH, "maybe"),
     (SHARE, "0,5"), (CHOICE, "")],
)  # fmt: skip
def test_text_of_another_unit_is_refused(entry: Entry, text: str) -> None:
    """The error says what was expected and names the source."""
    error = refusal(lambda: entry.parse(text, "NAME"))
    assert error.source == "NAME"
    assert error.reason.startswith("expected")
