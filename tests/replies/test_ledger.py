"""The ledger: what a later text of a segment repeats is cut off it, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jev_turn.replies.ledger import behind_baseline, letters, split

CASES = {
    "equal": ("what is an index", "what is an index", ""),
    "the mark and more": ("what is an index", "what is an index and why", "and why"),
    "revised at its tail": ("tell me what an index is", "tell me what an indexes", "indexes"),
    "entirely different": ("four candles", "fork handles", "fork handles"),
    "shorter": ("what is an index", "what is", ""),
    "shorter by half a word": ("what is an index", "what is an ind", ""),
    "empty": ("what is an index", "", ""),
    "punctuation": ("Okay.", "Okay? So next", "So next"),
    "punctuation alone": ("okay", "...", ""),
    "capitals": ("what is An index", "What is an Index, please", "please"),
    "white space": ("what  is an\nindex", "what is an index please", "please"),
    "apostrophe lost": ("that's it", "Thats it. Next", "Next"),
    "digits spelled": ("call 415", "call four one five now", "now"),
    "digits written": ("call four one five", "Call 415 now", "now"),
    "accents composed": ("cafe\u0301 noir", "Caf\u00e9 noir, please", "please"),
    "sharp s": ("stra\u00dfe", "STRASSE ist lang", "ist lang"),
    "nothing was taken": ("", "what is an index", "what is an index"),
    "signs were taken": ("?!", "what is an index", "what is an index"),
}
"""X08 and X09: consumed, the text that comes then, and what is new of it."""

KEPT_WHOLE = {
    "a longer word": ("he is", "heist went well", "heist went well"),
    "a contraction": ("I don", "I don't know", "don't know"),
    "a hyphen": ("send an e", "send an e-mail", "e-mail"),
    "a decimal": ("it is 3", "it is 3.5", "3.5"),
    "an address": ("mail jo", "mail jo@example.org", "jo@example.org"),
    "a plural": ("three index", "three indexes", "indexes"),
    "an opening quote": ("he said", 'he said "yes please"', '"yes please"'),
    "an opening question": ("hola", "Hola, \u00bfqu\u00e9 tal?", "\u00bfqu\u00e9 tal?"),
    "an opening question at once": ("hola", "Hola,\u00bfqu\u00e9 tal?", "\u00bfqu\u00e9 tal?"),
    "an amount": ("it costs", "it costs $5", "$5"),
    "a negative number": ("it is", "it is -5 degrees", "-5 degrees"),
}
"""X06: consumed, text, rest; a cut through one of these words would change it."""

WITHOUT_SPACES = {
    "zh equal": ("今天天气怎么样", "今天天气怎么样？", ""),
    "zh and more": ("今天天气", "今天天气怎么样", "怎么样"),
    "zh behind a stop": ("你好", "你好。我想问一下", "我想问一下"),
    "zh revised": ("我想问一下天汽", "我想问一下天气怎么样", "气怎么样"),
    "zh other words": ("四是四", "十是十", "十是十"),
    "zh with a word": ("我用API", "我用API。然后呢", "然后呢"),
    "ja equal": ("明日は晴れますか", "明日は晴れますか。", ""),
    "ja and more": ("東京まで", "東京までいくらですか", "いくらですか"),
    "ja behind a comma": ("はい", "はい、お願いします", "お願いします"),
    "ja half width": ("ｱｲｽ", "アイスください", "ください"),
    "ja voiced mark": ("あ", "あ\u3099い", "あ\u3099い"),
    "ja shorter": ("東京までいくら", "東京まで", ""),
}
"""In a script without spaces a word ends at every character."""


@pytest.mark.parametrize(("consumed", "text", "rest"), CASES.values(), ids=CASES.keys())
def test_what_is_new_of_a_later_text(consumed: str, text: str, rest: str) -> None:
    """Without the cut a sentence is answered twice: once as a partial, once as its final."""
    assert split(consumed, text, coverage=0.8).rest == rest


@pytest.mark.parametrize(("consumed", "text", "rest"), KEPT_WHOLE.values(), ids=KEPT_WHOLE.keys())
def test_no_word_is_cut_through(consumed: str, text: str, rest: str) -> None:
    """A cut by length leaves "'t know" of "I don't know", which says the opposite."""
    assert split(consumed, text, coverage=0.8).rest == rest


@pytest.mark.parametrize(
    ("consumed", "text", "rest"), WITHOUT_SPACES.values(), ids=WITHOUT_SPACES.keys()
)
def test_scripts_without_spaces_are_cut_between_characters(
    consumed: str, text: str, rest: str
) -> None:
    """Cut by words, a Chinese or Japanese sentence would be one word and never be cut at all."""
    assert split(consumed, text, coverage=0.8).rest == rest


@pytest.mark.parametrize(
    ("text", "covered", "rest"),
    [("abcd efgh xy", 0.8, "xy"), ("abcd efg xyz", 0.7, "abcd efg xyz")],
)
def test_coverage_counts_letters_and_its_bound_is_inclusive(
    text: str, covered: float, rest: str
) -> None:
    """At 0.8 the words go, just under it they stay: both sides of the boundary."""
    parts = split("abcd efgh ij", text, coverage=0.8)
    assert parts.coverage == pytest.approx(covered)
    assert parts.rest == rest


def test_a_shorter_text_never_counts_below_zero() -> None:
    """A final shorter than its partial repeats all that it says, however little that is."""
    assert split("one two three four five", "one", coverage=0.8).rest == ""


def test_the_trace_is_what_was_written() -> None:
    """The record of a discard must show the recogniser's own words, not the compared ones."""
    assert split("okay", "Okay, so", coverage=0.8).removed == "Okay,"


