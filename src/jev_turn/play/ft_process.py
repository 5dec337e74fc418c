"""Processes that several threads start and wait for, each its own."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

_ONE_READER = threading.Lock()
"""Starting a process reads the exit codes of all others too, and each can be read only once: of two
threads the second would find none and make one up."""


class Child:
    """A process that has imported everything already.

    Args:
        target: What it runs.
        given: Its argument.
    """

    def __init__(self, target: Callable[[Any], None], given: object) -> None:
        with _ONE_READER:
            self._process = _context().Process(target=target, args=(given,))
            self._process.start()

    @property
    def code(self) -> int | None:
        """Its exit code, less than 0 for a signal; ``None`` while it runs."""
        with _ONE_READER:
            return self._process.exitcode

    def wait(self, seconds: float | None = None) -> None:
        """Wait for its end, for so long at most."""
        wait([self._process.sentinel], seconds)

    def kill(self) -> None:
        """Kill it and wait for its end."""
        self._process.kill()
        self.wait()


def _context() -> multiprocessing.context.ForkServerContext:
    # Failures on purpose would fill the screen.
    os.environ.setdefault("LOGURU_AUTOINIT", "False")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["jev_turn.play.ft_life"])
    return context
