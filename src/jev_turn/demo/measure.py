"""A promise, and times held to limits."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    """One line of the closing table.

    Attributes:
        what: What is promised.
        figure: What was measured.
        limit: What was promised.
        cases: How many times it was put to the test.
        faults: Where it was broken.
    """

    what: str
    figure: str
    limit: str
    cases: int
    faults: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """It held; also when it was not put to the test."""
        return not self.faults


def times(what: str, named: Sequence[tuple[str, int | None]], limits: dict[str, int]) -> Promise:
    """Hold times to limits on ``p50``, ``p90`` or ``max``; the slowest cases are the faults.

    Args:
        what: What is promised.
        named: Each case's name and its time, ms; ``None`` counts for nothing.
        limits: Most that a statistic may be, ms.
    """
    known = [(name, ms) for name, ms in named if ms is not None]
    limit = ", ".join(f"{name} \u2264 {ms}" for name, ms in limits.items()) + " ms"
    if not known:
        return Promise(what, "\u2013", limit, 0)
    figures = {name: _statistic(name, [ms for _, ms in known]) for name in limits}
    broken = [name for name, ms in figures.items() if ms > limits[name]]
    over = min((limits[name] for name in broken), default=0)
    faults = [f"{name}: {ms} ms" for name, ms in known if broken and ms > over]
    figure = ", ".join(f"{name} {ms}" for name, ms in figures.items()) + " ms"
    return Promise(what, figure, limit, len(known), tuple(faults))


def _statistic(name: str, values: Sequence[int]) -> int:
    """Return a statistic, rounded up where it lies between two values."""
    ordered = sorted(values)
    if name == "max":
        return ordered[-1]
    if name == "p50":
        return math.ceil(statistics.median(ordered))
    return ordered[math.ceil(int(name[1:]) / 100 * len(ordered)) - 1]
