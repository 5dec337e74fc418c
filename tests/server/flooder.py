"""A bot by Pipecat's convention that talks until its caller leaves, whether anybody listens or not."""

from __future__ import annotations

import asyncio
import os

from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments
from starlette.websockets import WebSocket, WebSocketDisconnect


async def bot(runner_args: RunnerArguments) -> None:
    """Send as much as can be sent."""
    assert isinstance(runner_args, WebSocketRunnerArguments)
    talking = asyncio.create_task(talk(runner_args.websocket))
    try:
        await runner_args.websocket.receive_text()
    except WebSocketDisconnect:
        talking.cancel()


async def talk(websocket: WebSocket) -> None:
    """Say nothing, loudly, and such that it cannot be compressed."""
    noise = os.urandom(50_000)
    while True:
        await websocket.send_bytes(noise)
        await asyncio.sleep(0.001)
