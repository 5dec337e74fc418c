"""Sounds of calls, held to what must become of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jev_turn.demo.measure import Promise, counted
from jev_turn.demo.outcome import Outcome
from jev_turn.demo.plan import Fate
from jev_turn.record import wording


@dataclass(frozen=True, slots=True)
class Case:
    """A sound of a call, with the call's name for messages."""

    call: str
    outcome: Outcome

    def __str__(self) -> str:
        played = self.outcome.played
        return f"{self.call} {wording.clock(played.onset_ms)} {played.step.sound.title}"


def of(cases: Sequence[Case], fate: Fate) -> list[Case]:
    """Return the cases of one fate."""
    return [case for case in cases if case.outcome.fate is fate]


def never(
    what: str, noun: str, cases: Sequence[Case], is_fault: Callable[[Outcome], bool]
) -> Promise:
    """Promise that none of the cases, each one ``noun``, is faulty."""
    faults = [_told(case) for case in cases if is_fault(case.outcome)]
    return counted(what, noun, len(cases), faults)


def _told(case: Case) -> str:
    """Say what happened in place of what was promised."""
    one = case.outcome
    parts = [
        f"{len(one.openings)} openings",
        f"words {', '.join(map(repr, one.words)) or 'none'}",
        f"turns {', '.join(repr(turn.text) for turn in one.ended) or 'none'}",
        f"{len(one.interruptions)} stops",
        f"{len(one.replies)} replies",
    ]
    return f"{case}: {', '.join(parts)}"
