"""The suite's own guard against the network."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
def test_no_connection_leaves_this_host(host: str) -> None:
    """A connection to another host fails before a packet is sent."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as sock, pytest.raises(AssertionError, match=host):
        sock.connect((host, 443))


def test_no_datagram_leaves_this_host() -> None:
    """A datagram to another host is refused like a connection."""
    with (
        socket.socket(type=socket.SOCK_DGRAM) as sock,
        pytest.raises(AssertionError, match="192.0.2.1"),
    ):
        sock.sendto(b"x", ("192.0.2.1", 53))


async def test_no_name_is_looked_up() -> None:
    """A name other than localhost is not resolved, in the event loop either."""
    with pytest.raises(AssertionError, match="example.com"):
        await asyncio.get_running_loop().getaddrinfo("example.com", 443)


async def test_loopback_works() -> None:
    """A server of the test's own on loopback can be reached."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.read() == b""
        writer.close()


def test_onnxruntime_is_told_to_report_nothing(tmp_path: Path) -> None:
    """With this package imported first, it makes no identity for this machine to report with."""
    # It keeps quiet by itself where it finds itself in a CI.
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    code = "import jev_turn, onnxruntime"
    subprocess.run([sys.executable, "-c", code], check=True, env=env, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_onnxruntime_reports_when_somebody_wants_it(tmp_path: Path) -> None:
    """What the environment says already is left as it is."""
    env = {**os.environ, "ORT_DISABLE_TELEMETRY": "0"}
    code = "import jev_turn, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout.strip() == "0"
