"""WebSocket calls: Pipecat's own clients, telephone providers and Pipecat's evals."""

from __future__ import annotations

import uuid
from contextlib import suppress
from functools import partial
from typing import Any

from fastapi import APIRouter, WebSocket
from pipecat.runner.types import WebSocketRunnerArguments
from starlette.responses import JSONResponse
from starlette.websockets import WebSocketDisconnect, WebSocketState

from jev_turn.server.calls import CallRefused
from jev_turn.server.desk import Desk, refusal


def websocket_routes(desk: Desk) -> APIRouter:
    """Make the WebSocket routes.

    Args:
        desk: What every route needs.

    Returns:
        The router: ``/ws-client`` for Pipecat's WebSocket clients, ``/ws`` for connections whose
        first message tells what they are; each with the bearer token, or with a ticket as the
        next part of the path.
    """
    router = APIRouter()

    @router.websocket("/ws-client")
    @router.websocket("/ws-client/{ticket}")
    async def client(websocket: WebSocket, ticket: str | None = None) -> None:
        await _serve(desk, websocket, ticket, "websocket")

    @router.websocket("/ws")
    @router.websocket("/ws/{ticket}")
    async def detected(websocket: WebSocket, ticket: str | None = None) -> None:
        await _serve(desk, websocket, ticket, None)

    return router


async def _serve(desk: Desk, websocket: WebSocket, ticket: str | None, kind: str | None) -> None:
    # Who is told something and has left already is no trouble of the server's.
    with suppress(WebSocketDisconnect):
        await _answer(desk, websocket, ticket, kind)


async def _answer(desk: Desk, websocket: WebSocket, ticket: str | None, kind: str | None) -> None:
    body = _body(desk, websocket, ticket)
    if body is None:
        await websocket.send_denial_response(JSONResponse({"detail": "a token is needed"}, 401))
        return
    try:
        call = desk.calls.admit(kind or "telephony")
    except CallRefused as error:
        await websocket.send_denial_response(refusal(error))
        return
    try:
        await websocket.accept()
        args = WebSocketRunnerArguments(
            websocket=websocket, transport_type=kind, body=body, session_id=str(uuid.uuid4())
        )
        await desk.calls.start(call, partial(desk.bot, args))
    finally:
        desk.calls.release(call)
        await _close(websocket)


def _body(desk: Desk, websocket: WebSocket, ticket: str | None) -> dict[str, Any] | None:
    """Return what the bot gets as its body; ``None`` for somebody who may not call."""
    if ticket is not None:
        return desk.tickets.take(ticket)
    return {} if desk.access.allows(websocket.headers.get("authorization")) else None


async def _close(websocket: WebSocket) -> None:
    if websocket.application_state is WebSocketState.CONNECTED:
        try:
            await websocket.close()
        except RuntimeError:
            # The other side was faster.
            return
