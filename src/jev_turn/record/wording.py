"""Plain words for what a record holds: decisions, scores, moments."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

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
    "Retract": "closes the turn",
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
        f"{name} {score:.2f}" + (f"{sign}{bar:.2f}" if bar is not None else "")
        for name, score, sign, bar in scores(verdict)
    )


def numbers(record: Record) -> str:
    """Write the numbers that decided something, by name."""
    found: Mapping[str, float] = record.get("numbers", {})
    return ", ".join(f"{name} {value:g}" for name, value in found.items())


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
