"""The decisions of a call, each with the verdict that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jev_turn.record import wording
from jev_turn.record.schema import Record

DECIDING = frozenset(
    ("EndTurn", "Interrupt", "Backchannel", "Discard", "Retract")
    + ("KeepCut", "StartTurn", "Hold", "Open", "Unspoken", "RestoreCuts", "Rejoin")
)
CLOSING = DECIDING - {"Interrupt"}
RECOGNISED = ("partial", "final")
UNASKED = "by its words alone"


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, or the judge's failure to give a verdict.

    Attributes:
        record: The ``effect`` or ``failed`` line.
        verdict: The turn's latest verdict before it, with the words that it is about; a failure
            has none, nor has what is decided after one.
        latest: What was recognised last, on which an interruption without a verdict rests.
    """

    record: Record
    verdict: Record | None
    latest: Record | None = None

    @property
    def name(self) -> str:
        """Return the effect's name, or ``Failed``."""
        name: str = self.record.get("name", "Failed")
        return name

    @property
    def words(self) -> str:
        """Return what the decision is about, quoted or counted."""
        own = wording.heard(self.record) or wording.heard(self.verdict or {})
        return own or (wording.heard(self.latest or {}) if self.unasked else "")

    @property
    def unasked(self) -> bool:
        """It interrupts, and no verdict says so: a stop word, or the rule for a judge away."""
        return self.name == "Interrupt" and self.verdict is None

    @property
    def reason(self) -> str:
        """Say why, in plain words, with the numbers that the scores do not show already."""
        if self.name == "Failed":
            return wording.failure(self.record)
        why = UNASKED if self.unasked else wording.reason(self.record)
        numbers = wording.numbers(self.record, self.verdict)
        return f"{why} ({numbers})" if why and numbers else why or numbers

    @property
    def title(self) -> str:
        """Say what was decided and why, in plain words."""
        if self.name == "Failed":
            return f"no verdict: {wording.failure(self.record)}"
        why = UNASKED if self.unasked else wording.reason(self.record)
        return wording.decision(self.record) + (f": {why}" if why else "")


def is_decision(record: Record) -> bool:
    """Tell whether a line decides something about a turn."""
    return record["kind"] == "effect" and record["name"] in DECIDING


def closes(record: Record) -> bool:
    """Tell whether a line ends what the verdicts before it were about."""
    return record["kind"] == "effect" and record["name"] in CLOSING


def decisions(records: Sequence[Record]) -> list[Decision]:
    """Collect the decisions of a call; a superseded ask is none."""
    found: list[Decision] = []
    asked: dict[AskKey, Record] = {}
    verdict: Record | None = None
    latest: Record | None = None
    for record in records:
        if record["kind"] in RECOGNISED:
            latest = record
        elif record["kind"] == "ask":
            asked[ask_key(record)] = record
        elif record["kind"] == "verdict":
            verdict = about(record, asked.pop(ask_key(record), {}))
        elif is_failure(record):
            verdict = None
        if (is_decision(record) or is_failure(record)) and not repeats(record, found):
            found.append(Decision(record, verdict, latest))
        if closes(record):
            verdict = None
    return found


AskKey = tuple[str, int]


def ask_key(record: Record) -> AskKey:
    """Return what pairs an ask with its end: ear and mouth count theirs apart from each other."""
    bundle = record.get("bundle", "")
    return bundle if bundle in ("ear", "mouth") else "", record["ask"]


def about(verdict: Record, ask: Record) -> Record:
    """Return a verdict with the words that were asked about."""
    return {**{key: ask[key] for key in ("text", "words") if key in ask}, **verdict}


def repeats(record: Record, before: Sequence[Decision]) -> bool:
    """Tell whether a line only closes the turn whose words were dropped at the same moment."""
    if not before or record.get("name") != "Retract":
        return False
    return before[-1].name == "Discard" and before[-1].record["t"] == record["t"]


def is_failure(record: Record) -> bool:
    """Tell whether the judge owes a verdict that it will not give."""
    return bool(record["kind"] == "failed" and record["error"] != "superseded")
