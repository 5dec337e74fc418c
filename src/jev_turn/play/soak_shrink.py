"""Makes a failing call smaller while it still fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from jev_turn.play.soak_script import Script, Step
from jev_turn.play.soak_writer import SETTLE_MS


def shrunk(script: Script, fails: Callable[[Script], bool], seconds: float) -> Script:
    """Return a smaller call that fails too: fewer turns first, then fewer troubles.

    Args:
        script: A call that fails.
        fails: Plays a call and tells whether it fails in the same way.
        seconds: How long to try.
    """
    ends = time.monotonic() + seconds
    for parts in (_turns, _troubles):
        script = _fewer(script, parts, fails, ends)
    return script


def _fewer(
    script: Script,
    parts: Callable[[Script], list[frozenset[Step]]],
    fails: Callable[[Script], bool],
    ends: float,
) -> Script:
    """Leave out half of the parts, then quarters, and so on down to single ones."""
    size = max(1, len(parts(script)) // 2)
    while True:
        smaller = next(_tries(script, parts(script), size, fails, ends), None)
        if smaller is not None:
            script = smaller
        elif size == 1 or time.monotonic() >= ends:
            return script
        else:
            size = max(1, size // 2)


def _tries(
    script: Script,
    parts: list[frozenset[Step]],
    size: int,
    fails: Callable[[Script], bool],
    ends: float,
) -> Iterator[Script]:
    for first in range(0, len(parts), size):
        if time.monotonic() >= ends:
            return
        smaller = without(script, frozenset().union(*parts[first : first + size]))
        if fails(smaller):
            yield smaller


def without(script: Script, steps: frozenset[Step]) -> Script:
    """Return ``script`` without ``steps``; unless it is cut off it ends that much sooner."""
    kept = tuple(step for step in script.steps if step not in steps)
    last = max((step.at_ms + step.lasts_ms for step in kept), default=0)
    ends_ms = script.ends_ms if script.cut_off else min(script.ends_ms, last + SETTLE_MS)
    return replace(script, steps=kept, ends_ms=ends_ms)


def _turns(script: Script) -> list[frozenset[Step]]:
    turns = sorted({step.turn for step in script.steps if step.turn})
    return [frozenset(s for s in script.steps if s.turn == turn) for turn in reversed(turns)]


def _troubles(script: Script) -> list[frozenset[Step]]:
    """Everything but speech; without its sound or its final, speech would be other speech."""
    return [frozenset((s,)) for s in script.steps if s.kind not in ("sound", "heard") and s.at_ms]
