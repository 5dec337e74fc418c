"""How words of two recognised texts are compared."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jev_turn.turn import words
from jev_turn.turn.words import behind_taken, count, is_prefix, starts_with_phrase, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is an Index?", ["what", "is", "an", "index"]),
        ("  what\tis\nan   index ", ["what", "is", "an", "index"]),
        ("Don't -- I'd…", ["dont", "id"]),
        ("Don\u2019t", ["dont"]),
        ("uh-huh", ["uh", "huh"]),
        ("415-555-0199", list("4155550199")),
        ("four one five oh", list("4150")),
        ("mp3 file_name", ["mp", "3", "file", "name"]),
        ("Straße CAFÉ", ["strasse", "café"]),
        ("ﬁne １２", ["fine", "1", "2"]),
        ("今天天气", ["今", "天", "天", "气"]),
        ("きょうは", ["き", "ょ", "う", "は"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("...", []),
        ("", []),
        (" - ?! \u2026", []),
    ],
)
def test_words_are_compared_without_case_and_punctuation(text: str, expected: list[str]) -> None:
    """A recogniser that re-punctuates, capitalises or writes digits out has changed nothing."""
    assert list(tokens(text)) == [unicodedata.normalize("NFKC", word) for word in expected]


@settings(max_examples=60)
@given(st.text(st.characters(max_codepoint=127), max_size=30))
def test_plain_text_takes_a_short_cut_to_the_same_words(text: str) -> None:
    """ASCII is split by a table; the general way must agree with it."""
    assert tokens(text) == tuple(t for word in text.split() for t in words._word_tokens(word))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("...", 0), ("no thanks", 2), ("uh-huh, yeah", 2), ("415 555", 2), ("好的 谢谢", 4)],
)
def test_words_are_counted_as_a_person_counts_them(text: str, expected: int) -> None:
    """A hyphen makes no word, a number is one, and Chinese counts by character."""
    assert count(text) == expected


def test_a_prefix_is_whole_words() -> None:
    """The word "but" does not begin "butter", and no words begin nothing."""
    assert is_prefix(tokens("But,"), tokens("but I asked"))
    assert is_prefix(tokens("but"), tokens("But!"))
    assert not is_prefix(tokens("but"), tokens("butter"))
    assert not is_prefix(tokens("but I"), tokens("but"))
    assert not is_prefix((), tokens("but"))


@pytest.mark.parametrize(
    ("heard", "within", "expected"),
    [
        ("Stop!", 1, True),
        ("please stop", 1, False),
        ("please stop", 2, True),
        ("Hold on a second", 1, True),
        ("hold it", 2, False),
        ("holdon", 2, False),
        ("I could not stop", 2, False),
        ("", 2, False),
    ],
)
def test_a_stop_phrase_begins_among_the_first_words(
    heard: str, within: int, expected: bool
) -> None:
    """A phrase counts as a whole and near the start, where it is an order."""
    assert starts_with_phrase(tokens(heard), ("stop", "hold on"), within) is expected


def test_no_stop_phrases() -> None:
    """An empty list, and a phrase without letters, match nothing."""
    assert not starts_with_phrase(tokens("stop"), (), 2)
    assert not starts_with_phrase(tokens("stop"), ("...",), 2)


def late(taken: str, text: str, *, sounded: bool = False) -> str | None:
    """What ``text`` adds to ``taken`` with the packaged overlap."""
    return behind_taken(taken, text, overlap=0.8, sounded=sounded)


@pytest.mark.parametrize(
    ("taken", "text", "rest"),
    [
        ("what is an index", "What is an index?", ""),
        ("what is an index", "What is an index in a database?", "in a database?"),
        ("an index is", "An indexes.", ""),
        ("what is an", "what", ""),
        ("call four one five", "Call 415.", ""),
        ("four one five", "4155", "5"),
        ("four one five", "415-55", "55"),
        ("yes", "Yes. No!", "No!"),
        ("what is an index", "Watson has a tax.", None),
        ("yes", "no", None),
        ("yes", "", None),
    ],
)
def test_what_a_late_final_adds(taken: str, text: str, rest: str | None) -> None:
    """Words that were taken are cut off; what repeats less than four fifths is all new."""
    assert late(taken, text) == rest


@pytest.mark.parametrize(("text", "rest"), [("abcdefgh xy", "xy"), ("abcdefg xyz", None)])
def test_four_fifths_are_enough(text: str, rest: str | None) -> None:
    """Eight of ten letters repeat the taken words, seven do not."""
    assert late("abcdefgh ij", text) == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    [("yes", None), ("Yes.", None), ("yes please", "please"), ("yesterday", None), ("no", None)],
)
def test_after_new_sound_only_a_literal_repetition_is_cut_off(text: str, rest: str | None) -> None:
    """The same word after new sound is a new word (S1-B05)."""
    assert late("yes", text, sounded=True) == rest


LETTERS = st.sampled_from("a b c an be six two four 4 15 no's".split())
SENTENCES = st.lists(LETTERS, max_size=6).map(" ".join)


@settings(max_examples=60)
@given(SENTENCES, SENTENCES, st.booleans())
def test_no_word_behind_the_taken_ones_is_lost(taken: str, more: str, sounded: bool) -> None:
    """A final that begins with the taken words, however it goes on, adds exactly the rest."""
    rest = late(taken, f"{taken} {more}", sounded=sounded)
    if rest is not None:
        assert tokens(rest) == tokens(more)
    else:
        assert not tokens(taken) or (sounded and not tokens(more))


@settings(max_examples=60)
@given(SENTENCES, SENTENCES)
def test_no_more_is_cut_off_than_was_taken(taken: str, text: str) -> None:
    """A late final loses at most as many letters as were taken, and the rest is its own end."""
    rest = late(taken, text)
    if rest:
        heard, kept = "".join(tokens(text)), "".join(tokens(rest))
        assert heard.endswith(kept)
        longest = max((len(token) for token in tokens(text)), default=0)
        assert len(heard) - len(kept) < len("".join(tokens(taken))) + max(longest, 1)
