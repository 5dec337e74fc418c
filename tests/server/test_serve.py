"""The server in a process of its own, on real sockets of this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pipecat.frames.frames import TranscriptionFrame
from pipecat.serializers.protobuf import ProtobufFrameSerializer
from support.running_bot import ROOT
from support.served import Served
from websockets.exceptions import ConnectionClosed, InvalidStatus

from jev_turn.play.clock import run

HERE = Path(__file__).parent
WORDS = "what is an oxymoron"
ONE = {"JEV_TURN_SERVER_CALLS_MAX": "1"}
FEW = {"JEV_TURN_SERVER_DRAIN_MS": "1000", "JEV_TURN_SERVER_END_MS": "500"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """The talker's server, stopped by its own process id whatever happens."""
    server = Served(tmp_path, HERE / "talker.py", **FEW)
    yield server
    server.stop()


def heard(text: str) -> bytes:
    """Return the message of a recogniser that has heard ``text``."""
    frame = TranscriptionFrame(text, "user", "now")
    # Pipecat counts them, and the message's length would depend on how many came before.
    frame.id, frame.name = 1, "heard"
    made = run(ProtobufFrameSerializer().serialize(frame))
    assert isinstance(made, bytes)
    return made


def of_length(length: int) -> bytes:
    """Return such a message of exactly ``length`` bytes."""
    text = WORDS.ljust(60_000, "!")
    return heard(text.ljust(60_000 + length - len(heard(text)), "!"))


@pytest.mark.bots
def test_a_draining_server_takes_nobody_and_leaves_with_its_last_caller(tmp_path: Path) -> None:
    """After SIGTERM the next caller is told to come back; nothing waits once the last has hung up."""
    long = {"JEV_TURN_SERVER_DRAIN_MS": "120000"}
    server = Served(tmp_path, HERE / "talker.py", **long)
    try:
        with server.call():
            os.kill(server.process.pid, signal.SIGTERM)
            server.wait_for("draining: 1 calls")
            assert server.ready() == 503
            with pytest.raises(InvalidStatus) as caught:
                server.call()
            assert caught.value.response.headers["retry-after"] == "5"
        assert server.process.wait(timeout=30) == 0
    finally:
        server.stop()
    server.wait_for("call 1 is over after .*: hung_up")


@pytest.mark.bots
def test_a_running_call_is_ended_and_the_process_leaves_in_time(server: Served) -> None:
    """A call that goes on is ended with its record after the drain, and the exit status is 0."""
    with server.call() as caller:
        caller.send(heard(WORDS))
        assert WORDS.encode() in caller.recv(timeout=20)
        os.kill(server.process.pid, signal.SIGTERM)
        with suppress(ConnectionClosed):
            while True:
                caller.recv(timeout=20)
    assert server.process.wait(timeout=20) == 0
    assert server.ends() == ["drain"]


@pytest.mark.bots
def test_no_word_is_logged(server: Served) -> None:
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
@pytest.mark.parametrize("arguments", [(), ("--verbose",)])
def test_who_is_refused_and_who_leaves_fill_no_log(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    """Anybody can knock, as often as they like; a caller who hangs up is no error either."""
    token = "0123456789abcdef"
    server = Served(tmp_path, HERE / "talker.py", *arguments, JEV_SERVER_TOKEN=token, **ONE)
    bearer = {"Authorization": f"Bearer {token}"}
    try:
        for _ in range(2):
            for path in ("/ws-client", "/ws/ticket-nobody-got"):
                assert status(server, path) == 401
            assert status(server, "/ws-client", origin="http://evil.example") == 403
        with server.call(additional_headers=bearer):
            assert status(server, "/ws-client", additional_headers=bearer) == 503
        server.wait_for("call 1 is over")
        os.kill(server.process.pid, signal.SIGTERM)
        assert server.process.wait(timeout=20) == 0
    finally:
        server.stop()
    log = server.log.read_text()
    assert "ERROR" not in log and "ASGI" not in log
    assert token not in log and "ticket-nobody-got" not in log


def status(server: Served, path: str, **more: Any) -> int:
    """Return how a WebSocket is refused."""
    with pytest.raises(InvalidStatus) as caught:
        server.call(path, **more)
    return caught.value.response.status_code


@pytest.mark.bots
@pytest.mark.parametrize(("length", "code"), [(65_536, None), (65_537, 1009)])
def test_a_message_of_64_kib_is_the_longest(server: Served, length: int, code: int | None) -> None:
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


@pytest.mark.bots
def test_a_server_says_what_its_bot_runs_on(tmp_path: Path) -> None:
    """At the start, and not only once somebody calls; keys may stand in a `.env`."""
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-mine\n")
    server = Served(tmp_path, ROOT / "bots" / "duplex.py")
    try:
        told = server.log.read_text()
    finally:
        server.stop()
    assert "recogniser: embedded (DEEPGRAM_API_KEY is not set), model: OpenAI" in told
    assert "sk-mine" not in told


@pytest.fixture
def flooded(tmp_path: Path) -> Iterator[Served]:
    """A server for one caller, whose bot sends more than anybody takes, and who may stall for 1 s."""
    stall = {"JEV_TURN_SERVER_STALL_MS": "1000"}
    server = Served(tmp_path, HERE / "flooder.py", **ONE, **FEW, **stall)
    yield server
    server.stop()


@pytest.mark.bots
def test_a_caller_who_takes_nothing_is_cut(flooded: Served) -> None:
    """The place is free again, and the process can leave although somebody takes nothing."""
    with flooded.call(max_queue=1, close_timeout=0.1):
        flooded.wait_for("call 1 is over")
    with flooded.call(max_queue=1, close_timeout=0.1):
        flooded.wait_for("call 2 begins")
        os.kill(flooded.process.pid, signal.SIGTERM)
        assert flooded.process.wait(timeout=20) == 0


@pytest.mark.bots
def test_a_caller_who_takes_a_little_stays(flooded: Served) -> None:
    """Half a megabyte a second is little of what this bot sends, and more than any voice."""
    with flooded.call(max_queue=1, close_timeout=0.1) as slow:
        for _ in range(35):
            slow.recv(timeout=10)
            time.sleep(0.1)
        assert "call 1 is over" not in flooded.log.read_text()


def started_wrong(bot: str, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a server that does not begin, beside the tests and without a token."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / one) for one in ("src", "tests"))}
    env.pop("JEV_SERVER_TOKEN", None)
    env |= more
    command = [sys.executable, "-m", "jev_turn.cli", "serve", str(HERE / bot), *options]
    # Away from the checkout, whose `.env` may have a token.
    return subprocess.run(command, cwd=os.sep, env=env, capture_output=True, text=True, timeout=60)


def test_a_port_that_is_taken_is_named() -> None:
    """The log says which address it is and why the server cannot listen there."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = started_wrong("talker.py", "--port", str(port))
    assert done.returncode != 0
    assert f"('127.0.0.1', {port})" in done.stderr and "address already in use" in done.stderr


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
    done = started_wrong(*arguments)
    assert done.returncode == 2
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_a_broken_key_stops_the_start() -> None:
    """One line with the variable's name; its value would be quoted by the first caller's client."""
    done = started_wrong(str(ROOT / "bots/duplex.py"), OPENAI_API_KEY="sk-never\nseen")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("jev-turn: OPENAI_API_KEY is no key: ")
    assert "never" not in done.stderr and "seen" not in done.stderr
