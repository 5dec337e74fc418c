"""A random call as plain data: what happens when, the same however often it is played."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from jev_turn.record.oracle import Final

Kind = Literal["sound", "heard", "say", "judge", "model", "voice", "mute", "stall", "interrupt"]

HOLD_MS = 110
"""From the beginning of a sound to its onset, ms; a shorter one opens nothing."""

STOP_MS = 200
"""Quiet after which a sound is over, ms; a shorter gap does not divide it."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happens at a moment of the call.

    Attributes:
        at_ms: When, ms since the start.
        turn: Which turn of the person's it belongs to; 0 is the call's beginning.
        kind: ``sound`` near the microphone, ``heard`` from the recogniser, ``say`` something by
            the agent itself, a change in how ``judge``, ``model`` or ``voice`` behave, a ``mute``
            of the aggregator, a ``stall`` of the microphone, an ``interrupt`` by the application.
        text: The words, or the manner.
        final: The recogniser will not change these words again.
        segment: Number of the recogniser's segment.
        lasts_ms: How long it lasts (sound, mute, stall) or takes (judge), ms.
    """

    at_ms: int
    turn: int
    kind: Kind
    text: str = ""
    final: bool = False
    segment: int = 0
    lasts_ms: int = 0


@dataclass(frozen=True, slots=True)
class Script:
    """One call.

    Attributes:
        seed: Of the whole run.
        call: Number of the call in it.
        steps: What happens, in order of time.
        ends_ms: When the call is ended, ms.
        cut_off: That is in the middle of something.
        cancelled: It is ended by a ``CancelFrame`` and not by an ``EndFrame``.
        audio: The gate listens to sound; otherwise its frames come from here.
        mute: ``script`` mutes the user by the steps, ``speaking`` while the agent speaks,
            ``greeting`` until it has spoken once.
        sets: Settings that differ from the policy.
    """

    seed: int
    call: int
    steps: tuple[Step, ...]
    ends_ms: int
    cut_off: bool = False
    cancelled: bool = False
    audio: bool = False
    mute: str = "script"
    sets: tuple[str, ...] = ()

    @property
    def turns(self) -> int:
        """How many turns the person takes."""
        return len({step.turn for step in self.steps if step.turn})

    @property
    def sounds(self) -> list[tuple[int, int]]:
        """Stretches of sound that a detector tells apart, as (begin, end) in ms."""
        return _merged(
            (step.at_ms, step.at_ms + step.lasts_ms) for step in self.steps if step.kind == "sound"
        )

    @property
    def stalls(self) -> list[tuple[int, int]]:
        """Stretches in which the microphone delivers nothing."""
        return [(s.at_ms, s.at_ms + s.lasts_ms) for s in self.steps if s.kind == "stall"]


def said(heard: Iterable[tuple[int, Step]]) -> list[Final]:
    """Return what the recogniser wrote, by its own segments.

    A segment that never got a final was said as its last interim has it.

    Args:
        heard: The transcripts that were delivered, with the time of each in ms.
    """
    found: dict[int, Final] = {}
    for at_ms, step in heard:
        before = found.get(step.segment)
        interims = before.interims if before else ()
        kept = interims if step.final else (*interims, step.text)
        found[step.segment] = Final(step.text, at_ms, kept)
    return list(found.values())


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1] + STOP_MS:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return [(begin, end) for begin, end in merged if end - begin >= HOLD_MS]
