"""What every route needs: the bot, the calls, the tickets and who may call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import HTTPException, Request
from pipecat.runner.types import RunnerArguments
from starlette.responses import JSONResponse

from jev_turn.server.access import Access
from jev_turn.server.calls import CallRefused, Calls
from jev_turn.server.config import ServerConfig
from jev_turn.server.tickets import Tickets

Bot = Callable[[RunnerArguments], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Desk:
    """What every route needs.

    Attributes:
        bot: Talks to one caller, by Pipecat's convention.
        config: Limits.
        access: Who may call.
        calls: Those that run.
        tickets: Those that were announced.
    """

    bot: Bot
    config: ServerConfig
    access: Access
    calls: Calls
    tickets: Tickets

    @classmethod
    def of(cls, bot: Bot, config: ServerConfig, access: Access) -> Desk:
        """Make a desk without calls."""
        return cls(bot, config, access, Calls(config), Tickets(config))

    def authorised(self, request: Request) -> None:
        """Let only those in who bring the token; a dependency of routes that begin calls.

        Raises:
            HTTPException: 401 without the token.
        """
        if not self.access.allows(request.headers.get("authorization")):
            raise HTTPException(401, "a bearer token is needed", {"WWW-Authenticate": "Bearer"})

    def base_url(self, scheme: str, host: str) -> str:
        """Return what callers reach this server by, as ``ws`` or ``wss``."""
        url = self.access.url or f"{scheme}://{host}"
        return url.replace("http", "ws", 1)


def refusal(error: CallRefused) -> JSONResponse:
    """Answer somebody who may not call now, and say when to try again."""
    headers = {"Retry-After": str(error.retry_s)}
    return JSONResponse({"detail": str(error)}, error.status, headers)
