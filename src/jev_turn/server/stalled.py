"""Drops WebSockets whose other side no longer takes what it is sent."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

_Protocol: Any = AutoWebSocketsProtocol


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
