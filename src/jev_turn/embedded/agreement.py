"""What two reads of a growing segment agree on: the words worth showing before the final."""

from __future__ import annotations

_SURROUNDINGS = ".,!?;:…\"'“”‘’()[]-—♪"


def agreed(earlier: str, later: str) -> str:
    """Return the leading words that two consecutive reads have in common.

    Case and punctuation do not count. The words are spelled as in the later read, without
    punctuation around them: the recogniser puts a full stop after every read, and where the
    next word goes is what the reads do not know yet.

    Args:
        earlier: The read before.
        later: The newest read.

    Returns:
        The common beginning; empty when the first words differ.
    """
    common: list[str] = []
    for before, word in zip(_words(earlier), _words(later), strict=False):
        if _bare(before) != _bare(word):
            break
        common.append(word)
    return " ".join(common).strip(_SURROUNDINGS)


def is_news(shown: str, text: str) -> bool:
    """Tell whether ``text`` says anything that ``shown`` has not already said.

    Args:
        shown: The words shown last for this segment.
        text: The words agreed on since.

    Returns:
        False for nothing, for the same words, and for a shorter beginning of them.
    """
    before = [_bare(word) for word in _words(shown)]
    words = [_bare(word) for word in _words(text)]
    return bool(words) and before[: len(words)] != words


def _words(text: str) -> list[str]:
    return [word for word in text.split() if _bare(word)]


def _bare(word: str) -> str:
    return word.strip(_SURROUNDINGS).casefold()
