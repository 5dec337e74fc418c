"""``jev-turn serve`` in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from support.running_bot import KEYS, ROOT


class Served:
    """``jev-turn serve`` with a bot, on a free port of loopback.

    Args:
        folder: For its log, and for records as ``TALKER_RECORDS``.
        bot: The bot's file.
        *arguments: More of the command line.
        **env: More of the environment.
    """

    def __init__(self, folder: Path, bot: Path, *arguments: str, **env: str) -> None:
        self.records = folder
        self.log = folder / "log"
        path = os.pathsep.join(str(ROOT / one) for one in ("src", "tests"))
        keyless = {name: value for name, value in os.environ.items() if name not in KEYS}
        given = {**keyless, **env, "TALKER_RECORDS": str(folder), "PYTHONPATH": path}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jev_turn.cli", "serve", bot, "--port", "0", *arguments],
                cwd=folder,
                env=given,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        found = self.wait_for(r"listening on http://127\.0\.0\.1:(\d+)")
        self.host = f"127.0.0.1:{found[1]}"

    def wait_for(self, pattern: str, within_s: float = 30.0) -> re.Match[str]:
        """Return what ``pattern`` finds in the log once it is there."""
        until = time.monotonic() + within_s
        while time.monotonic() < until and self.process.poll() is None:
            if found := re.search(pattern, self.log.read_text()):
                return found
            time.sleep(0.02)
        found = re.search(pattern, self.log.read_text())
        assert found, self.log.read_text()
        return found

    def call(self, path: str = "/ws-client", **more: Any) -> ClientConnection:
        """Connect as one of Pipecat's WebSocket clients."""
        connection: ClientConnection = connect(f"ws://{self.host}{path}", proxy=None, **more)
        return connection

    def ready(self) -> int:
        """Return the status of ``/readyz``."""
        try:
            with urllib.request.urlopen(f"http://{self.host}/readyz") as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def ends(self) -> list[Any]:
        """Return the reasons in the calls' records."""
        lines = [line for one in self.records.glob("*.jsonl") for line in one.open()]
        return [record["why"] for record in map(json.loads, lines) if record["kind"] == "end"]

    def stop(self) -> None:
        """Kill it if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
