"""One rate limit for all calls of a process that ask with the same account."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from jev_turn.judges.fair import FairQueue, Rates


@runtime_checkable
class HasAccount(Protocol):
    """A classifier whose requests count against an account."""

    @property
    def account(self) -> Hashable | None:
        """What tells this account from others; ``None`` for one without rates."""


class Limiter:
    """A fair queue on the time of the running loop, which is the same whenever it is used.

    Args:
        rates: Of the account.

    Attributes:
        held_back: Asks that could not go at once.
    """

    def __init__(self, rates: Rates) -> None:
        self.held_back = 0
        self._queue: FairQueue[Hashable] = FairQueue(rates, _now())
        self._go: dict[Hashable, Callable[[], None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def offer(self, who: Hashable, tokens: int, go: Callable[[], None]) -> bool:
        """Let an ask go at once, or call ``go`` when it may.

        Args:
            who: Whose it is; it waits once, with the latest ``go``.
            tokens: Its cost, estimated.
            go: Called once, from the loop; not after ``withdraw``.

        Returns:
            Whether it may go at once.
        """
        if self._queue.offer(who, tokens, _now()):
            return True
        self.held_back += 1
        self._go[who] = go
        self._arm()
        return False

    def withdraw(self, who: Hashable) -> None:
        """``who`` has nothing to ask any more."""
        self._go.pop(who, None)
        self._queue.withdraw(who)

    def leave(self, who: Hashable) -> None:
        """The call of ``who`` is over."""
        self._go.pop(who, None)
        self._queue.leave(who)

    def pause(self, seconds: float) -> None:
        """Let nothing go for so long: the server has said so."""
        self._queue.pause(_now() + seconds)
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        when = self._queue.next_s(_now())
        loop = asyncio.get_running_loop()
        self._timer = None if when is None else loop.call_at(when, self._serve)

    def _serve(self) -> None:
        while (who := self._queue.due(_now())) is not None:
            self._go.pop(who)()
        self._arm()


def _now() -> float:
    return asyncio.get_running_loop().time()


_limiters: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, Limiter]] = (
    WeakKeyDictionary()
)


def limiter_for(classifier: object, rates: Rates) -> Limiter | None:
    """Return the limiter that all calls on the running loop share for a classifier's account.

    Args:
        classifier: One with an ``account``; any other has no rates to keep to.
        rates: Of the account. The first call's count.
    """
    account = classifier.account if isinstance(classifier, HasAccount) else None
    if account is None:
        return None
    of_loop = _limiters.setdefault(asyncio.get_running_loop(), {})
    if account not in of_loop:
        of_loop[account] = Limiter(rates)
    return of_loop[account]
