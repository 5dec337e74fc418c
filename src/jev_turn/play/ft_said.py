"""The words of a finish-turn case, each with the time in which it can be heard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jev_turn.play.case import Case, Event


@dataclass(frozen=True, slots=True)
class Word:
    """A word near the microphone; times in seconds of the call.

    Attributes:
        begins: When it begins.
        ends: When it ends.
        text: The word.
        shown: The recogniser writes an interim behind it.
        closes: The recogniser's segment ends with it.
    """

    begins: float
    ends: float
    text: str
    shown: bool = True
    closes: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A final that the recogniser writes by itself, late or out of nowhere.

    Attributes:
        begins: When, s of the call.
        text: Its words.
        lasts: How long it says that they took, s; 0 for not at all.
    """

    begins: float
    text: str
    lasts: float


def lines(case: Case, lag_s: float) -> list[tuple[float, Word | Written]]:
    """Return all that people say and all that the recogniser makes up, and when it writes it.

    Args:
        case: The conversation.
        lag_s: From the end of a word to the moment that it is written, s.
    """
    found: list[tuple[float, Word | Written]] = []
    for event in case.events:
        if event.who == "stt":
            found.append((event.at, Written(event.at, event.say, event.dur)))
        elif event.who in ("user", "other"):
            found += [(word.ends + lag_s, word) for word in _words(event)]
    return sorted(found, key=lambda timed: timed[0])


def _words(event: Event) -> Iterator[Word]:
    texts = event.say.split()
    each = event.dur / max(1, len(texts))
    ends = [event.at + each * number for number in range(1, len(texts) + 1)]
    closed = {sum(end <= at for end in ends) for at in event.finals_at}
    for number, (text, end) in enumerate(zip(texts, ends, strict=True), 1):
        last = number == len(texts) and event.stt != "interim_only"
        closes = last or number in closed
        shown = event.stt != "final_only" and not last
        yield Word(end - each, end, text, shown, closes)
