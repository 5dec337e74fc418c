"""Says on the terminal where a bot is, what it runs on and what to say to it."""

from __future__ import annotations

import asyncio
import os
import sys
import webbrowser
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from loguru import logger

from jev_turn.env_file import read_env_file
from jev_turn.errors import JevTurnError
from jev_turn.page.calls import end_calls_on_exit, follow_calls
from jev_turn.page.mount import lines
from jev_turn.policy import load_policy
from jev_turn.services import chosen

OPEN_ENV = "JEV_TURN_OPEN"
LOG_ENV = "LOGURU_LEVEL"
_OPENS_AFTER_S = 0.5


def announce(app: FastAPI, *, barge_in: bool = True) -> None:
    """Have the terminal told about a bot once its server starts, and its log kept short.

    Pipecat's runner logs at DEBUG, with what people say. From the start of the server on only
    warnings are shown, or what ``LOGURU_LEVEL`` names. With ``JEV_TURN_OPEN=1`` the page is opened
    where there is a browser to show it. Ctrl-C ends the calls too. Keys and settings may stand in a
    ``.env`` (``jev_turn.env_file``).

    Args:
        app: Pipecat's (``from pipecat.runner.run import app``).
        barge_in: The bot can be interrupted; the lines to say are such as show it.

    Raises:
        SystemExit: A setting or a key is wrong. The bot would otherwise learn of it from its first
            caller.
    """
    read_env_file()
    try:
        load_policy()
        chosen()
    except JevTurnError as error:
        raise SystemExit(f"jev-turn: {error}") from None
    before: Any = app.router.lifespan_context
    follow_calls()

    @asynccontextmanager
    async def told(app: FastAPI) -> AsyncIterator[Any]:
        async with before(app) as state:
            end_calls_on_exit()
            logger.remove()
            level = os.environ.get(LOG_ENV, "").strip().upper() or "WARNING"
            # Without the variables' values in tracebacks, which may be words or keys.
            logger.add(sys.stderr, level=level, diagnose=False)
            url = _url()
            print(welcome(url, barge_in=barge_in), flush=True)
            opening = asyncio.create_task(_open(url)) if wants_browser(os.environ) else None
            yield state
            if opening is not None:
                opening.cancel()

    app.router.lifespan_context = told


def welcome(url: str, env: Mapping[str, str] | None = None, *, barge_in: bool = True) -> str:
    """Return what the terminal is told.

    Args:
        url: Where the page is.
        env: In place of the process environment.
        barge_in: See ``announce``.
    """
    told = enumerate(lines(barge_in=barge_in), 1)
    said = "\n".join(f"  {number}. {line}" for number, line in told)
    return f"\n{chosen(env)}\n\nOpen {url} and say:\n{said}\n\nCtrl-C ends the bot.\n"


def wants_browser(env: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Tell whether to open a browser: when asked to, and where there is a screen for one."""
    has_screen = platform in ("darwin", "win32") or bool(
        env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")
    )
    return env.get(OPEN_ENV, "").strip() == "1" and has_screen


async def _open(url: str) -> None:
    # The server listens only after its start is over.
    await asyncio.sleep(_OPENS_AFTER_S)
    await asyncio.to_thread(webbrowser.open, url)


def _url() -> str:
    from pipecat.runner.run import runner_host, runner_port

    return f"http://{runner_host()}:{runner_port()}/"
