"""Holds one keyless call in a built image and lets it drain. See ``run.sh``.

Usage: check.py BUILDER... -- CONTAINER
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from pipecat.frames.frames import AudioRawFrame
from pipecat.serializers.protobuf import ProtobufFrameSerializer
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

USER = 10001
START_S = 90
LEAVE_S = 10.0
GREETING_S = 2.0
TOOLS = ("gcc", "cc", "make", "pip", "pip3", "uv", "git", "curl")


class Image:
    """A container made from the image.

    Args:
        builder: The builder's command.
        name: The container.
    """

    def __init__(self, builder: list[str], name: str) -> None:
        self._builder = builder
        self._name = name
        said = subprocess.run(
            [*builder, "inspect", "--type", "container", name],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        self.config: dict[str, Any] = json.loads(said)["Docker"]["config"]

    def command(self, *arguments: str, env: dict[str, str] | None = None) -> list[str]:
        """Return what runs ``arguments`` inside, as the image's own user."""
        given = [f"--env={key}={value}" for key, value in (env or {}).items()]
        return [*self._builder, "run", *given, self._name, "--", *arguments]

    def run(self, *arguments: str) -> str:
        """Run to the end and return what was said."""
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True)
        return done.stdout + done.stderr


class Server:
    """The image's own entry point, on loopback.

    Chroot isolation shares this machine's network, hence the one option more.
    """

    def __init__(self, image: Image, token: str) -> None:
        self.token = token
        entry = [*image.config["Entrypoint"], *image.config["Cmd"]]
        command = image.command(
            *entry, "--host", "127.0.0.1", "--port", "0", env={"JEV_SERVER_TOKEN": token}
        )
        self.log = Path(tempfile.mkstemp(prefix="jev-container-")[1])
        with self.log.open("w") as log:
            self.builder = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        self.host = self.wait_for(r"listening on http://(127\.0\.0\.1:\d+)", START_S)[1]
        self.pid = next(pid for pid in descendants(self.builder.pid) if is_server(pid))

    def wait_for(self, pattern: str, within_s: float) -> re.Match[str]:
        """Return what ``pattern`` finds in the log once it is there."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            if found := re.search(pattern, self.log.read_text()):
                return found
            time.sleep(0.05)
        raise SystemExit(f"the log has no {pattern!r}:\n{self.log.read_text()}")

    def status(self, path: str, data: bytes | None = None) -> int:
        """Return the status of a request without the token."""
        try:
            with urllib.request.urlopen(f"http://{self.host}{path}", data) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def call(self) -> ClientConnection:
        """Connect as one of Pipecat's WebSocket clients."""
        bearer = {"Authorization": f"Bearer {self.token}"}
        return connect(f"ws://{self.host}/ws-client", additional_headers=bearer, proxy=None)


def descendants(pid: int) -> list[int]:
    """Return the processes under ``pid``."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *descendants(child)]
    return found


def is_server(pid: int) -> bool:
    """Tell the server from the builder's processes around it."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return b"python" in words[0] and any(word.endswith(b"jev-turn") for word in words)


def sound_s(message: bytes) -> float:
    """Return the length of the sound in a message, seconds."""
    frame: object = asyncio.run(ProtobufFrameSerializer().deserialize(message))
    if not isinstance(frame, AudioRawFrame):
        return 0.0
    return len(frame.audio) / (2 * frame.num_channels * frame.sample_rate)


def check(what: str, holds: bool, seen: object) -> None:
    """Print a promise, and stop at the first broken one."""
    print(f"  {'ok' if holds else 'BROKEN'}: {what} ({seen})", flush=True)
    if not holds:
        raise SystemExit(1)


def check_contents(image: Image) -> None:
    """What is in the image and what is not."""
    user = image.config.get("User", "")
    check("the image's user is not root", user == f"{USER}:{USER}", user)
    health = image.config.get("Healthcheck", {}).get("Test", [])
    check("the image has a health check", health[:1] == ["CMD"], health[:2])
    said = image.run("sh", "-c", f"command -v {' '.join(TOOLS)}; id -u")
    check("no build tools", said.split() == [str(USER)], said.split())
    said = image.run("python3", "-c", "import pip")
    check("no pip to import", "ModuleNotFoundError" in said, said.splitlines()[-1:])
    said = image.run("sh", "-c", "touch /opt/jev/x /app/x")
    check("the user cannot change the program", said.count("denied") == 2, said.splitlines())


def check_health(server: Server, image: Image) -> None:
    """The process is healthy, not root, and closed to others."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    uids = set(re.findall(r"^Uid:\s+(.*)$", status, re.MULTILINE)[0].split())
    check("the server does not run as root", uids == {str(USER)}, uids)
    seen = [server.status(path) for path in ("/healthz", "/readyz", "/")]
    check("health and page answer without the token", seen == [200, 200, 200], seen)
    command = [word.replace("127.0.0.1:7860", server.host) for word in health_command(image)]
    done = subprocess.run(image.command(*command), capture_output=True, text=True)
    check("the image's health check passes", done.returncode == 0, done.stderr[-200:] or "exit 0")
    seen = [server.status("/start", b"{}")]
    check("a call without the token is refused", seen == [401], seen)


def health_command(image: Image) -> list[str]:
    """Return the health check's words."""
    words: list[str] = image.config["Healthcheck"]["Test"][1:]
    return words


def check_call(server: Server) -> None:
    """A caller is greeted by the embedded voice, and the process drains while it listens."""
    began, heard = time.monotonic(), 0.0
    with server.call() as caller:
        while heard < GREETING_S and time.monotonic() - began < START_S:
            message = caller.recv(timeout=START_S)
            heard += sound_s(message if isinstance(message, bytes) else message.encode())
        took = time.monotonic() - began
        check("without keys the bot speaks", heard >= GREETING_S, f"{heard:.1f} s in {took:.1f} s")
        os.kill(server.pid, signal.SIGTERM)
        began = time.monotonic()
        server.wait_for("draining: 1 calls", LEAVE_S)
        check("while it drains it is not ready", server.status("/readyz") == 503, 503)
        try:
            while True:
                caller.recv(timeout=LEAVE_S)
        except ConnectionClosed:
            pass
    code = server.builder.wait(timeout=LEAVE_S)
    took = time.monotonic() - began
    check("the process leaves cleanly and in time", code == 0 and took < LEAVE_S, f"{took:.1f} s")


def main(arguments: list[str]) -> None:
    """Run all checks."""
    cut = arguments.index("--")
    image = Image(arguments[:cut], arguments[cut + 1])
    check_contents(image)
    server = Server(image, secrets.token_hex(16))
    try:
        check_health(server, image)
        check_call(server)
        check("the log has no token", server.token not in server.log.read_text(), "searched")
    finally:
        if server.builder.poll() is None:
            print(server.log.read_text())
            os.kill(server.pid, signal.SIGKILL)
            server.builder.wait()
        server.log.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
