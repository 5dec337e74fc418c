"""What became of each sound of a call, told from outside the processors where that is possible."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from jev_turn.demo.call import Call
from jev_turn.demo.evidence import (
    Ended,
    Interruption,
    Opening,
    endings,
    interims,
    interruptions,
    openings,
)
from jev_turn.demo.microphone import Played
from jev_turn.demo.plan import Fate, Recording, Voice


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one sound, up to the beginning of the next one.

    Attributes:
        played: The sound.
        openings: Openings of the gate.
        words: What was recognised; without any final, the last words that were not final.
        ended: Turns that ended.
        interruptions: Interruptions.
        replies: Beginnings of the bot's speech.
    """

    played: Played
    openings: tuple[Opening, ...] = ()
    words: tuple[str, ...] = ()
    ended: tuple[Ended, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    replies: tuple[int, ...] = ()

    @property
    def fate(self) -> Fate:
        """What must become of it."""
        return self.played.step.fate

    @property
    def is_voice(self) -> bool:
        """It is speech, as far as anybody knows."""
        return isinstance(self.played.step.sound, Voice | Recording)


def outcomes(call: Call) -> list[Outcome]:
    """Tell what became of each sound.

    Args:
        call: A call that was held.

    Returns:
        One outcome per sound, in order.
    """
    starts = [one.onset_ms for one in call.played]

    # What a killed process left is answered before anything is played.
    first = -1 if call.before is not None else 0

    def owner(at_ms: int) -> int:
        return max(first, bisect_right(starts, at_ms) - 1)

    opened, ended, stopped = openings(call), endings(call), interruptions(call)
    finals = [(final.at_ms, final.text) for final in call.account.finals if final.text]
    unsure = interims(call)

    def words(index: int) -> tuple[str, ...]:
        final = [text for at_ms, text in finals if owner(at_ms) == index]
        return tuple(final or [text for at_ms, text in unsure if owner(at_ms) == index][-1:])

    return [
        Outcome(
            one,
            openings=tuple(x for x in opened if owner(x.at_ms) == index),
            words=words(index),
            ended=tuple(x for x in ended if owner(x.ended_ms) == index),
            interruptions=tuple(x for x in stopped if owner(x.at_ms) == index),
            replies=tuple(at for at, _ in call.account.bot if owner(at) == index),
        )
        for index, one in enumerate(call.played)
    ]


def thoughts(found: Sequence[Outcome]) -> list[list[Outcome]]:
    """Group outcomes whose sounds are one thought: pauses inside it end no turn."""
    groups: list[list[Outcome]] = []
    goes_on = False
    for one in found:
        if goes_on:
            groups[-1].append(one)
        else:
            groups.append([one])
        goes_on = one.fate is Fate.CONTINUED
    return groups


def cut_ins(found: Sequence[Outcome]) -> int:
    """Count the turns that were ended before the caller had finished the thought."""
    return sum(
        group[0].played.onset_ms <= turn.ended_ms < group[-1].played.end_ms
        for group in thoughts(found)
        for one in group
        for turn in one.ended
    )
