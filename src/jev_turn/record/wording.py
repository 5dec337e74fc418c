"""Plain words for what a record holds: decisions, scores, moments."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

from jev_turn.record.schema import Record

SCORES = {
    "turn_complete": "complete",
    "holding_floor": "holding",
    "addressed_to_agent": "addressed",
    "taking_floor": "taking floor",
    "enough_to_answer": "enough",
    "turn_finished": "finished",
}
DECISIONS = {
    "OpenTurn": "opens a turn",
    "Claim": "takes the words",
    "EndTurn": "answers",
    "Interrupt": "stops the bot",
    "Backchannel": "nod, bot goes on",
    "Discard": "leaves it unanswered",
    "Retract": "closes an empty turn",
    "Speculate": "begins the reply early",
    "Commit": "lets the early reply go",
    "Withdraw": "throws the early reply away",
    "KeepCut": "keeps it in the list",
    "StartTurn": "answers the list",
    "Hold": "holds the reply",
    "Open": "lets the reply go",
    "Unspoken": "gives the reply up",
    "RestoreCuts": "tries once more",
    "Rejoin": "takes it back",
}
REASONS = {
    "complete": "the person has finished",
    "timeout": "quiet for too long",
    "still": "no new word for too long",
    "degraded": "silence rule, judge away",
    "side_talk": "not meant for the bot",
    "hung_up": "the call ended",
    "enough": "enough to answer",
    "strikes": "never enough to answer",
    "rate": "faster than a person speaks",
    "watermark": "only repeats what was taken",
    "short": "the person has only just stopped",
    "unfinished": "the person has not finished",
    "late": "the person went on meanwhile",
    "error": "no verdict",
    "resumed": "the person went on",
    "finished": "the person has finished",
    "quiet": "quiet for long enough",
    "ceiling": "held for as long as may be",
}


ERRORS = {
    "timeout": "the judge took too long",
    "unavailable": "the judge cannot be reached",
    "unreadable": "the judge's answer cannot be read",
    "rate_limited": "the account's rates are used up",
    "auth": "the judge refuses the key",
    "refused": "the judge refuses the request",
    "breaker_open": "the judge is left to rest after failures",
    "spent": "the call's requests are used up",
    "closed": "the call ended before the answer",
    "superseded": "replaced by a newer one",
    "error": "the judge failed",
}
_NUMBERS: Mapping[str, Callable[[float], str]] = {
    "quiet_ms": lambda ms: f"{_seconds(ms)} of quiet",
    "still_ms": lambda ms: f"{_seconds(ms)} without a new word",
    "duration_ms": lambda ms: f"in {_seconds(ms)}",
    "units_per_s": lambda rate: f"{rate:.1f} words or syllables a second",
    "strikes": lambda count: f"looked at {count:g} times",
    "coverage": lambda share: f"{share:.0%} of it said before",
    "cut": lambda number: f"item {number:g}",
}
_BY_THE_MOUTH = ("Hold", "Open", "Unspoken")
"""Effects whose `turn` counts the replies of this process, beside the list's own numbers."""


def decision(record: Record) -> str:
    """Name an effect in plain words."""
    name: str = record["name"]
    return DECISIONS.get(name, name)


def reason(record: Record) -> str:
    """Say why an effect happened; empty when the record does not say."""
    why: str = record.get("why", "")
    return REASONS.get(why, why)


def scores(verdict: Record) -> list[tuple[str, float, str, float | None]]:
    """Compare each score of a verdict with its threshold.

    Args:
        verdict: A ``verdict`` line.

    Returns:
        Per question its short name, the score, at least (``≥``) or ``<`` (empty without a
        threshold), and the threshold.
    """
    thresholds: Mapping[str, float] = verdict["thresholds"]
    rows: list[tuple[str, float, str, float | None]] = []
    for question, score in verdict["probabilities"].items():
        bar = thresholds.get(question)
        sign = "" if bar is None else "\u2265" if score >= bar else "<"
        rows.append((SCORES.get(question, question), score, sign, bar))
    return rows


def judged(verdict: Record) -> str:
    """Write a verdict's scores against their thresholds on one line."""
    return " \u00b7 ".join(
        f"{name} {score:.2f}" if bar is None else f"{name} {_compared(score, sign, bar)}"
        for name, score, sign, bar in scores(verdict)
    )


def missing(verdict: Record) -> str:
    """Say what a verdict that decides nothing still waits for; empty when it does not show."""
    over = {name: score >= bar for name, score, _, bar in scores(verdict) if bar is not None}
    if not over.get("taking floor", True):
        return "does not interrupt"
    if not over.get("addressed", True):
        return "not meant for the bot"
    if over.get("holding", False):
        return "the person is thinking"
    if not over.get("enough", True):
        return "not enough to answer yet"
    if not over.get("complete", True) or not over.get("finished", True):
        return "not finished"
    return "waits for quiet" if "complete" in over else ""


def numbers(record: Record, verdict: Record | None = None) -> str:
    """Write the numbers that decided something, in words.

    Args:
        record: An ``effect`` line.
        verdict: The verdict that is shown beside it, whose scores are not repeated.
    """
    found: Mapping[str, float] = record.get("numbers", {})
    shown = {"score", *verdict["probabilities"]} if verdict is not None else set()
    if record.get("name") in _BY_THE_MOUTH:
        shown.add("turn")
    return ", ".join(_number(name, value) for name, value in found.items() if name not in shown)


def _number(name: str, value: float) -> str:
    if name in _NUMBERS:
        return _NUMBERS[name](value)
    if name in SCORES or name == "score":
        return f"{SCORES.get(name, name)} {value:.2f}"
    return f"{name.replace('_', ' ')} {value:g}"


def failure(record: Record) -> str:
    """Say why the judge gave no verdict."""
    error: str = record["error"]
    return ERRORS.get(error, error)


def _compared(score: float, sign: str, bar: float) -> str:
    """Write a score beside its threshold, with as many digits as tell them apart."""
    for digits in range(2, 7):
        left, right = f"{score:.{digits}f}", f"{bar:.{digits}f}"
        if left != right:
            break
    return f"{left}{sign}{right}"


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.1f} s"


def heard(record: Record) -> str:
    """Return a line's spoken words on one line, or how many there were."""
    text, words = record.get("text"), record.get("words")
    if text is not None:
        return f"\u201c{printable(text)}\u201d"
    return "" if words is None else f"({words} word{'' if words == 1 else 's'})"


def printable(text: str) -> str:
    """Put ``text`` on one line, without control and formatting characters."""
    shown = (" " if unicodedata.category(char)[0] == "C" else char for char in text)
    return " ".join("".join(shown).split())


def clock(at_ms: int) -> str:
    """Write a moment as minutes, seconds and hundredths: ``0:41.30``."""
    minutes, rest = divmod(at_ms, 60_000)
    return f"{minutes}:{rest // 1000:02d}.{rest % 1000 // 10:02d}"
