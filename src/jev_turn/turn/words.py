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

_ASCII = {code: f" {chr(code)} " if chr(code).isdigit() else " " for code in range(128)}
_ASCII |= {code: chr(code).lower() for code in range(128) if chr(code).isalpha()} | {ord("'"): ""}

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
    if text.isascii():
        return tuple(_DIGITS.get(run, run) for run in text.translate(_ASCII).split())
    return tuple(token for word in text.split() for token in _word_tokens(word))


def count(text: str) -> int:
    """Count the words of ``text``; a script written without spaces counts by character."""
    words = [word for word in text.split() if tokens(word)]
    return sum(max(1, sum(map(_stands_alone, word))) for word in words)


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


def behind_taken(taken: str, text: str, *, overlap: float, sounded: bool) -> str | None:
    """Return what a recogniser's later text of a segment adds to the words taken from it.

    Letters are compared and not words, because a final often rewrites the end of its interim
    ("an index is", "an indexes"). No more letters are cut off than were taken.

    Args:
        taken: The words that were handed on from an interim.
        text: The same segment's text that came afterwards.
        overlap: Share of the taken letters that ``text`` must repeat in order, 0 to 1.
        sounded: There was sound in between: only words behind a literal repetition count.

    Returns:
        The words behind the repetition, as written; ``None`` when ``text`` repeats nothing.
    """
    old, new = tokens(taken), tokens(text)
    if sounded:
        return _behind(text, len("".join(old))) if is_prefix(old, new) and old != new else None
    share, end = _repeated("".join(old), "".join(new))
    return _behind(text, end) if share >= overlap or is_prefix(new, old) else None


def _repeated(old: str, new: str) -> tuple[float, int]:
    """Return the share of ``old`` that ``new`` repeats in order, and where in ``new`` it ends."""
    found = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    blocks = [block for block in found if block.size]
    share = sum(block.size for block in blocks) / len(old) if old else 0.0
    return share, min(blocks[-1].b + blocks[-1].size, len(old)) if blocks else 0


def _behind(text: str, letters: int) -> str:
    """Return what is written behind the first ``letters`` normalised letters of ``text``.

    A word that they end in is gone, but of digits written together ("4155") the rest is kept.
    """
    seen, kept = 0, list[str]()
    for word in text.split():
        if seen >= letters:
            kept.append(word)
            continue
        rest = ""
        for token in tokens(word):
            rest += token if seen >= letters else ""
            seen += len(token)
        kept += [rest] if rest else []
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
