"""Random calls, one after the other, until enough turns have been taken or the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from random import Random

from jev_turn.play.clock import run
from jev_turn.play.soak_call import play_script
from jev_turn.play.soak_outcome import Outcome
from jev_turn.play.soak_script import Script
from jev_turn.play.soak_writer import write
from jev_turn.play.witness import Account
from jev_turn.record.oracle import Oracle

TURNS_PER_CALL = (10, 25)
"""Short calls, so that one that fails is soon played again."""


@dataclass
class Totals:
    """What all calls came to; ``lost``, ``doubled`` and ``stuck`` must be 0."""

    turns: int = 0
    lost: int = 0
    doubled: int = 0
    stuck: int = 0
    replies: int = 0
    interruptions: int = 0
    backchannels: int = 0
    discards: int = 0
    judge_failures: int = 0

    @property
    def ok(self) -> bool:
        """Tell whether nothing was lost, doubled or stuck."""
        return not (self.lost or self.doubled or self.stuck)

    def add(self, outcome: Outcome) -> None:
        """Count one call."""
        for field in fields(self):
            before = getattr(self, field.name)
            setattr(self, field.name, before + getattr(_counts(outcome), field.name))

    def line(self) -> str:
        """Return the summary."""
        return (
            f"{self.turns} turns: {self.lost} lost, {self.doubled} doubled, {self.stuck} stuck, "
            f"{self.replies} replies, {self.interruptions} interruptions, "
            f"{self.backchannels} backchannels, {self.discards} discards, "
            f"{self.judge_failures} judge failures"
        )


def _counts(outcome: Outcome) -> Totals:
    account = outcome.account
    return Totals(
        turns=outcome.script.turns,
        lost=len(outcome.oracle.lost),
        doubled=len(outcome.oracle.doubled),
        stuck=len(outcome.stuck),
        replies=outcome.replies,
        interruptions=len(account.interrupts),
        backchannels=len(account.backchannels),
        discards=outcome.count("effect", "Discard"),
        judge_failures=outcome.count("failed", but="superseded"),
    )


def soak(
    turns: int, seed: int, *, minutes: float, on_call: Callable[[Outcome], None] | None = None
) -> Totals:
    """Play random calls.

    Args:
        turns: How many turns the person takes in all of them.
        seed: The same seed gives the same calls.
        minutes: No call begins after this time.
        on_call: Called after each call.
    """
    totals = Totals()
    ends = time.monotonic() + 60 * minutes
    for script in scripts(turns, seed):
        if time.monotonic() >= ends:
            break
        outcome = played(script)
        totals.add(outcome)
        if on_call is not None:
            on_call(outcome)
    return totals


def scripts(turns: int, seed: int) -> Iterator[Script]:
    """Yield the calls of a run; the last one is as short as it must be."""
    call = 0
    while turns > 0:
        size = min(turns, turns_of(seed, call))
        yield write(seed, call, size)
        turns -= size
        call += 1


def turns_of(seed: int, call: int) -> int:
    """Return how many turns a call has that is not cut short by the end of the run."""
    return Random(f"{seed}/{call}/turns").randint(*TURNS_PER_CALL)


def played(script: Script) -> Outcome:
    """Play one call in virtual time; a call that breaks is stuck."""
    outcomes: list[Outcome] = []

    async def play() -> None:
        outcomes.append(await play_script(script))

    try:
        run(play())
    except Exception as error:
        broke = f"the call broke: {error!r}"
        found = outcomes or [Outcome(script, Account(), Oracle((), ()), [], [])]
        return replace(found[0], stuck=[*found[0].stuck, broke])
    return outcomes[0]
