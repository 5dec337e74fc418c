"""Who may talk to the server, and where it may listen."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from jev_turn.errors import ConfigError

TOKEN = "JEV_SERVER_TOKEN"
TOKEN_FILE = "JEV_SERVER_TOKEN_FILE"
ORIGINS = "JEV_SERVER_ORIGINS"
URL = "JEV_SERVER_URL"
_TOKEN_MIN = 16


def is_loopback(host: str) -> bool:
    """Tell whether ``host`` is this machine alone; a name other than localhost never is."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Access:
    """What a request must bring.

    Attributes:
        token: The bearer token of whoever may start calls; ``None`` on loopback alone.
        origins: Web pages of other hosts that may call, such as ``https://shop.example``.
        url: What callers reach the server by, when something stands in front of it.
    """

    token: str | None = field(default=None, repr=False)
    origins: tuple[str, ...] = ()
    url: str | None = None

    def allows(self, authorization: str | None) -> bool:
        """Tell whether an ``Authorization`` header holds the token; without a token, always."""
        if self.token is None:
            return True
        scheme, _, given = (authorization or "").partition(" ")
        same = hmac.compare_digest(given.strip().encode(), self.token.encode())
        return scheme.lower() == "bearer" and same

    def knows_host(self, host: str | None) -> bool:
        """Tell whether the ``Host`` header may be what it is.

        Without a token, a web page whose name was made to point at this machine would otherwise
        be let in by the visitor's own browser.
        """
        if self.token is not None:
            return True
        try:
            return is_loopback(urlsplit(f"//{host or ''}").hostname or "")
        except ValueError:
            return False

    def knows_origin(self, origin: str | None, host: str | None) -> bool:
        """Tell whether the page that a browser calls from is this server's own or a listed one."""
        if origin is None or origin in self.origins:
            return True
        try:
            return bool(host) and urlsplit(origin).netloc == host
        except ValueError:
            return False


def access_from_environment(env: Mapping[str, str], host: str) -> Access:
    """Read what requests must bring, and refuse to be public without a token.

    Args:
        env: The environment.
        host: Where the server is to listen.

    Returns:
        The access rules.

    Raises:
        ConfigError: ``host`` is not loopback and there is no token, the token is short, cannot be
            read or cannot be sent, or an origin or the URL has no scheme and host.
    """
    token = _token(env)
    if token is None and not is_loopback(host):
        raise ConfigError(
            f"--host {host}: other machines could start calls; set {TOKEN} (or {TOKEN_FILE}), "
            "or listen on 127.0.0.1"
        )
    origins = tuple(
        one.strip().rstrip("/") for one in env.get(ORIGINS, "").split(",") if one.strip()
    )
    url = env.get(URL, "").strip().rstrip("/") or None
    for name, value in [(ORIGINS, one) for one in origins] + ([(URL, url)] if url else []):
        if not _is_address(value):
            raise ConfigError(f"{name}: {value!r}: expected something like https://voice.example")
    return Access(token, origins, url)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _token(env: Mapping[str, str]) -> str | None:
    token, path = env.get(TOKEN, "").strip(), env.get(TOKEN_FILE, "").strip()
    if not token and path:
        try:
            token = Path(path).read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{TOKEN_FILE}: {path}: {type(error).__name__}") from None
        if not token:
            raise ConfigError(f"{TOKEN_FILE}: {path}: is empty")
    if token and len(token) < _TOKEN_MIN:
        raise ConfigError(f"{TOKEN}: {len(token)} characters: {_TOKEN_MIN} or more are needed")
    if not all(" " <= character <= "~" for character in token):
        raise ConfigError(f"{TOKEN}: a header can carry nothing but printable ASCII")
    return token or None
