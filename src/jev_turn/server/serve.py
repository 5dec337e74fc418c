"""Runs the server in this process until it is told to stop, and lets calls end before it does."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from functools import partial
from pathlib import Path
from types import FrameType

import uvicorn
from loguru import logger

from jev_turn.page import mount as mount_page
from jev_turn.page.calls import add_setup_file
from jev_turn.policy import load_policy
from jev_turn.server import setup_worker
from jev_turn.server.access import access_from_environment
from jev_turn.server.app import Mount, create_app
from jev_turn.server.bot_file import load_bot_file
from jev_turn.server.calls import Calls
from jev_turn.server.config import ServerConfig
from jev_turn.server.desk import Desk
from jev_turn.server.ice import ice_servers_from_environment
from jev_turn.server.stalled import dropping_stalled
from jev_turn.services import chosen, services_from_environment


class DrainingServer(uvicorn.Server):
    """On SIGTERM or SIGINT, drains before it stops; a second signal stops at once.

    Args:
        config: Uvicorn's.
        calls: What to drain.
    """

    def __init__(self, config: uvicorn.Config, calls: Calls) -> None:
        super().__init__(config)
        self._calls = calls
        self._loop: asyncio.AbstractEventLoop | None = None
        self._drain: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say where."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        for server in self.servers:
            for sock in server.sockets:
                host, port = sock.getsockname()[:2]
                shown = f"[{host}]" if ":" in host else host
                logger.info(f"listening on http://{shown}:{port}")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain; runs in the signal handler."""
        if self._calls.draining or self._loop is None:
            self.should_exit = True
            self.force_exit = sig == signal.SIGINT
        else:
            self._loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if self._drain is None:
            self._drain = asyncio.create_task(self._stop())

    async def _stop(self) -> None:
        try:
            await self._calls.drain()
        finally:
            self.should_exit = True
            logger.info("drained")


def serve(bot_file: Path, host: str, port: int) -> None:
    """Serve a bot until SIGTERM or SIGINT.

    Args:
        bot_file: By Pipecat's convention.
        host: Where to listen; others than loopback need a token.
        port: The port; 0 takes a free one.

    Raises:
        ConfigError: The bot file or a setting is wrong.
        PolicyFileError: A limit is wrong.
    """
    access = access_from_environment(os.environ, host)
    config = ServerConfig.of(load_policy())
    ice_servers = ice_servers_from_environment(os.environ)
    module = load_bot_file(bot_file)
    if getattr(module, "services_from_environment", None) is services_from_environment:
        # A key that was forgotten must not show in the calls first.
        logger.info(chosen())
    add_setup_file(setup_worker.__file__)
    desk = Desk.of(module.bot, config, access)
    app = create_app(desk, ice_servers=ice_servers, mounts=_mounts(module))
    settings = uvicorn.Config(
        app,
        host,
        port,
        ws=dropping_stalled(config.stall_ms),
        ws_max_size=config.message_max_bytes,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=-(-config.end_ms // 1000),
    )
    DrainingServer(settings, desk.calls).run()


def _mounts(module: object) -> list[Mount]:
    """Return what adds routes: the bot file's own come first, and may take the page's place."""
    own = getattr(module, "mount", None)
    page = partial(mount_page, barge_in=getattr(module, "BARGE_IN", True) is not False)
    return [own, page] if callable(own) else [page]