def test_a_text_that_repeats_nothing_comes_back_as_written() -> None:
    """Rewriting an innocent sentence would show in the model's context."""
    assert split("four candles", "Fork  handles!", coverage=0.8).rest == "Fork  handles!"


def test_a_sentence_said_twice_in_one_segment_stays_once() -> None:
    """Who says "the" twice in the final said one of them after the partial."""
    assert split("stop", "stop stop", coverage=0.8).rest == "stop"


# --- the baseline: the same mechanism over a history of entries ------------------------------


def test_a_baseline_hides_what_was_visible() -> None:
    """S1-B02: text on the screen before the turn would be judged as the turn's own."""
    assert behind_baseline(3, "what is an index", 3, "what is an index") == ""


def test_a_history_is_read_by_its_numbers() -> None:
    """S1-B03: the whole history comes each time; read as a last message it comes back again."""
    history = [(2, "hello"), (3, "what is an index"), (4, "and a view")]
    new = [behind_baseline(3, "what is an index", *entry) for entry in history]
    assert new == ["", "", "and a view"]


def test_an_entry_that_grows_adds_its_end() -> None:
    """S1-B03: the same number goes on; only what follows the baseline is new."""
    assert behind_baseline(3, "what is", 3, "What is an index?") == "an index?"


@pytest.mark.parametrize("late", ["what was an index", "an index", "what is"])
def test_a_late_correction_is_no_new_turn(late: str) -> None:
    """S1-B04: a corrected last turn would be answered a second time."""
    assert behind_baseline(3, "what is an index", 3, late) == ""


def test_the_same_words_in_a_new_entry_are_new() -> None:
    """S1-B05: "yes" to the next question must not be taken for the last one's."""
    assert behind_baseline(3, "yes", 4, "yes") == "yes"


def test_an_empty_baseline_hides_nothing() -> None:
    """An entry that was empty when the turn began belongs to the turn."""
    assert behind_baseline(3, "", 3, "what is an index") == "what is an index"


# --- invariants ------------------------------------------------------------------------------

TEXTS = st.text(st.sampled_from("abAB 1'-.,?你好はァ\u00e9\u0301\u00df"), max_size=14)


@given(TEXTS, TEXTS)
def test_nothing_new_is_ever_cut(consumed: str, text: str) -> None:
    """The letters cut are the first of the consumed ones, and all others stay in order."""
    parts = split(consumed, text, coverage=0.5)
    old, new = (tuple(one.letter for one in letters(words)) for words in (consumed, text))
    removed, rest = (tuple(x.letter for x in letters(w)) for w in (parts.removed, parts.rest))
    assert old[: len(removed)] == removed
    assert removed + rest == new


@given(TEXTS, TEXTS)
def test_more_of_the_same_is_the_whole_addition(consumed: str, more: str) -> None:
    """A final that is its partial and more words gives back exactly those."""
    if letters(consumed):
        rest = split(consumed, f"{consumed} {more}", coverage=0.8).rest
        assert [one.letter for one in letters(rest)] == [one.letter for one in letters(more)]
