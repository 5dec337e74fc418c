"""Calls that were announced and have not begun: each ticket is good once, and not for long."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from jev_turn.server.calls import CallRefused
from jev_turn.server.config import ServerConfig


class _Ticket(NamedTuple):
    until: float
    body: dict[str, Any]


class Tickets:
    """Issues and takes tickets.

    Args:
        config: How many may be out, and for how long.
        clock: Seconds, monotonic.
    """

    def __init__(self, config: ServerConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._out: dict[str, _Ticket] = {}

    def issue(self, body: dict[str, Any] | None = None) -> str:
        """Announce a call.

        Args:
            body: What the bot gets as ``runner_args.body``.

        Returns:
            The ticket, which cannot be guessed.

        Raises:
            CallRefused: Too many are out.
        """
        now = self._clock()
        self._out = {key: one for key, one in self._out.items() if one.until > now}
        if len(self._out) >= self._config.pending_max:
            raise CallRefused(429, "too many calls wait to begin", self._config.retry_s)
        ticket = secrets.token_urlsafe(24)
        self._out[ticket] = _Ticket(now + self._config.pending_ms / 1000, body or {})
        return ticket

    def take(self, ticket: str) -> dict[str, Any] | None:
        """Use a ticket up.

        Returns:
            Its body; ``None`` for one that is unknown, used or too old.
        """
        found = self._out.pop(ticket, None)
        return found.body if found is not None and found.until > self._clock() else None
