"""A circuit breaker without a clock: it leaves a failing judge alone and tries it again later."""

from __future__ import annotations

from typing import Literal

BreakerState = Literal["closed", "open", "half_open"]


class Breaker:
    """Counts failures in a row; once there are too many, lets one request through per rest.

    Args:
        failures: Failures in a row that open it, >= 1.
        reset_ms: Rest between opening and the next trial, ms > 0.
    """

    def __init__(self, failures: int, reset_ms: int) -> None:
        self._limit = failures
        self._reset_ms = reset_ms
        self._failures = 0
        self._opened_at: int | None = None
        self._trial = False

    @property
    def state(self) -> BreakerState:
        """``half_open`` while the one trial is out."""
        if self._opened_at is None:
            return "closed"
        return "half_open" if self._trial else "open"

    def rests(self, now_ms: int) -> bool:
        """Tell whether no request may be sent now; asking costs nothing."""
        if self._opened_at is None:
            return False
        return self._trial or now_ms - self._opened_at < self._reset_ms

    def allow(self, now_ms: int) -> bool:
        """Tell whether a request may be sent; one that may be sent must report its end."""
        if self.rests(now_ms):
            return False
        self._trial = self._opened_at is not None
        return True

    def succeeded(self) -> None:
        """A request was answered: whatever was wrong is over."""
        self._failures = 0
        self._opened_at = None
        self._trial = False

    def failed(self, now_ms: int) -> None:
        """A request failed. One that was out before the opening does not lengthen the rest."""
        self._failures += 1
        if self._trial or (self._opened_at is None and self._failures >= self._limit):
            self._opened_at = now_ms
            self._trial = False

    def abandoned(self) -> None:
        """A request was given up and says nothing about the judge; another may be the trial."""
        self._trial = False
