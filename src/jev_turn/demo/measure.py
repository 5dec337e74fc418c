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
        what: What is promised, as a sentence.
        figure: What was measured, beside its limits.
        cases: How many times it was put to the test.
        faults: Where it was broken.
        timed: It is about times, in which the recogniser's own computing counts.
    """

    what: str
    figure: str
    cases: int
    faults: tuple[str, ...] = ()
    timed: bool = False

    @property
    def kept(self) -> bool:
        """It held; also when it was not put to the test."""
        return not self.faults


def counted(
    what: str, noun: str, cases: int, faults: Sequence[str], times: int | None = None
) -> Promise:
    """Promise that something never happens.

    Args:
        what: What is promised.
        noun: What one case is.
        cases: How many there were.
        faults: Where it happened.
        times: How often, where a fault stands for more than one.
    """
    count = len(faults) if times is None else times
    is_tested = cases or faults
    figure = f"{_many(count, 'exception')} in {_many(cases, noun)}" if is_tested else ""
    return Promise(what, figure, cases, tuple(faults))


def times(
    what: str, noun: str, named: Sequence[tuple[str, int | None]], limits: dict[str, int]
) -> Promise:
    """Hold times to limits on ``p50``, ``p90`` or ``max``; the slowest cases are the faults.

    Args:
        what: What is promised.
        noun: What one case is.
        named: Each case's name and its time, ms; ``None`` counts for nothing.
        limits: Most that a statistic may be, ms.
    """
    known = [(name, ms) for name, ms in named if ms is not None]
    if not known:
        limit = ", ".join(f"{name} \u2264 {ms}" for name, ms in limits.items())
        return Promise(what, f"{limit} ms", 0, timed=True)
    figures = {name: _statistic(name, [ms for _, ms in known]) for name in limits}
    broken = [name for name, ms in figures.items() if ms > limits[name]]
    over = min((limits[name] for name in broken), default=0)
    faults = [f"{name}: {ms} ms" for name, ms in known if broken and ms > over]
    signs = {name: ">" if name in broken else "\u2264" for name in figures}
    beside = ", ".join(f"{name} {ms} {signs[name]} {limits[name]}" for name, ms in figures.items())
    figure = f"{beside} ms in {_many(len(known), noun)}"
    return Promise(what, figure, len(known), tuple(faults), timed=True)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _statistic(name: str, values: Sequence[int]) -> int:
    """Return a statistic, rounded up where it lies between two values."""
    ordered = sorted(values)
    if name == "max":
        return ordered[-1]
    if name == "p50":
        return math.ceil(statistics.median(ordered))
    return ordered[math.ceil(int(name[1:]) / 100 * len(ordered)) - 1]
