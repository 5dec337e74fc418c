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


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, or the judge's failure to give a verdict.

    Attributes:
        record: The ``effect`` or ``failed`` line.
        verdict: The turn's latest verdict before it, with the words that it is about; a failure
            has none, nor has what is decided after one.
    """

    record: Record
    verdict: Record | None

    @property
    def name(self) -> str:
        """Return the effect's name, or ``Failed``."""
        name: str = self.record.get("name", "Failed")
        return name

    @property
    def words(self) -> str:
        """Return what the decision is about, quoted or counted."""
        return wording.heard(self.record) or wording.heard(self.verdict or {})

    @property
    def title(self) -> str:
        """Say what was decided and why, in plain words."""
        if self.name == "Failed":
            return f"no verdict: {self.record['error']}"
        why = wording.reason(self.record)
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
    for record in records:
        if record["kind"] == "ask":
            asked[ask_key(record)] = record
        elif record["kind"] == "verdict":
            verdict = about(record, asked.pop(ask_key(record), {}))
        elif is_failure(record):
            verdict = None
        if (is_decision(record) or is_failure(record)) and not repeats(record, found):
            found.append(Decision(record, verdict))
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
