"""WebRTC calls: offers and candidates, directly or under a session that ``/start`` announced."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Depends, HTTPException
from pipecat.runner.types import SmallWebRTCRunnerArguments
from pipecat.transports.smallwebrtc.connection import SmallWebRTCConnection
from pipecat.transports.smallwebrtc.request_handler import (
    IceCandidate,
    SmallWebRTCPatchRequest,
    SmallWebRTCRequest,
    SmallWebRTCRequestHandler,
)

from jev_turn.server.call import Call
from jev_turn.server.channel import limit_messages
from jev_turn.server.desk import Desk
from jev_turn.server.ice import IceServers

Json = dict[str, Any]


class WebRTC:
    """Pipecat's request handler behind this server's limits.

    Args:
        desk: What every route needs.
        ice_servers: STUN and TURN for the bot's side.
    """

    def __init__(self, desk: Desk, ice_servers: IceServers) -> None:
        self._desk = desk
        self._handler = SmallWebRTCRequestHandler(ice_servers=list(ice_servers) or None)
        # By the connection, whose id is another one each time that a client has it made anew.
        self._connections: set[SmallWebRTCConnection] = set()
        self._sessions: dict[str, SmallWebRTCConnection] = {}

    async def close(self) -> None:
        """Close every connection."""
        await self._handler.close()  # type: ignore[no-untyped-call]

    async def offer(self, data: Json, session: str, body: Json | None = None) -> Json:
        """Answer an offer; one of a new connection begins a call.

        Args:
            data: The request, as Pipecat's clients send it.
            session: The call's id for the bot.
            body: What ``/start`` was given for the bot.

        Returns:
            The answer.

        Raises:
            CallRefused: No call may begin now.
            HTTPException: The offer cannot be read.
        """
        request = _offer(data)
        for connection in self._connections:
            if connection.pc_id == request.pc_id:
                return await self._renegotiate(connection, request)
        request.request_data = request.request_data or body
        call = self._desk.calls.admit("webrtc")
        try:
            return await self._answer(request, partial(self._begin, request, call, session))
        finally:
            if call.task is None:
                self._desk.calls.release(call)

    async def session_offer(self, session: str, data: Json) -> Json:
        """Answer an offer under a session: the first uses up its ticket, later ones renegotiate.

        Raises:
            CallRefused: No call may begin now; the session stays good.
            HTTPException: There is no such session, the offer is for another connection than its
                own, or it cannot be read.
        """
        if session in self._sessions:
            self._check_own(session, data)
            return await self.offer(data, session)
        self._desk.calls.check()
        body = self._desk.tickets.take(session)
        if body is None:
            raise HTTPException(404, "no such session")
        return await self.offer(data, session, body)

    async def candidates(self, data: Json) -> Json:
        """Take in the other side's addresses.

        Raises:
            HTTPException: They cannot be read, or belong to no connection.
        """
        try:
            found = [IceCandidate(**one) for one in data.get("candidates", [])]
            await self._handler.handle_patch_request(SmallWebRTCPatchRequest(data["pc_id"], found))
        except HTTPException:
            raise
        except Exception:
            # aiortc asserts what it reads; its error would show the candidate.
            raise HTTPException(400, "expected pc_id and candidates") from None
        return {"status": "success"}

    async def session_candidates(self, session: str, data: Json) -> Json:
        """Take in addresses under a session whose call runs.

        Raises:
            HTTPException: There is no such session, or they are not for its connection.
        """
        self._check_own(session, data)
        return await self.candidates(data)

    def _check_own(self, session: str, data: Json) -> None:
        """Refuse what is not for the one connection that a session's ticket has opened."""
        connection = self._sessions.get(session)
        if connection is None or data.get("pc_id") != connection.pc_id:
            raise HTTPException(404, "no such session")

    async def _renegotiate(
        self, connection: SmallWebRTCConnection, request: SmallWebRTCRequest
    ) -> Json:
        before = connection.pc
        answer = await self._answer(request, _nothing)
        if connection.pc is not before:
            self._limit(connection)
        return answer

    async def _answer(
        self,
        request: SmallWebRTCRequest,
        begin: Callable[[SmallWebRTCConnection], Awaitable[None]],
    ) -> Json:
        try:
            answer = await self._handler.handle_web_request(request, begin)
        except HTTPException:
            raise
        except Exception:
            raise HTTPException(400, "the offer cannot be answered") from None
        if answer is None:
            raise HTTPException(400, "the offer cannot be answered")
        return answer

    async def _begin(
        self,
        request: SmallWebRTCRequest,
        call: Call,
        session: str,
        connection: SmallWebRTCConnection,
    ) -> None:
        self._limit(connection)
        args = SmallWebRTCRunnerArguments(
            webrtc_connection=connection, body=request.request_data or {}, session_id=session
        )
        task = self._desk.calls.start(call, partial(self._desk.bot, args))
        self._connections.add(connection)
        self._sessions[session] = connection
        task.add_done_callback(lambda _: self._forget(connection, session))

    def _forget(self, connection: SmallWebRTCConnection, session: str) -> None:
        self._connections.discard(connection)
        self._sessions.pop(session, None)

    def _limit(self, connection: SmallWebRTCConnection) -> None:
        limit_messages(connection, self._desk.config.message_max_bytes)


async def _nothing(_connection: SmallWebRTCConnection) -> None:
    """Do nothing when a connection that has its call is negotiated again."""


def webrtc_routes(desk: Desk, webrtc: WebRTC) -> APIRouter:
    """Make the WebRTC routes.

    A session's id cannot be guessed and is handed out to callers with the token only, so that the
    routes under it ask for nothing else.

    Args:
        desk: What every route needs.
        webrtc: Answers.

    Returns:
        The router.
    """
    router = APIRouter()
    guarded = [Depends(desk.authorised)]

    @router.post("/api/offer", dependencies=guarded)
    async def offer(data: Json) -> Json:
        return await webrtc.offer(data, str(uuid.uuid4()))

    @router.patch("/api/offer", dependencies=guarded)
    async def candidates(data: Json) -> Json:
        return await webrtc.candidates(data)

    @router.post("/sessions/{session}/api/offer")
    async def session_offer(session: str, data: Json) -> Json:
        return await webrtc.session_offer(session, data)

    @router.patch("/sessions/{session}/api/offer")
    async def session_candidates(session: str, data: Json) -> Json:
        return await webrtc.session_candidates(session, data)

    return router


def _offer(data: Json) -> SmallWebRTCRequest:
    known = ("sdp", "type", "pc_id", "restart_pc", "request_data", "requestData")
    try:
        request: SmallWebRTCRequest = SmallWebRTCRequest.from_dict(
            {key: data[key] for key in known if key in data}
        )
    except TypeError:
        raise HTTPException(400, "expected sdp and type") from None
    if not isinstance(request.pc_id, str | None):
        raise HTTPException(400, "expected pc_id as text")
    return request
