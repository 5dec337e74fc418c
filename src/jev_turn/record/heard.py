"""Words as the oracle compares them, written apart from the machine's own comparison."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher

_PIECE = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+|\d", re.UNICODE
)
_UNITS = "zero one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_DIGITS = (
    {word: str(value) for value, word in enumerate(_UNITS)}
    | {word: str(value) for value, word in enumerate(_TEENS, 10)}
    | {word: str(value * 10) for value, word in enumerate(_TENS, 2)}
    | {"oh": "0"}
)
# What a number is written with in words and not in digits ("four hundred fifteen", "415").
_SILENT = frozenset(("0", "hundred", "thousand", "and"))

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One segment: its words, and what may come out in the place of their beginning.

    Attributes:
        text: As written.
        words: Its words.
        stand_ins: Other words, and where in ``words`` the rest then may begin (0: all of it).
    """

    text: str
    words: Words
    stand_ins: tuple[tuple[Words, range], ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One text that came out."""

    text: str
    words: Words


def words(text: str) -> Words:
    """Split ``text`` into comparable words.

    Lower case, punctuation off, one piece per digit ("415" and "four one five" are the same) and
    per character of a script without spaces. Joining texts joins their words, always: that is
    what lets messages be compared with the finals they were joined from.

    Args:
        text: Anything a recogniser wrote.

    Returns:
        The words.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    pieces = _PIECE.findall(re.sub("['\u2019]", "", plain))
    return tuple(part for piece in pieces for part in _DIGITS.get(piece, (piece,)))


def overlap(interim: Words, final: Words) -> float:
    """Return the share of the interim's letters that the final repeats in order, 0 to 1."""
    return _matched(_letters(interim), _letters(final))[0]


def behind(interim: Words, final: Words) -> range:
    """Return where the words of ``final`` may begin that ``interim`` does not stand for.

    A word whose letters the interim covers in part may count on either side.

    Args:
        interim: The words that were committed.
        final: The same segment's words that came afterwards.

    Returns:
        The possible first indices of the rest; ``len(final)`` is no rest.
    """
    old = "".join(interim)
    end = _matched(old, "".join(final))[1]
    starts = [sum(map(len, final[:index])) for index in range(len(final) + 1)]
    low = sum(start < min(end, len(old)) for start in starts[:-1])
    high = sum(start < len(old) for start in starts[:-1])
    return range(low, high + 1)


def _letters(heard: Words) -> str:
    return "".join(word for word in heard if word not in _SILENT) or "".join(heard)


def _matched(old: str, new: str) -> tuple[float, int]:
    """Return the share of ``old`` found in ``new``, and where in ``new`` the last match ends."""
    found = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    blocks = [block for block in found if block.size]
    share = sum(block.size for block in blocks) / len(old) if old else 0.0
    return share, max((block.b + block.size for block in blocks), default=0)
