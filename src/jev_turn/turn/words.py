"""Words as the machine compares them: case, punctuation and the spelling of digits off."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

_DIGITS = {
    "zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip

Tokens = tuple[str, ...]


@lru_cache(maxsize=1024)
def tokens(text: str) -> Tokens:
    """Split ``text`` into comparable tokens.

    Lower case, no punctuation, one token per digit ("415" equals "four one five") and one per
    character of a script written without spaces.

    Args:
        text: Anything a recogniser wrote.

    Returns:
        The tokens; empty for white space and punctuation.
    """
    return tuple(token for word in text.split() for token in _word_tokens(word))


def is_prefix(earlier: Tokens, later: Tokens) -> bool:
    """Tell whether ``later`` begins with all of ``earlier``, which is not empty."""
    return bool(earlier) and later[: len(earlier)] == earlier


def starts_with_phrase(heard: Tokens, phrases: Iterable[str], within: int) -> bool:
    """Tell whether one of ``phrases`` begins among the first ``within`` tokens of ``heard``."""
    return any(
        heard[start : start + len(phrase)] == phrase
        for phrase in map(tokens, phrases)
        if phrase
        for start in range(min(within, len(heard)))
    )


def late_match(taken: str, text: str) -> tuple[float, str]:
    """Compare a recogniser's later text of a segment with the words already taken from it.

    Letters are compared and not words, because a final often rewrites the end of its interim
    ("an index is", "an indexes"). No more letters are cut off than were taken.

    Args:
        taken: The words that were handed on from an interim.
        text: The same segment's text that came afterwards.

    Returns:
        The share of the taken letters that ``text`` repeats in order (0 to 1), and the words of
        ``text`` behind them, as written.
    """
    old, new = "".join(tokens(taken)), "".join(tokens(text))
    found = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    blocks = [block for block in found if block.size]
    share = sum(block.size for block in blocks) / len(old) if old else 0.0
    end = min(blocks[-1].b + blocks[-1].size, len(old)) if blocks else 0
    return share, _behind(text, end)


def _behind(text: str, letters: int) -> str:
    """Return the written words of ``text`` behind its first ``letters`` normalised letters."""
    seen, kept = 0, []
    for word in text.split():
        if seen >= letters:
            kept.append(word)
        seen += sum(map(len, tokens(word)))
    return " ".join(kept)


def _word_tokens(word: str) -> Iterable[str]:
    run = ""
    for char in unicodedata.normalize("NFKC", word).casefold():
        if char.isdigit() or _stands_alone(char):
            yield from _spelled(run)
            run = ""
            yield char
        elif char.isalnum() or unicodedata.category(char).startswith("M"):
            run += char
        elif char not in "'\u2019":
            yield from _spelled(run)
            run = ""
    yield from _spelled(run)


def _spelled(run: str) -> Iterable[str]:
    return (_DIGITS.get(run, run),) if run else ()


def _stands_alone(char: str) -> bool:
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff"
