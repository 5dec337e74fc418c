"""Who may ask next when all calls of a process share one account's rates; pure, on given time.

The one that was served longest ago goes first. An ask that is replaced keeps its call's place, and
one that gave up has lost nothing: the place is the call's own past, not a position in a queue.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

W = TypeVar("W", bound=Hashable)

_WINDOW_S = 60.0


@dataclass(frozen=True, slots=True)
class Rates:
    """What an account may use.

    Attributes:
        requests_per_minute: In any sixty seconds, >= 1.
        tokens_per_second: >= 1.
    """

    requests_per_minute: int
    tokens_per_second: int


class Bucket:
    """Fills up with time to ``size``.

    Args:
        size: Most that it holds, which is what may be used at once.
        per_s: How fast it fills.
        now_s: The present; it begins full.
    """

    def __init__(self, size: float, per_s: float, now_s: float) -> None:
        self._size, self._per_s = size, per_s
        self._held, self._at_s = size, now_s

    def has(self, amount: float, now_s: float) -> bool:
        """Tell whether ``amount`` may be taken; one that never fits may be when it is full."""
        return self.held(now_s) >= min(amount, self._size) - 1e-9

    def take(self, amount: float, now_s: float) -> None:
        """Take it, into debt if it is more than fits."""
        self._held, self._at_s = self.held(now_s) - amount, max(self._at_s, now_s)

    def held(self, now_s: float) -> float:
        """Return what is in it."""
        return min(self._size, self._held + max(0.0, now_s - self._at_s) * self._per_s)

    def at_s(self, amount: float, now_s: float) -> float:
        """Return when ``amount`` may be taken, s."""
        missing = min(amount, self._size) - self.held(now_s)
        return now_s + max(0.0, missing) / self._per_s


class FairQueue(Generic[W]):
    """Lets asks go within ``rates``, and shares what there is among those who wait.

    Args:
        rates: Of the account.
        now_s: The present.
    """

    def __init__(self, rates: Rates, now_s: float) -> None:
        # What may be used at once is part of the minute: no window of it holds more.
        burst = max(1.0, rates.requests_per_minute / _WINDOW_S)
        rest = max(rates.requests_per_minute - burst, 0.5)
        self._requests = Bucket(burst, rest / _WINDOW_S, now_s)
        self._tokens = Bucket(rates.tokens_per_second, rates.tokens_per_second, now_s)
        self._waiting: dict[W, int] = {}
        self._served: dict[W, int] = {}
        self._serial = 0
        self._paused_until_s = now_s

    @property
    def waiting(self) -> tuple[W, ...]:
        """Who waits, those who go first first; equal pasts in the order of arrival."""
        return tuple(sorted(self._waiting, key=self._past))

    def offer(self, who: W, tokens: int, now_s: float) -> bool:
        """Let an ask go at once, or have ``who`` wait.

        Args:
            who: A call's judge; it waits once, however often it asks.
            tokens: What the ask will cost, estimated.
            now_s: The present.

        Returns:
            Whether it may go; if not, ``due`` names it when its time has come.
        """
        self._waiting[who] = tokens
        if self._first() == who and self._fits(tokens, now_s):
            self._serve(who, now_s)
            return True
        return False

    def withdraw(self, who: W) -> None:
        """``who`` has nothing to ask any more."""
        self._waiting.pop(who, None)

    def leave(self, who: W) -> None:
        """The call of ``who`` is over."""
        self.withdraw(who)
        self._served.pop(who, None)

    def due(self, now_s: float) -> W | None:
        """Serve the next one, if it may go now."""
        if not self._waiting:
            return None
        who = self._first()
        if not self._fits(self._waiting[who], now_s):
            return None
        self._serve(who, now_s)
        return who

    def next_s(self, now_s: float) -> float | None:
        """Return when ``due`` will serve somebody, s; ``None`` while nobody waits."""
        if not self._waiting:
            return None
        tokens = self._waiting[self._first()]
        when = max(self._requests.at_s(1, now_s), self._tokens.at_s(tokens, now_s))
        return max(when, self._paused_until_s)

    def pause(self, until_s: float) -> None:
        """Let nothing go before ``until_s``: the server has said so."""
        self._paused_until_s = max(self._paused_until_s, until_s)

    def _past(self, who: W) -> int:
        return self._served.get(who, 0)

    def _first(self) -> W:
        """Return the first of ``waiting``."""
        return min(self._waiting, key=self._past)

    def _fits(self, tokens: int, now_s: float) -> bool:
        if now_s < self._paused_until_s:
            return False
        return self._requests.has(1, now_s) and self._tokens.has(tokens, now_s)

    def _serve(self, who: W, now_s: float) -> None:
        self._requests.take(1, now_s)
        self._tokens.take(self._waiting.pop(who), now_s)
        self._serial += 1
        self._served[who] = self._serial
