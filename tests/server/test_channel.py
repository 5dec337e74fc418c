"""The data channel of a WebRTC call, between two real peers on this machine."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aioice import ice
from aiortc import RTCPeerConnection, RTCSessionDescription
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from pipecat.runner.types import RunnerArguments, SmallWebRTCRunnerArguments

from jev_turn.policy import load_policy
from jev_turn.server.access import Access
from jev_turn.server.app import create_app
from jev_turn.server.config import ServerConfig
from jev_turn.server.desk import Desk

LONGEST = 65_536


@pytest.fixture(autouse=True)
def on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the peers meet on loopback, which aioice leaves out."""
    monkeypatch.setattr(ice, "get_host_addresses", lambda *_, **__: ["127.0.0.1"])


class Reader:
    """A bot that takes down how long each message is that it gets."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.closed = asyncio.Event()

    async def __call__(self, args: RunnerArguments) -> None:
        """Stay until the connection is closed."""
        assert isinstance(args, SmallWebRTCRunnerArguments)
        connection = args.webrtc_connection

        @connection.event_handler("app-message")  # type: ignore[untyped-decorator]
        async def read(_connection: object, message: Any) -> None:
            self.lengths.append(len(json.dumps(message)))

        @connection.event_handler("closed")  # type: ignore[untyped-decorator]
        async def gone(_connection: object) -> None:
            self.closed.set()

        await connection.connect()
        await self.closed.wait()


def of_length(length: int) -> str:
    """Return a message of a client's with so many bytes."""
    message = {"type": "client-message", "text": ""}
    return json.dumps(message | {"text": "x" * (length - len(json.dumps(message)))})


class Caller:
    """A browser's side of a call, which may be made anew."""

    def __init__(self, app: FastAPI) -> None:
        self._web = AsyncClient(transport=ASGITransport(app), base_url="http://127.0.0.1:7860")
        self._peers: list[RTCPeerConnection] = []
        self._pc_id: str | None = None

    async def connect(self) -> Any:
        """Return the open channel of a connection, which takes the place of the one before."""
        peer = RTCPeerConnection()
        self._peers.append(peer)
        peer.addTransceiver("audio")
        channel, opened = peer.createDataChannel("rtvi"), asyncio.Event()
        channel.on("open", opened.set)
        await peer.setLocalDescription(await peer.createOffer())
        offer = peer.localDescription
        more = {"pc_id": self._pc_id, "restart_pc": True} if self._pc_id else {}
        sent = {"sdp": offer.sdp, "type": offer.type, **more}
        answer = (await self._web.post("/api/offer", json=sent)).json()
        self._pc_id = answer["pc_id"]
        given = RTCSessionDescription(sdp=answer["sdp"], type=answer["type"])
        await peer.setRemoteDescription(given)
        await asyncio.wait_for(opened.wait(), 20)
        return channel

    async def close(self) -> None:
        """Hang up."""
        for peer in self._peers:
            await peer.close()
        await self._web.aclose()


@pytest.mark.bots
@pytest.mark.parametrize("times", [1, 2], ids=["new", "made anew"])
async def test_a_message_of_64_kib_is_the_longest(times: int) -> None:
    """A longer one never reaches the bot and closes the connection, which ends that call."""
    reader = Reader()
    desk = Desk.of(reader, ServerConfig.of(load_policy(env={})), Access())
    caller = Caller(create_app(desk))
    try:
        for _ in range(times):
            channel = await caller.connect()
        channel.send(of_length(LONGEST))
        channel.send(of_length(LONGEST + 1))
        await asyncio.wait_for(reader.closed.wait(), 20)
        await asyncio.sleep(0)
    finally:
        await caller.close()
    assert reader.lengths == [LONGEST]
    assert len(desk.calls) == 0
