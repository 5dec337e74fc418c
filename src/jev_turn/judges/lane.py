"""Which asks are out, which one waits, and which one a newer ask has replaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, NamedTuple, Protocol, TypeVar


class Queued(Protocol):
    """Anything that belongs to a bundle."""

    @property
    def bundle(self) -> str:
        """The questions it asks, which decide how many may be out beside it."""


T = TypeVar("T", bound=Queued)


class Offer(NamedTuple, Generic[T]):
    """What becomes of an ask that was offered.

    Attributes:
        send: It, when it may go out at once.
        superseded: The ask whose waiting place it took.
    """

    send: T | None = None
    superseded: T | None = None


class Lane(Generic[T]):
    """A few asks out, one waiting, the newest wins the waiting place.

    Args:
        limits: How many may be out, by the bundle of the ask that wants to go.
    """

    def __init__(self, limits: Mapping[str, int]) -> None:
        self._limits = dict(limits)
        self._out: list[T] = []
        self._waiting: T | None = None

    @property
    def open(self) -> tuple[T, ...]:
        """Everything without an end yet, oldest first."""
        return (*self._out, self._waiting) if self._waiting is not None else tuple(self._out)

    def offer(self, item: T) -> Offer[T]:
        """Take a new ask; the caller sends ``send`` and fails ``superseded``."""
        superseded, self._waiting = self._waiting, None
        if self._has_room(item):
            self._out.append(item)
            return Offer(send=item, superseded=superseded)
        self._waiting = item
        return Offer(superseded=superseded)

    def ended(self, item: T) -> T | None:
        """Note the end of ``item``; return the ask to send in its place."""
        if item not in self._out:
            return None
        self._out.remove(item)
        waiting = self._waiting
        if waiting is None or not self._has_room(waiting):
            return None
        self._waiting = None
        self._out.append(waiting)
        return waiting

    def _has_room(self, item: T) -> bool:
        return len(self._out) < self._limits[item.bundle]
