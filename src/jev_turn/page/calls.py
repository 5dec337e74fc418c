"""The calls of a bot that runs on this terminal, which end when it is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import WeakSet

from pipecat.pipeline.worker import PipelineWorker

running: WeakSet[PipelineWorker] = WeakSet()
"""The pipelines of this process."""

_SETUP_FILES = "PIPECAT_SETUP_FILES"


def follow_calls() -> None:
    """Have Pipecat tell of every pipeline from now on, by a setup file."""
    add_setup_file(str(Path(__file__).with_name("setup_calls.py")))


def add_setup_file(file: str) -> None:
    """Have Pipecat run a setup file for every pipeline of this process, behind those named already."""
    others = os.environ.get(_SETUP_FILES, "")
    os.environ[_SETUP_FILES] = os.pathsep.join(filter(None, (others, file)))


def end_calls_on_exit() -> None:
    """End the calls on SIGINT and SIGTERM, then do what was to be done.

    Pipecat's runner waits for its calls before it stops and ends none of them, so that Ctrl-C would
    hang for as long as somebody has the page open. Call it from the event loop, once the server has
    set its own handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        _chain(loop, number, signal.getsignal(number))


def _chain(loop: asyncio.AbstractEventLoop, number: signal.Signals, before: Any) -> None:
    def leave(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(_end)
        if callable(before):
            before(number, frame)

    signal.signal(number, leave)


def _end() -> None:
    for worker in list(running):
        _ending.add(task := asyncio.ensure_future(worker.cancel(reason="the bot was stopped")))
        task.add_done_callback(_ending.discard)


_ending: set[asyncio.Future[None]] = set()
