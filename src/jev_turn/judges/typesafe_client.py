"""The SDK's client, as turn-taking needs it: connections kept, no waiting, nothing in the log."""

from __future__ import annotations

import logging

import httpx2
from typesafe_sdk import AsyncTypeSafeClient, RetryPolicy, TypeSafeError
from typesafe_sdk.constants import API_KEY_ENV, BASE_URL_ENV

from jev_turn.errors import ConfigError

_OPERATION_S = 2.0
_POOL_S = 0.25
_CONNECTIONS = 8

# One quick second try for what another connection may cure. None for 429: by the time that the
# server asks for, the words have changed.
_RETRY = RetryPolicy(
    max_retries=1,
    backoff_initial=0.05,
    backoff_max=0.1,
    timeout=0.6,
    http_statuses={500, 502, 503, 504, 529},
    api_timeout_error=False,
)


def new_client(
    key: str,
    base_url: str,
    model: str,
    keepalive_s: float,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> AsyncTypeSafeClient:
    """Return a client that owns its connections; ``aclose`` closes them.

    Args:
        key: The API key.
        base_url: Root of the API.
        model: Named in every request.
        keepalive_s: How long an idle connection is kept, s.
        transport: In place of HTTP, for proxies and tests.

    Raises:
        ConfigError: If the key or the address cannot be used; neither is shown.
    """
    if not key.strip():
        raise ConfigError(f"{API_KEY_ENV} is not set, and no api_key was given")
    _check_url(base_url)
    http = _http(keepalive_s, transport)
    _hide_bodies()
    try:
        # Uncompressed, as not every compatible server reads zstd.
        return AsyncTypeSafeClient(
            api_key=key,
            base_url=base_url,
            model=model,
            http_client=http,
            retry=_RETRY,
            compression=False,
        )
    except TypeSafeError:
        pass  # Raising here would show the key to whoever prints this frame's values.
    raise ConfigError(f"{API_KEY_ENV} holds no key: printable ASCII without spaces was expected")


def _http(keepalive_s: float, transport: httpx2.AsyncBaseTransport | None) -> httpx2.AsyncClient:
    # HTTP/1.1: a request given up costs one connection there, and never a sibling's answer.
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(_OPERATION_S, pool=_POOL_S),
        limits=httpx2.Limits(
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_CONNECTIONS,
            keepalive_expiry=keepalive_s,
        ),
        transport=transport,
    )


def _check_url(text: str) -> None:
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.userinfo:
        raise ConfigError(f"{BASE_URL_ENV}: an http(s) address without a login was expected")


class _NoBodies(logging.Filter):
    """Shows a body's length in its place; the SDK's own filter hides the key."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, dict) and "body" in record.args:
            body = record.args["body"]
            size = len(body) if isinstance(body, bytes | str) else 0
            record.args = {**record.args, "body": f"<{size} bytes>"}
        return True


_NO_BODIES = _NoBodies()


def _hide_bodies() -> None:
    """Take bodies, hence spoken words, out of the SDK's log for the whole process."""
    logging.getLogger("typesafe_sdk").addFilter(_NO_BODIES)
