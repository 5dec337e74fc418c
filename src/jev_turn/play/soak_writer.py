"""Writes random calls: every way of speaking and of being written down that a turn must survive.

Some things nobody behind a recogniser could tell apart, and they are kept out:

* After another sound, a late final from the same words said once more.
* Behind a segment that was never closed, a new one that begins with its words from its going on.
* Where side-talk is held for good, new words from a correction of a segment that was never closed.
"""

from __future__ import annotations

from random import Random

from jev_turn.play.soak_script import Script
from jev_turn.play.soak_trouble import beginning, settings, speculation, trouble
from jev_turn.play.soak_ways import OPEN, WAYS, Ways

SETTLE_MS = 45_000
"""Longer than the longest reply, the longest hold and a reply to that, ms."""

AUDIO_SHARE = 0.07
CUT_OFF_SHARE = 0.25
CANCELLED_SHARE = 0.3
MUTES = (*["script"] * 8, "speaking", "greeting")


def write(seed: int, call: int, turns: int) -> Script:
    """Return call number ``call`` of a run.

    Args:
        seed: Of the run.
        call: Its number.
        turns: How many turns the person takes.
    """
    rng = Random(f"{seed}/{call}")
    audio = rng.random() < AUDIO_SHARE
    sets = settings(rng)
    writer = Writer(rng, closes="turn.side_talk=keep" in sets)
    writer.steps += beginning(rng)
    for _ in range(turns):
        writer.take_turn()
    steps = sorted(writer.steps, key=lambda step: step.at_ms)
    cut_off = rng.random() < CUT_OFF_SHARE
    last = steps[-1].at_ms
    ends_ms = rng.randint(max(last - 3_000, 0), last + 2_000) if cut_off else last + SETTLE_MS
    return Script(
        seed,
        call,
        tuple(steps),
        ends_ms,
        cut_off=cut_off,
        cancelled=cut_off and rng.random() < CANCELLED_SHARE,
        audio=audio,
        mute=rng.choice(MUTES),
        sets=(*sets, *speculation(seed, call)),
    )


class Writer(Ways):
    """Puts turn behind turn.

    Args:
        rng: Decides everything.
        closes: The recogniser closes every segment.
    """

    def __init__(self, rng: Random, *, closes: bool) -> None:
        super().__init__(rng)
        self._ways = {way: often for way, often in WAYS.items() if not (closes and way in OPEN)}

    def take_turn(self) -> None:
        """Write one turn, what goes wrong around it, and the pause behind it."""
        self._turn += 1
        began = self._at
        way = self._rng.choices(tuple(self._ways), tuple(self._ways.values()))[0]
        if self._unclosed:
            way = Ways._again if self._rng.random() < 0.3 else Ways._plain
        way(self)
        words = [s.at_ms for s in self.steps if s.turn == self._turn and s.kind == "heard"]
        self.steps += trouble(self._rng, self._turn, began, self._at, words)
        self._at += self._pause()

    def _pause(self) -> int:
        shortest, longest = self._rng.choice(_PAUSES)
        return self._rng.randint(shortest, longest)


_PAUSES = ((0, 300), (300, 1_500), (1_500, 4_000), (3_000, 8_000), (6_000, 14_000))
