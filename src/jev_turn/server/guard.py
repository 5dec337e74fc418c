"""Stands in front of every route: hosts, origins and the size of what is sent."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jev_turn.server.access import Access


class Guard:
    """Refuses what no route should see.

    WebSocket messages are limited by the HTTP server itself (``ws_max_size``).

    Args:
        app: What stands behind.
        access: Which hosts and origins are known.
        body_max_bytes: Longest body of a request.
    """

    def __init__(self, app: ASGIApp, access: Access, body_max_bytes: int) -> None:
        self._app = app
        self._access = access
        self._most = body_max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, send)
        elif scope["type"] == "http":
            await self._app(scope, _limited(receive, self._most), send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        host = headers.get("host")
        if not self._access.knows_host(host):
            return JSONResponse({"detail": "unknown host"}, 403)
        if not self._access.knows_origin(headers.get("origin"), host):
            return JSONResponse({"detail": "unknown origin"}, 403)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._most:
            return JSONResponse({"detail": f"more than {self._most} bytes"}, 413)
        return None


def _limited(receive: Receive, most: int) -> Receive:
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, f"more than {most} bytes")
        return message

    return limited
