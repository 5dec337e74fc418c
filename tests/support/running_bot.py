"""A bot of `bots/` as a person starts it: a process of its own that serves on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
KEYS = ("DEEPGRAM_API_KEY", "OPENAI_API_KEY", "CARTESIA_API_KEY", "TYPESAFE_API_KEY")
_STARTS_WITHIN_S = 60


@dataclass(frozen=True, slots=True)
class Running:
    """A bot's server.

    Attributes:
        url: Its address, with a slash at the end.
        log: What it has printed.
        process: The bot.
    """

    url: str
    log: Path
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """End the bot as Ctrl-C does, and wait for it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=30)


@contextmanager
def running_bot(
    script: Path, folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """Run a bot without keys until the caller is done with it.

    Args:
        script: The bot.
        folder: For its log and whatever it writes.
        env: More of the environment.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    mine = {name: value for name, value in os.environ.items() if name not in KEYS}
    mine |= {"XDG_STATE_HOME": str(folder / "state"), **(env or {})}
    command = [sys.executable, str(script), "--host", "127.0.0.1", "--port", str(port)]
    log_file = folder / "bot.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=mine)
    running = Running(f"http://127.0.0.1:{port}/", log_file, process)
    try:
        _wait(running)
        yield running
    finally:
        running.stop()


def _wait(running: Running) -> None:
    ends = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < ends and running.process.poll() is None:
        try:
            urlopen(running.url + "status", timeout=5).close()
            return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(f"the bot did not start:\n{running.log.read_text()}")
