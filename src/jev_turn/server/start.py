"""``POST /start`` as Pipecat's clients know it, and the health of the process."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse

from jev_turn.server.desk import Desk
from jev_turn.server.ice import IceServers, as_json


class Start(BaseModel):
    """What a client says of the call that it wants to begin; keys that it has besides are ignored.

    Attributes:
        transport: How it will connect.
        body: Handed to the bot as it is.
    """

    transport: Literal["webrtc", "websocket"] = "webrtc"
    body: dict[str, Any] = Field(default_factory=dict)


def start_routes(desk: Desk, ice_servers: IceServers) -> APIRouter:
    """Make the route that announces a call.

    Args:
        desk: What every route needs.
        ice_servers: Handed to WebRTC clients, which must use the same as the bot.

    Returns:
        The router.
    """
    router = APIRouter()

    @router.post("/start", dependencies=[Depends(desk.authorised)])
    async def start(wanted: Start, request: Request) -> dict[str, Any]:
        """Announce a call; the client then connects with what it gets here."""
        desk.calls.check()
        ticket = desk.tickets.issue(wanted.body)
        if wanted.transport == "websocket":
            base = desk.base_url(request.url.scheme, request.headers.get("host", ""))
            # The ticket is in the path too, for clients that send no token of their own.
            return {"wsUrl": f"{base}/ws-client/{ticket}", "sessionId": ticket, "token": ticket}
        ice = {"iceConfig": {"iceServers": as_json(ice_servers)}} if ice_servers else {}
        return {"sessionId": ticket, **ice}

    return router


def health_routes(desk: Desk) -> APIRouter:
    """Make the routes that whoever runs the process asks.

    Args:
        desk: What every route needs.

    Returns:
        The router: ``/healthz`` (the process lives) and ``/readyz`` (send it callers).
    """
    router = APIRouter()

    def state() -> dict[str, Any]:
        ready = not desk.calls.draining
        return {"live": True, "ready": ready, "calls": len(desk.calls)}

    @router.get("/healthz")
    async def healthz() -> dict[str, Any]:
        """Tell that the process answers, and what it is at."""
        return state()

    @router.get("/readyz")
    async def readyz() -> JSONResponse:
        """Tell whether calls may be sent here: 503 from the moment that the process drains."""
        said = state()
        retry = {"Retry-After": str(desk.config.retry_s)}
        return JSONResponse(said, 200) if said["ready"] else JSONResponse(said, 503, retry)

    return router
