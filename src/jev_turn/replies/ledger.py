"""What of a segment has been consumed already: delivered watermark and baseline, one mechanism.

A recogniser writes a segment again and again: interims, then a final. When an earlier text of it
was taken (as a cut, by the previous turn), the next text repeats those words. The ledger cuts them
off, and never a character that is new: it compares letters only, position by position from the
start, cuts back to the end of a word, and cuts nothing when too little is repeated. To answer a
few words twice is a lesser evil than to bite the head off a sentence.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from jev_turn.turn.words import tokens


@dataclass(frozen=True, slots=True)
class Split:
    """A text of a segment, taken apart.

    Attributes:
        removed: What repeats consumed words, as written.
        rest: What is new, as written.
        coverage: Share of the consumed letters that the text repeats, 0 to 1.
    """

    removed: str
    rest: str
    coverage: float


@dataclass(frozen=True, slots=True)
class Letter:
    """One comparable letter, and the part of the text that it stands for.

    Attributes:
        letter: Lower case; a spelled-out digit is that digit.
        start: Where it begins in the text.
        end: Where it ends.
    """

    letter: str
    start: int
    end: int


def split(consumed: str, text: str, *, coverage: float) -> Split:
    """Cut off ``text`` what repeats ``consumed``, an earlier text of the same segment.

    Args:
        consumed: The segment as it was written when its words were taken.
        text: The segment as it is written now.
        coverage: Share of the consumed letters that must come again for a cut, 0 to 1.

    Returns:
        The parts; all of ``text`` is consumed when it repeats nothing but the beginning of
        ``consumed``, and all of it is new when it repeats too little.
    """
    text = unicodedata.normalize("NFC", text)
    old, new = letters(consumed), letters(text)
    same = _common(old, new)
    share = same / len(old) if old else 0.0
    if same == len(new):
        return Split(text.strip(), "", share)
    if not old or share < coverage:
        return Split("", text, share)
    end = _word_end(text, new, same)
    return Split(text[:end].strip(), text[end:].strip(), share)


def behind_baseline(baseline: int, consumed: str, segment: int, text: str) -> str:
    """Return what ``text`` adds to a history that was read up to ``consumed``.

    A source that delivers the whole history again and again (entries with a growing number) needs
    the stricter reading: an entry that changed instead of growing says nothing new.

    Args:
        baseline: The number of the last entry that is consumed.
        consumed: Its text at that time.
        segment: The number of the entry that has come.
        text: Its text.

    Returns:
        The new words: of a later entry all, even if they are the same words; of the baseline's own
        entry what follows a literal repetition; of an earlier one nothing.
    """
    if segment != baseline:
        return text if segment > baseline else ""
    parts = split(consumed, text, coverage=1.0)
    return parts.rest if parts.coverage == 1.0 or not letters(consumed) else ""


@lru_cache(maxsize=256)
def letters(text: str) -> tuple[Letter, ...]:
    """Return the comparable letters of ``text``: no case, punctuation, space or apostrophe."""
    text = unicodedata.normalize("NFC", text)
    return tuple(letter for start, end in _runs(text) for letter in _letters(text, start, end))


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Find the words of ``text``; apostrophes stay inside."""
    start = None
    for at, char in enumerate(text):
        if _counts(char) or (start is not None and char in _APOSTROPHES):
            start = at if start is None else start
        elif start is not None:
            yield start, at
            start = None
    if start is not None:
        yield start, len(text)


def _letters(text: str, start: int, end: int) -> Iterator[Letter]:
    digit = tokens(text[start:end])
    if len(digit) == 1 and digit[0].isdigit() and text[start:end].isalpha():
        yield Letter(digit[0], start, end)
        return
    for at in range(start, end):
        for letter in unicodedata.normalize("NFKC", text[at]).casefold():
            if _counts(letter):
                yield Letter(letter, at, at + 1)


def _common(old: tuple[Letter, ...], new: tuple[Letter, ...]) -> int:
    """Count the letters from the start on that both have."""
    for at, (one, other) in enumerate(zip(old, new, strict=False)):
        if one.letter != other.letter:
            return at
    return min(len(old), len(new))


def _word_end(text: str, new: tuple[Letter, ...], same: int) -> int:
    """Return where the last whole word among the first ``same`` letters ends, its signs included.

    There are more letters than ``same``.
    """
    while same and _joined(text, new[same - 1], new[same]):
        same -= 1
    if not same:
        return 0
    end = new[same - 1].end
    while _closes(text[end]):
        end += 1
    return end


def _joined(text: str, left: Letter, right: Letter) -> bool:
    """Tell whether two neighbouring letters belong to one word (``don't``, ``e-mail``, ``3.5``)."""
    gap = text[left.end : right.start]
    if left.start == right.start:
        return True
    if _stands_alone(text[left.start]) or _stands_alone(text[right.start]):
        return not gap and _is_mark(text[right.start])
    return all(char in _INNER for char in gap)


def _counts(char: str) -> bool:
    return char.isalnum() or _is_mark(char)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


def _stands_alone(char: str) -> bool:
    """Tell whether the script of ``char`` is written without spaces."""
    return (
        "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uff66" <= char <= "\uff9f"
    )


def _closes(char: str) -> bool:
    """Tell whether a sign belongs to the word before it."""
    return unicodedata.category(char) in ("Po", "Pe", "Pf") and char not in "\u00bf\u00a1"


_APOSTROPHES = "'\u2019"
_INNER = "'\u2019-\u2010\u2011.,:/_@&+#"
