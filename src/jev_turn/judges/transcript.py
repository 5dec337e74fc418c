"""The words as they grew: earlier versions, how stable they are, and characters fit to be shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import TypeVar

from jev_turn.turn.words import tokens

T = TypeVar("T")

Version = tuple[str, int]
"""A text, and a time: when it came, or how long ago that was, ms."""

_JOINERS = "\u200c\u200d"
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}


def trajectory(
    partials: Iterable[Version], current: str, now_ms: int, length: int
) -> tuple[Version, ...]:
    """Return the versions that the words went through on their way.

    Args:
        partials: Every version, oldest first, as (text, when it came in ms).
        current: The words now; they and mere re-punctuations are left out.
        now_ms: Now, by the same clock.
        length: Most versions to return; the latest stay.

    Returns:
        Distinct earlier versions, oldest first, as (text, ms ago).
    """
    seen = {tokens(current), ()}
    kept: list[Version] = []
    for text, at in partials:
        if (words := tokens(text)) not in seen:
            seen.add(words)
            kept.append((text, now_ms - at))
    return tuple(latest(kept, length))


def stable_word_ratio(current: str, previous: str | None, final: bool) -> float:
    """Return the share of the words now that open the previous version too.

    Args:
        current: The words now.
        previous: The version before it; ``None`` when there was none.
        final: The recogniser will not change them again, which makes them wholly stable.
    """
    if final:
        return 1.0
    now, before = tokens(current), tokens(previous or "")
    same = 0
    for new, old in zip(now, before, strict=False):
        if new != old:
            break
        same += 1
    return same / len(now) if now else 0.0


def clean(text: str) -> str:
    """Return ``text`` on one line, without characters that are not writing."""
    visible = (
        " " if char.isspace() else char
        for char in text
        if char.isspace() or char in _JOINERS or unicodedata.category(char) not in _HIDDEN
    )
    return " ".join("".join(visible).split())


def tail(text: str, limit: int) -> str:
    """Return the last ``limit`` characters of the cleaned text, marked when it was longer."""
    text = clean(text)
    return text if len(text) <= limit else "\u2026" + text[len(text) - limit :].lstrip()


def head(text: str, limit: int) -> str:
    """Return the first ``limit`` characters of the cleaned text, marked when it was longer."""
    text = clean(text)
    return text if len(text) <= limit else text[:limit].rstrip() + "\u2026"


def latest(items: Sequence[T], count: int) -> Sequence[T]:
    """Return the last ``count`` of ``items``; none for 0."""
    return items[len(items) - count :] if len(items) > count else items
