"""How fast words were spoken: a recogniser that invents a sentence makes it too short for one.

What is measured is the rate and never the content, so that no topic is suspect, and words without
a duration pass: to answer an invented sentence is cheaper than to swallow what people say.
"""

from __future__ import annotations

import math

from jev_turn.replies.config import ReplyConfig
from jev_turn.turn.words import count

_KANA = range(0x3041, 0x3100)


def units(text: str) -> float:
    """Count what a speaker of any language says at most a few of in a second.

    A word is one, a Chinese character one, and a kana half: it is a mora and not a syllable, and
    Japanese speakers reach nine of them a second.

    Args:
        text: Anything a recogniser wrote.

    Returns:
        The units; 0 for white space and punctuation.
    """
    return count(text) - sum(ord(char) in _KANA for char in text) / 2


def rate(text: str, duration_ms: float | None) -> float | None:
    """Return the units of ``text`` per second; ``None`` when no duration is known.

    Args:
        text: Anything a recogniser wrote.
        duration_ms: How long it took; ``None``, NaN, infinity, 0 and less are no duration.
    """
    if duration_ms is None or not math.isfinite(duration_ms) or duration_ms <= 0:
        return None
    return units(text) * 1000 / duration_ms


def too_fast(text: str, duration_ms: float | None, config: ReplyConfig) -> float | None:
    """Return the rate of ``text`` if no person speaks like that.

    Args:
        text: A segment as the recogniser wrote it.
        duration_ms: How long it took, if that is known.
        config: ``speech_rate_max_per_s``, and ``speech_rate_units_min`` under which a text is too
            short to have a rate.

    Returns:
        The units per second, or ``None`` if a person may have said it.
    """
    found = rate(text, duration_ms)
    if found is None or units(text) < config.speech_rate_units_min:
        return None
    return found if found > config.speech_rate_max_per_s else None
