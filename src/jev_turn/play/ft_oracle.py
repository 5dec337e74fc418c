"""Tells from outside whether a call that was killed again and again lost or doubled a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from jev_turn.play.ft_log import Line
from jev_turn.replies.store import Saved
from jev_turn.turn.words import tokens

KEPT_FOR_GOOD = ("strikes", "rate")
"""Discards of words that are in no other place; those of a watermark are the second copy."""


Where = dict[str, list[str]]
"""The names of all that a word is in, by the word."""


@dataclass
class Findings:
    """What is wrong with a call, in words, and what it came to.

    Attributes:
        lost: Finals of which a word is nowhere, and replies that only the database knows of.
        doubled: Words that were answered, or put away, more than once.
        stuck: What never came to its end.
        turns: Turns that have an ending.
        failures: Those of them that were recorded as failed.
        discards: Texts that were dropped.
        in_doubt: Finals that were on their way into the list when the process was killed.
    """

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    turns: int = 0
    failures: int = 0
    discards: int = 0
    in_doubt: int = 0

    @property
    def ok(self) -> bool:
        """Tell whether nothing is wrong."""
        return not (self.lost or self.doubled or self.stuck)


def findings(log: list[Line], saved: Saved) -> Findings:
    """Account for every word of a call.

    Each word of a final is in one cut that has a turn, or was dropped once with a trace. No word is
    answered by two replies that could be heard, and what the database calls answered was heard and
    had been told to the model.

    Args:
        log: What was seen from outside, of all processes.
        saved: What the call's database says in the end.
    """
    found = Findings(
        turns=sum(bool(turn.cuts) for turn in saved.turns),
        failures=sum(bool(turn.cuts) and not turn.ok for turn in saved.turns),
        discards=len(saved.discards),
    )
    heard, places = _heard(log), _places(saved)
    for where in (heard, _told(log), places):
        found.doubled += list(_doubled(where))
    for final in _finals(log):
        missing = [word for word in tokens(final["text"]) if word not in places]
        if missing and final["kept"]:
            found.lost.append(f"of {final['text']!r} in process {final['life']}: {missing}")
        found.in_doubt += bool(missing) and not final["kept"]
    found.lost += list(_never_heard(log, saved, heard))
    found.lost += list(_never_told(log))
    found.stuck += list(_stuck(log, saved))
    return found


def _heard(log: list[Line]) -> Where:
    """Return in which replies that left the loudspeaker each word was answered."""
    runs = {(line["life"], line["run"]): line["answers"] for line in _of(log, "run")}
    left = [(line["life"], line["run"]) for line in _of(log, "heard")]
    return _where((f"the reply to run {n} of process {life}", runs[life, n]) for life, n in left)


def _told(log: list[Line]) -> Where:
    """Return what each process told its model of each word."""
    found: Where = {}
    for line in _of(log, "run"):
        for word in tokens(line["new"]):
            run = f"run {line['run']} of process {line['life']}"
            found.setdefault(f"{line['life']}/{word}", []).append(run)
    return found


def _places(saved: Saved) -> Where:
    """Return in which cuts and discards each word is."""
    cuts = [(f"cut {cut.id}", cut.text) for cut in saved.cuts]
    dropped = [
        (f"dropped by {drop.kind}", drop.text)
        for drop in saved.discards
        if drop.kind in KEPT_FOR_GOOD and not drop.rejoined
    ]
    return _where([*cuts, *dropped])


def _where(texts: Iterable[tuple[str, str]]) -> Where:
    found: Where = {}
    for name, text in texts:
        for word in tokens(text):
            found.setdefault(word, []).append(name)
    return found


def _doubled(where: Where) -> Iterator[str]:
    """Yield what holds the same words, once for all of them."""
    together: dict[str, list[str]] = {}
    for word, names in where.items():
        if len(names) > 1:
            together.setdefault(" and in ".join(names), []).append(word)
    yield from (f"in {names}: {' '.join(words)}" for names, words in together.items())


def _of(log: list[Line], what: str) -> list[Line]:
    return [line for line in log if line["what"] == what]


def _finals(log: list[Line]) -> list[Line]:
    kept = {(line["life"], line["final"]) for line in _of(log, "kept")}
    finals = _of(log, "final")
    return [{**line, "kept": (line["life"], line["final"]) in kept} for line in finals]


def _never_heard(log: list[Line], saved: Saved, heard: Where) -> Iterator[str]:
    """Yield the turns that are recorded as answered, and whose reply nobody heard.

    Those are left out that the application stopped on their way to the loudspeaker.
    """
    texts = {cut.id: cut.text for cut in saved.cuts}
    for turn in saved.turns:
        words = {word for cut in turn.cuts for word in tokens(texts[cut])}
        if turn.ok and turn.answer and not words & set(heard) and not _stopped(log, words):
            yield f"turn {turn.number} is recorded as answered, and nobody heard it"


def _stopped(log: list[Line], words: set[str]) -> bool:
    """Tell whether the application interrupted what answers ``words``, or what came before it."""
    runs = [n for n, line in enumerate(log) if line["what"] == "run"]
    mine = [n for n, at in enumerate(runs) if words & set(tokens(log[at]["answers"]))]
    ends = {n: (*runs, len(log), len(log))[n + 2] for n in mine}
    return any(line["what"] == "interrupts" for n in mine for line in log[runs[n] : ends[n]])


def _never_told(log: list[Line]) -> Iterator[str]:
    """Yield the runs that were to answer words that are not in the model's context."""
    told: set[tuple[int, str]] = set()
    for line in _of(log, "run"):
        told |= {(line["life"], word) for word in tokens(line["new"])}
        missing = [w for w in tokens(line["answers"]) if (line["life"], w) not in told]
        if missing:
            yield f"run {line['run']} of process {line['life']} was never told: {missing}"


def _stuck(log: list[Line], saved: Saved) -> Iterator[str]:
    yield from (f"waits at the end: {cut.text!r}" for cut in saved.pending)
    if saved.in_flight is not None:
        yield f"turn {saved.in_flight.number} has no ending"
    for turn in saved.turns:
        if turn.error == "stuck":
            yield f"turn {turn.number} was given up"
    for drop in saved.discards:
        if drop.kind == "hung_up":
            yield f"in no cut at the end: {drop.text!r}"
    for line in _of(log, "busy"):
        yield f"process {line['life']} never comes to rest: {', '.join(line['waits'])}"
