"""The speech-rate gate: an invented sentence is too fast for a person; its content proves nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from jev_turn.replies.config import ReplyConfig
from jev_turn.replies.speech_rate import rate, too_fast, units

SEVEN = "one small step for a man now"
UNITS = {
    "words": ("what is an index", 4),
    "signs": ("what - is... that?", 3),
    "zh": ("今天天气怎么样", 7),
    "zh with signs": ("今天，天气怎么样？", 7),
    "zh with a word": ("我用 API 吗", 4),
    "ja kana": ("よろしくおねがいします", 5.5),
    "ja mixed": ("東京に行きたいです。", 6),
    "nothing": (" ... ", 0),
}


@pytest.mark.parametrize(("text", "expected"), UNITS.values(), ids=UNITS.keys())
def test_units(text: str, expected: float) -> None:
    """Counted by spaces, a Chinese sentence is one unit, and no rate ever catches it."""
    assert units(text) == expected


@pytest.mark.parametrize(
    ("text", "duration_ms"),
    [(SEVEN, 620), ("今天天气怎么样", 620), ("ご視聴ありがとうございました", 620)],
    ids=["en", "zh", "ja"],
)
def test_an_invented_sentence_is_too_fast(
    config: ReplyConfig, text: str, duration_ms: float
) -> None:
    """X10: it drove a full turn of model and voice, and stayed in memory for good."""
    assert too_fast(text, duration_ms, config) is not None


def test_the_rate_of_the_invented_sentence() -> None:
    """X10: seven units in 0.62 s are 11.29 a second."""
    assert rate(SEVEN, 620) == pytest.approx(11.29, abs=0.005)


@pytest.mark.parametrize(
    ("text", "duration_ms"),
    [(SEVEN, 1624), ("今天天气怎么样", 1624), ("よろしくおねがいします", 1200), (SEVEN, 1100)],
    ids=["the fastest measured", "zh", "ja", "faster still"],
)
def test_a_fast_person_passes(config: ReplyConfig, text: str, duration_ms: float) -> None:
    """X10: 4.31 a second is a person; so are nine kana a second."""
    assert too_fast(text, duration_ms, config) is None


@pytest.mark.parametrize(("duration_ms", "dropped"), [(1000, False), (999, True)])
def test_the_ceiling_itself_passes(config: ReplyConfig, duration_ms: float, dropped: bool) -> None:
    """X11: seven a second pass, and anything over it does not: both sides of the boundary."""
    assert (too_fast(SEVEN, duration_ms, config) is not None) is dropped


@pytest.mark.parametrize("duration_ms", [None, 0, -1, math.nan, math.inf, -math.inf])
def test_words_without_a_duration_pass(config: ReplyConfig, duration_ms: float | None) -> None:
    """X13: a recogniser that gives no duration would have every sentence swallowed."""
    assert too_fast(SEVEN, duration_ms, config) is None


def test_the_same_words_pass_at_a_plausible_rate(config: ReplyConfig) -> None:
    """X14: a gate on content would swallow a real sentence that was once invented."""
    assert too_fast(SEVEN, 620, config) is not None
    assert too_fast(SEVEN, 2500, config) is None


@pytest.mark.parametrize(
    ("text", "dropped"), [("yes", False), ("oh yes", False), ("oh yes I", True)]
)
def test_two_words_have_no_rate(config: ReplyConfig, text: str, dropped: bool) -> None:
    """A yes of an eighth of a second is eight words a second, and no invention."""
    assert (too_fast(text, 120, config) is not None) is dropped


def test_the_ceiling_is_a_setting(config: ReplyConfig) -> None:
    """X11: the number is a guess, so it must be possible to move it."""
    assert too_fast(SEVEN, 620, replace(config, speech_rate_max_per_s=12.0)) is None


@pytest.mark.parametrize("words", [2, 5, 12])
def test_durations_of_the_other_tests_are_plausible(config: ReplyConfig, words: int) -> None:
    """X16: three units a second, as stubs give them, pass; or the gate eats the test's words."""
    text = " ".join(["word"] * words)
    assert too_fast(text, words * 1000 / 3, config) is None
