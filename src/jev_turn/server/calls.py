"""The calls that run in this process: how many there may be, and how they all end."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable

from loguru import logger

from jev_turn.errors import ConfigError, JevTurnError
from jev_turn.server.call import Call, current
from jev_turn.server.config import ServerConfig

_CANCELLED_S = 0.5
"""A bot that was cancelled gets this long to leave, s."""


class CallRefused(JevTurnError):
    """No call begins here and now.

    Args:
        status: HTTP status, 429 or 503.
        reason: For whoever called.
        retry_s: When to try again, seconds.
    """

    def __init__(self, status: int, reason: str, retry_s: int) -> None:
        self.status = status
        self.retry_s = retry_s
        super().__init__(reason)


class Calls:
    """Admits calls, runs each in a task of its own, and drains them.

    Args:
        config: How many, how long and how much.
    """

    def __init__(self, config: ServerConfig) -> None:
        self.draining = False
        self._config = config
        self._numbers = itertools.count(1)
        self._running: set[Call] = set()

    def __len__(self) -> int:
        return len(self._running)

    def check(self) -> None:
        """Refuse when a call could not begin now.

        Raises:
            CallRefused: The server is draining or full.
        """
        if self.draining:
            raise CallRefused(503, "the server is shutting down", self._config.retry_s)
        if len(self._running) >= self._config.calls_max:
            raise CallRefused(503, "all lines are busy", self._config.retry_s)

    def admit(self, kind: str) -> Call:
        """Take a place; it is free again when the call has run, or by ``release``.

        Args:
            kind: How the caller is connected, for the log.

        Returns:
            The call, whose time begins.

        Raises:
            CallRefused: The server is draining or full.
        """
        self.check()
        call = Call(next(self._numbers), kind, self._config)
        self._running.add(call)
        logger.info(f"call {call.number} begins ({kind}), {len(self)} running")
        return call

    def release(self, call: Call) -> None:
        """Free the place of a call that will not run, or has run."""
        if call in self._running:
            self._running.discard(call)
            call.close()
            logger.info(f"call {call.number} is over after {call.seconds} s: {call.why}")

    def start(self, call: Call, bot: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        """Run a bot for an admitted call.

        Args:
            call: From ``admit``.
            bot: Talks to the caller until the call is over.

        Returns:
            The call's task; it never raises but when it is cancelled.
        """
        task = asyncio.create_task(self._run(call, bot), name=f"call {call.number}")
        call.task = task
        return task

    async def drain(self) -> None:
        """Admit nobody, let calls end, then end them; return when none runs, or none can be ended."""
        self.draining = True
        logger.info(f"draining: {len(self)} calls are running")
        if tasks := self._tasks():
            await asyncio.wait(tasks, timeout=self._config.drain_ms / 1000)
        for call in tuple(self._running):
            call.end("drain")
        if tasks := self._tasks():
            ending_s = 2 * self._config.end_ms / 1000
            _, left = await asyncio.wait(tasks, timeout=ending_s + _CANCELLED_S)
            if left:
                logger.error(f"{len(left)} bots ignore that they were cancelled, and are left")

    def _tasks(self) -> set[asyncio.Task[None]]:
        return {call.task for call in self._running if call.task is not None}

    async def _run(self, call: Call, bot: Callable[[], Awaitable[None]]) -> None:
        current.set(call)
        call.meter()
        try:
            await bot()
        except ConfigError as error:
            call.why = "failed"
            logger.error(f"call {call.number}: {error}")
        except (Exception, SystemExit) as error:
            # Its text may hold what somebody said, or a key. An exit would end all other calls.
            call.why = "failed"
            logger.error(f"call {call.number}: the bot raised {type(error).__name__}")
        finally:
            self.release(call)
