"""A real browser without a window, whose microphone is a file: Chromium and its debugging socket."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome")
_STARTS_WITHIN_S = 30


def find() -> str | None:
    """Return the browser's program, or None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Tab:
    """One page, driven over its debugging socket.

    Args:
        socket: An open one.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = count(1)

    def do(self, method: str, **params: Any) -> dict[str, Any]:
        """Run a command and return its result.

        Raises:
            AssertionError: The browser refused it.
        """
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer: dict[str, Any] = json.loads(self._socket.recv(timeout=30))
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def value(self, expression: str) -> Any:
        """Return what an expression, or the promise that it gives, comes to.

        Raises:
            AssertionError: It threw.
        """
        answer = self.do(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, expression: str, within_s: float) -> Any:
        """Wait until an expression is true and return it.

        Raises:
            AssertionError: It was not, in time.
        """
        ends = time.monotonic() + within_s
        while time.monotonic() < ends:
            if found := self.value(expression):
                return found
            time.sleep(0.1)
        raise AssertionError(f"not in {within_s} s: {expression}")


@contextmanager
def browser(program: str, folder: Path, *flags: str) -> Iterator[Tab]:
    """Run a browser with one empty page.

    Args:
        program: See ``find``.
        folder: For its profile.
        *flags: More of them.
    """
    port_file = folder / "profile" / "DevToolsActivePort"
    command = [
        program,
        "--headless=new",
        "--no-sandbox",
        "--no-first-run",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--mute-audio",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder / 'profile'}",
        *flags,
        "about:blank",
    ]
    with (folder / "chromium.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        with connect(_tab_url(port_file), max_size=None) as socket:
            yield Tab(socket)
    finally:
        process.terminate()
        process.wait(timeout=20)


def _tab_url(port_file: Path) -> str:
    ends = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < ends:
        if port_file.exists() and (lines := port_file.read_text().split()):
            with urlopen(f"http://127.0.0.1:{lines[0]}/json/list", timeout=10) as answer:
                pages = [one for one in json.load(answer) if one["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
        time.sleep(0.1)
    raise AssertionError("the browser did not start")
