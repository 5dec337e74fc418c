"""STUN and TURN servers, under the name that Pipecat's runner has for them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pipecat.transports.smallwebrtc.connection import IceServer

from jev_turn.errors import ConfigError

ICE_SERVERS = "PIPECAT_ICE_SERVERS"

IceServers = Sequence[IceServer]


def ice_servers_from_environment(env: Mapping[str, str]) -> list[IceServer]:
    """Read ``PIPECAT_ICE_SERVERS``: URLs with commas between them, or a JSON array.

    Args:
        env: The environment.

    Returns:
        The servers; none by default, so that no address is asked of anybody.

    Raises:
        ConfigError: The value is neither; it is not shown, since it may hold a password.
    """
    text = env.get(ICE_SERVERS, "").strip()
    try:
        if text.startswith("["):
            items = [{"urls": one} if isinstance(one, str) else one for one in json.loads(text)]
        else:
            items = [{"urls": one.strip()} for one in text.split(",") if one.strip()]
        return [IceServer(**item) for item in items]
    except (ValueError, TypeError):
        raise ConfigError(f"{ICE_SERVERS}: expected URLs or a JSON array of servers") from None


def as_json(servers: IceServers) -> list[dict[str, Any]]:
    """Return the servers as a browser's ``RTCPeerConnection`` takes them."""
    return [{k: v for k, v in asdict(server).items() if v is not None} for server in servers]
