"""The server in a process of its own, on real sockets of this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pipecat.frames.frames import TranscriptionFrame
from pipecat.serializers.protobuf import ProtobufFrameSerializer
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from jev_turn.play.clock import run

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORDS = "what is an oxymoron"
FEW = {"JEV_TURN_SERVER_DRAIN_MS": "1000", "JEV_TURN_SERVER_END_MS": "500"}


class Server:
    """``jev-turn serve`` with the talker, on a free port."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.records = folder
        self.log = folder / "log"
        path = os.pathsep.join(str(ROOT / one) for one in ("src", "tests"))
        given = {**os.environ, **env, "TALKER_RECORDS": str(folder), "PYTHONPATH": path}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jev_turn.cli", "serve", HERE / "talker.py", "--port", "0"],
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

    def call(self) -> ClientConnection:
        """Connect as one of Pipecat's WebSocket clients."""
        return connect(f"ws://{self.host}/ws-client", proxy=None)

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


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that is stopped by its own process id whatever happens."""
    server = Server(tmp_path, **FEW)
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.wait()


def heard(text: str) -> bytes:
    """Return the message of a recogniser that has heard ``text``."""
    made = run(ProtobufFrameSerializer().serialize(TranscriptionFrame(text, "user", "now")))
    assert isinstance(made, bytes)
    return made


def of_length(length: int) -> bytes:
    """Return such a message of exactly ``length`` bytes."""
    text = WORDS.ljust(60_000, "!")
    return heard(text.ljust(60_000 + length - len(heard(text)), "!"))


@pytest.mark.bots
def test_a_running_call_is_ended_and_the_process_leaves_in_time(server: Server) -> None:
    """After SIGTERM nobody gets in, the call ends with its record, the exit status is 0."""
    with server.call() as caller:
        caller.send(heard(WORDS))
        assert WORDS.encode() in caller.recv(timeout=20)
        os.kill(server.process.pid, signal.SIGTERM)
        server.wait_for("draining: 1 calls")
        assert server.ready() == 503
        with pytest.raises(InvalidStatus) as caught:
            server.call()
        assert caught.value.response.headers["retry-after"] == "5"
        with suppress(ConnectionClosed):
            while True:
                caller.recv(timeout=20)
    assert server.process.wait(timeout=20) == 0
    assert server.ends() == ["drain"]


@pytest.mark.bots
def test_no_word_is_logged(server: Server) -> None:
    """The words of a call, which an error of the bot repeats too, are nowhere in the log."""
    with server.call() as caller:
        caller.send(heard(WORDS))
        assert WORDS.encode() in caller.recv(timeout=20)
        server.wait_for(r"ERROR pipecat\S*:push_error")
    server.wait_for("call 1 is over")
    log = server.log.read_text()
    assert "oxymoron" not in log
    assert "the bot has closed its record" in log


@pytest.mark.bots
@pytest.mark.parametrize(("length", "code"), [(65_536, None), (65_537, 1009)])
def test_a_message_of_64_kib_is_the_longest(server: Server, length: int, code: int | None) -> None:
    """A longer one closes the connection (1009, too big), which ends that call alone."""
    with server.call() as caller:
        message = of_length(length)
        assert len(message) == length
        caller.send(message)
        if code is None:
            assert WORDS.encode() in caller.recv(timeout=20)
        else:
            with pytest.raises(ConnectionClosed) as caught:
                caller.recv(timeout=20)
            assert caught.value.rcvd is not None and caught.value.rcvd.code == code
    server.wait_for("call 1 is over")
    assert server.ready() == 200


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["talker.py", "--host", "0.0.0.0"], "set JEV_SERVER_TOKEN"),
        (["no_bot.py"], "no_bot.py: no such file"),
        (["test_app.py"], "has no `async def bot"),
    ],
)
def test_a_wrong_start_is_one_line(arguments: list[str], said: str) -> None:
    """No server begins; the line names what is wrong, and the status is 2."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / one) for one in ("src", "tests"))}
    env.pop("JEV_SERVER_TOKEN", None)
    command = [sys.executable, "-m", "jev_turn.cli", "serve", *arguments]
    done = subprocess.run(command, cwd=HERE, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr and done.stderr.count("\n") == 1
