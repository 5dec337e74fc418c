"""Puts the server together: routes, limits and the bot's own additions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse

from jev_turn.server.calls import CallRefused
from jev_turn.server.desk import Desk, refusal
from jev_turn.server.guard import Guard
from jev_turn.server.ice import IceServers
from jev_turn.server.start import health_routes, start_routes
from jev_turn.server.webrtc import WebRTC, webrtc_routes
from jev_turn.server.websocket import websocket_routes

Mount = Callable[[FastAPI], None]


def create_app(
    desk: Desk, *, ice_servers: IceServers = (), mounts: Sequence[Mount] = ()
) -> FastAPI:
    """Make the application.

    Args:
        desk: The bot, the calls, the tickets and who may call; ``app.state.desk`` afterwards.
        ice_servers: STUN and TURN servers for both sides.
        mounts: Each adds routes of its own, which are open unless they depend on
            ``desk.authorised``.

    Returns:
        The application, ready for an ASGI server.
    """
    webrtc = WebRTC(desk, ice_servers)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await webrtc.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.desk = desk
    app.add_exception_handler(CallRefused, _refuse)
    app.add_exception_handler(RequestValidationError, _unreadable)
    for router in (
        health_routes(desk),
        start_routes(desk, ice_servers),
        webrtc_routes(desk, webrtc),
        websocket_routes(desk),
    ):
        app.include_router(router)
    for mount in mounts:
        mount(app)
    if desk.access.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=desk.access.origins,
            allow_methods=["GET", "POST", "PATCH"],
            allow_headers=["Authorization", "Content-Type"],
        )
    app.add_middleware(Guard, access=desk.access, body_max_bytes=desk.config.message_max_bytes)
    return app


async def _refuse(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, CallRefused)
    return refusal(error)


async def _unreadable(_request: Request, error: Exception) -> JSONResponse:
    """Say what is wrong with a body without sending it back, which JSON may not even hold."""
    assert isinstance(error, RequestValidationError)
    told = [{key: one[key] for key in ("type", "loc", "msg")} for one in error.errors()]
    return JSONResponse({"detail": told}, 422)
