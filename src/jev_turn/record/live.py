"""One terminal line per decision, while the call goes on."""

from __future__ import annotations

from rich.markup import escape

from jev_turn.record import wording
from jev_turn.record.decided import (
    RECOGNISED,
    AskKey,
    Decision,
    about,
    ask_key,
    closes,
    is_decision,
    is_failure,
    repeats,
)
from jev_turn.record.schema import Record

_STYLES = {
    "EndTurn": "bold green",
    "Interrupt": "bold red",
    "Backchannel": "cyan",
    "Discard": "yellow",
    "Retract": "dim",
    "KeepCut": "cyan",
    "StartTurn": "bold green",
    "Hold": "dim",
    "Open": "green",
    "Unspoken": "yellow",
    "RestoreCuts": "yellow",
    "Rejoin": "cyan",
}
_WIDTH = 21


def line(
    record: Record,
    verdict: Record | None = None,
    start_ms: int = 0,
    latest: Record | None = None,
) -> str | None:
    """Write a decision as one line: time, decision, what was heard, reason, scores.

    Args:
        record: Any line of a call record.
        verdict: The verdict that the decision rests on, for its scores.
        start_ms: The moment that times count from.
        latest: What was recognised last.

    Returns:
        Rich markup; ``None`` for a line that is no decision.
    """
    if is_decision(record):
        decided = Decision(record, verdict, latest)
        style, what = _STYLES[record["name"]], wording.decision(record)
        details, scores = [decided.words, decided.reason], verdict
    elif record["kind"] == "verdict":
        style, what, scores = "dim", "listens on", record
        details = [wording.heard(record), wording.missing(record), _took(record["latency_ms"])]
    elif is_failure(record):
        style, what, scores = "bold magenta", "no verdict", None
        details = [wording.failure(record)]
    else:
        return None
    at = wording.clock(record["t"] - start_ms)
    parts = [escape(detail) for detail in details if detail]
    if scores is not None and (judged := wording.judged(scores)):
        parts.append(f"[dim]{escape(judged)}[/]")
    return f"[dim]{at:>9}[/]  [{style}]{what:<{_WIDTH}}[/]  {'  '.join(parts)}".rstrip()


def _took(latency_ms: int) -> str:
    """Say how long the judge took; one in this process takes no time where time is virtual."""
    return f"judge took {latency_ms} ms" if latency_ms else ""


class Live:
    """Turns a running record into lines, each decision with the scores it rests on.

    A verdict is held back until the next line shows whether it decided something.
    """

    def __init__(self) -> None:
        self._start_ms: int | None = None
        self._asked: dict[AskKey, Record] = {}
        self._verdict: Record | None = None
        self._held: Record | None = None
        self._last: Decision | None = None
        self._latest: Record | None = None

    def feed(self, record: Record) -> list[str]:
        """Take the record's next line.

        Args:
            record: The line, in the record's order.

        Returns:
            The terminal lines it gives, mostly none.
        """
        if self._start_ms is None:
            self._start_ms = record["t"]
        shown: list[str | None] = []
        if self._held is not None and self._has_passed(self._held, record):
            shown.append(line(self._held, None, self._start_ms))
            self._held = None
        if record["kind"] in RECOGNISED:
            self._latest = record
        elif record["kind"] == "ask":
            self._asked[ask_key(record)] = record
        elif record["kind"] == "verdict":
            self._verdict = self._held = about(record, self._asked.pop(ask_key(record), {}))
        else:
            self._verdict = None if is_failure(record) else self._verdict
            shown.append(self._line(record))
        if is_decision(record):
            self._settle(record)
        return [text for text in shown if text is not None]

    def _line(self, record: Record) -> str | None:
        if self._last is not None and repeats(record, [self._last]):
            return None
        return line(record, self._verdict, self._start_ms or 0, self._latest)

    def _has_passed(self, held: Record, record: Record) -> bool:
        return bool(record["kind"] == "verdict" or record["t"] > held["t"])

    def _settle(self, record: Record) -> None:
        """Forget a verdict that has decided; after an interruption the turn goes on with it."""
        self._held, self._last = None, Decision(record, self._verdict)
        if closes(record):
            self._verdict = None
            self._asked.clear()
