"""By how much held speech is late, so that its timed words stay in step with its audio."""

from __future__ import annotations

from collections.abc import Hashable


class Lag:
    """Compares when speech begins with when it would have begun, had nothing been held.

    Two playheads move over the same audio: one as it comes in, one as it is let out. All times are
    nanoseconds of the pipeline's clock.
    """

    def __init__(self) -> None:
        self._would = 0
        self._will = 0
        self._latest = 0
        self._came: dict[Hashable, int] = {}
        self._late: dict[Hashable, int] = {}

    def arrives(self, context: Hashable, lasts: int, now: int) -> None:
        """Audio of a context has come in."""
        begins = max(self._would, now)
        self._came.setdefault(context, begins)
        self._would = begins + lasts

    def leaves(self, context: Hashable, lasts: int, now: int) -> None:
        """Audio of a context, which had come in, is let out."""
        begins = max(self._will, now)
        self._latest = self._late.setdefault(context, begins - self._came.get(context, begins))
        self._will = begins + lasts

    def of(self, context: Hashable, now: int) -> int:
        """Return how late a context is, or would be if its audio began to leave at once.

        What belongs to no context stands behind the one that left last.
        """
        if context in self._late or context is None:
            return self._late.get(context, self._latest)
        return max(self._will, now) - self._came.get(context, max(self._would, now))

    def ends(self, context: Hashable) -> None:
        """Nothing more of a context will come."""
        self._came.pop(context, None)
        self._late.pop(context, None)

    def reset(self) -> None:
        """All audio on its way has been dropped."""
        self._would = self._will = self._latest = 0
        self._came.clear()
        self._late.clear()
