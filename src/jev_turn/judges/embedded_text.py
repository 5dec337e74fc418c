"""How words are written before the embedded judge reads them, in training and in a call alike.

Recognisers differ in casing, punctuation, fillers and figures; none of these may tell a finished
sentence from an unfinished one. A run of three or more digits is written as its running count
("four one five", "415" and "4-1-5" all become "1 2 3"): whether a telephone number is complete
depends on how many digits were heard and not on which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jev_turn.judges.wordpiece import WordPiece

AGENT_PIECES = 32
USER_PIECES = 56
RUN_FROM_DIGITS = 3
RUN_DIGITS_MAX = 24
UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
         "eighteen", "nineteen")  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBERS = (
    {word: str(10 + place) for place, word in enumerate(TEENS)}
    | {word: str(20 + 10 * place) for place, word in enumerate(TENS)}
    | {word: str(place) for place, word in enumerate(UNITS[:10])}
)
LONE_UH = re.compile(r"\buh\b(?! huh\b)")
REPEATS = {"double": 2, "triple": 3}
FILLERS = (
    (re.compile(r"u+h+"), "uh"),
    (re.compile(r"(u+h*|e+r*)m+"), "um"),
    (re.compile(r"m+(h+m+)?"), "mhm"),
    (re.compile(r"h+m+"), "um"),
)


def normalise(text: str) -> str:
    """Return ``text`` in lower case, without punctuation, fillers and figures in one form."""
    text = text.lower().replace("\u2019", "'")
    text = re.sub(r"\b(\d{1,2}):(\d\d)\b", r"\1 o'clock", text)
    text = re.sub(r"(?<=\d)[.,](?=\d)", "", text)
    text = re.sub(r"[^\w' ]|_", " ", text)
    words = [word.strip("'") for word in text.split()]
    filled = LONE_UH.sub("um", " ".join(_filler(word) for word in words if word))
    return " ".join(_figures(filled.split()))


def encode(pieces: WordPiece, agent: str, user: str) -> tuple[list[int], list[int]]:
    """Return token numbers and segment numbers for what the agent and the user said.

    Args:
        pieces: The tokenizer.
        agent: The agent's words, as heard; the last ones are kept.
        user: The user's words, as recognised; the last ones are kept.

    Returns:
        ``[CLS] agent [SEP] user [SEP]`` and, for each token, 0 or 1.
    """
    first = pieces.ids(normalise(agent))[-AGENT_PIECES:]
    second = pieces.ids(normalise(user))[-USER_PIECES:]
    ids = [pieces.cls, *first, pieces.sep, *second, pieces.sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


def _filler(word: str) -> str:
    for pattern, plain in FILLERS:
        if pattern.fullmatch(word):
            return plain
    return word


def _figures(words: list[str]) -> Iterator[str]:
    run: list[str] = []
    for word in words:
        digits = _digits(word, run)
        if digits is None:
            yield from _written(run)
            run = []
            if word in REPEATS:
                run = [word]
            else:
                yield word
        else:
            _append(run, digits)
    yield from _written(run)


def _digits(word: str, run: list[str]) -> str | None:
    if word.isascii() and word.isdigit():
        return word
    if word in ("oh", "o") and run and run[-1].isdigit():
        return "0"
    if word in REPEATS and run:
        return word
    return NUMBERS.get(word)


def _append(run: list[str], digits: str) -> None:
    last = run[-1] if run else ""
    if last in REPEATS:
        run[-1] = digits * REPEATS[last]
    elif len(last) == 2 and last[1] == "0" and last > "1z" and len(digits) == 1 and digits != "0":
        run[-1] = last[0] + digits
    else:
        run.append(digits)


def _written(run: list[str]) -> list[str]:
    words = [item for item in run if not item.isdigit()]
    joined = "".join(item for item in run if item.isdigit())
    if len(joined) >= RUN_FROM_DIGITS:
        return [str(count + 1) for count in range(min(len(joined), RUN_DIGITS_MAX))] + words
    if joined and int(joined) < len(UNITS):
        return [UNITS[int(joined)], *words]
    return [joined, *words] if joined else words
