"""Rules for the whole suite: no host but this one, and the same examples in every CI run."""

from __future__ import annotations

import gc
import ipaddress
import os
import socket
import ssl
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from loguru import logger

import jev_turn  # noqa: F401  (before onnxruntime, which it tells to report nothing)
from jev_turn.processors._pipecat import IS_1_12

pytest_plugins = ["support.gate"]

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


# Pipecat's default sink formats every line of every pipeline; tests that read logs add their own.
logger.remove()


def pytest_collection_finish() -> None:
    """Keep the collector off what is loaded by now: looking it through is a sixth of test time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip on Pipecat 1.12 what that version cannot do; README says what it is."""
    for item in items if IS_1_12 else ():
        if item.get_closest_marker("pipecat_1_13"):
            item.add_marker(pytest.mark.skip(reason="needs Pipecat 1.13"))


class NetworkBlocked(AssertionError):
    """A test wanted to talk to another host."""


def is_local(host: object) -> bool:
    """True for this host's loopback, whether by name or by address."""
    if host is None:
        return True
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name.split("%")[0]).is_loopback
    except ValueError:
        return False


def _guard(call: Callable[..., Any], address_at: int) -> Callable[..., Any]:
    def guarded(sock: socket.socket, *args: Any, **kwargs: Any) -> Any:
        address = args[address_at] if sock.family != getattr(socket, "AF_UNIX", None) else None
        if isinstance(address, tuple) and not is_local(address[0]):
            raise NetworkBlocked(f"a test wanted to reach {address[0]}")
        return call(sock, *args, **kwargs)

    return guarded


@pytest.fixture(autouse=True, scope="session")
def _only_loopback() -> Any:
    """Refuses every connection, datagram and name look-up that would leave this host."""
    lookup = socket.getaddrinfo

    def local_lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_local(host):
            raise NetworkBlocked(f"a test wanted to look up {host}")
        return lookup(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", local_lookup)
        patch.setattr(socket.socket, "connect", _guard(socket.socket.connect, 0))
        patch.setattr(socket.socket, "connect_ex", _guard(socket.socket.connect_ex, 0))
        patch.setattr(socket.socket, "sendto", _guard(socket.socket.sendto, -1))
        yield


@pytest.fixture(autouse=True, scope="session")
def _models_and_certificates_once() -> Any:
    """Loads each model file once, and the certificates that nothing on this host needs."""
    import onnxruntime

    real = onnxruntime.InferenceSession, ssl.create_default_context
    sessions: dict[str, Any] = {}
    contexts: dict[str, ssl.SSLContext] = {}

    def session(model: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(model, str):
            return real[0](model, *args, **kwargs)
        if model not in sessions:
            sessions[model] = real[0](model, *args, **kwargs)
        return sessions[model]

    def context(*args: Any, **kwargs: Any) -> ssl.SSLContext:
        wanted = repr((args, kwargs))
        if wanted not in contexts:
            contexts[wanted] = real[1](*args, **kwargs)
        return contexts[wanted]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnxruntime, "InferenceSession", session)
        patch.setattr(ssl, "create_default_context", context)
        yield
