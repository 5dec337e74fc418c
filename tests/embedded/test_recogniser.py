"""When sound has words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jev_turn.embedded.packages import RECOGNISER, inside
from jev_turn.embedded.recogniser import SPEECH_FRAMES_MIN, holds, speech_frames, words_of
from jev_turn.errors import ConfigError


@pytest.mark.parametrize(
    ("probabilities", "speaks"),
    [
        ([], False),
        ([0.15] * 100, False),
        ([0.89] * 100, False),
        ([1.0, 1.0], False),
        ([0.0, 0.9, 0.1, 0.9, 0.1], False),
        ([0.9, 0.0, 0.9, 0.0, 0.9], True),
        ([0.9, 0.0, 0.899, 0.0, 0.9], False),
    ],
)
def test_three_frames_of_speech_make_a_segment_speech(
    probabilities: list[float], speaks: bool
) -> None:
    """Music has one frame of 32 ms at 0.9 and over, the shortest words have nine and more."""
    assert holds(speech_frames(probabilities), SPEECH_FRAMES_MIN) is speaks


def test_the_check_ends_with_the_third_frame() -> None:
    """Speech is told from its beginning: the rest is looked at only for the words it must hold."""
    looked_at = []

    def frames() -> Iterator[float]:
        for number in range(100):
            looked_at.append(number)
            yield 1.0

    speech = speech_frames(frames())
    assert holds(speech, 3)
    assert len(looked_at) == 3
    assert holds(speech, 5)
    assert len(looked_at) == 8


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (" Wait,  stop. ", "Wait, stop."),
        ("'So can you help me?'", "So can you help me?"),
        ("我们来吃吃。 So can you help", "So can you help"),
        ("♪♪ ♪", ""),
        ("555-0142.", "555-0142."),
        ("Don't.", "Don't."),
    ],
)
def test_only_what_can_be_english_counts_as_words(raw: str, words: str) -> None:
    """Given noise before the words, the model writes notes, quotes and Chinese."""
    assert words_of(raw) == words


def test_a_missing_package_says_how_to_get_it() -> None:
    """The error names the package, its version, the command, and where there is no wheel."""
    with pytest.raises(
        ConfigError, match=r"moonshine-voice==0\.0\.73.*\[embedded\].*glibc 2\.34.*\[whisper\]"
    ):
        inside("no_such_recogniser", RECOGNISER, "assets/tiny-en")


def test_a_version_without_the_weights_is_refused() -> None:
    """Later recogniser wheels hold no weights and would download them."""
    with pytest.raises(ConfigError, match=r"holds no weights/tiny.*exactly moonshine-voice"):
        inside("jev_turn", RECOGNISER, "weights/tiny")
