"""The suite's own guard against the network."""

from __future__ import annotations

import asyncio
import socket

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
