"""Drops WebSockets whose other side no longer takes what it is sent."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

_Protocol: Any = AutoWebSocketsProtocol

_SYSTEM_BYTES = 65_536
"""What the system may keep of what was sent, bytes: a second of sound and more. It tells of room only
once a third is free; in the megabytes that it takes by itself, somebody who reads slowly would look
like somebody who takes nothing."""


def dropping_stalled(stall_ms: int) -> type[asyncio.Protocol]:
    """Make Uvicorn's WebSocket protocol with a limit on how long a send may wait.

    Uvicorn lets a send wait for as long as the connection lasts, and closes a connection only once
    it has delivered what is left. Its call could not be ended then, nor could the process.

    Args:
        stall_ms: A connection whose buffer stays full this long is cut, ms.

    Returns:
        The protocol, for ``uvicorn.Config(ws=...)``.
    """

    class DroppingStalled(_Protocol):  # type: ignore[misc]
        """Cuts the connection when its buffer does not drain in time."""

        _cut: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            """Have the system keep little."""
            sock = transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SYSTEM_BYTES)
            super().connection_made(transport)

        def pause_writing(self) -> None:
            """Learn that the buffer is full."""
            super().pause_writing()
            self._cut = asyncio.get_running_loop().call_later(stall_ms / 1000, self.transport.abort)

        def resume_writing(self) -> None:
            """Learn that it has drained."""
            super().resume_writing()
            self._wait_no_longer()

        def connection_lost(self, exc: Exception | None) -> None:
            """Learn that nobody is there any more."""
            self._wait_no_longer()
            super().connection_lost(exc)

        def _wait_no_longer(self) -> None:
            if self._cut is not None:
                self._cut.cancel()
                self._cut = None

    return DroppingStalled
