"""Who may call, and where the server may listen."""

from __future__ import annotations

from pathlib import Path

import pytest

from jev_turn.errors import ConfigError
from jev_turn.server.access import Access, access_from_environment, is_loopback

TOKEN = "0123456789abcdef"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "::1", "[::1]"])
def test_loopback_is_this_machine_alone(host: str) -> None:
    """A server that listens there cannot be reached by other machines."""
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.5", "voice.example", "127.0.0.1.evil"]
)
def test_everything_else_is_public(host: str) -> None:
    """A name is public whatever it may resolve to, and no name is looked up."""
    assert not is_loopback(host)
    with pytest.raises(ConfigError, match="JEV_SERVER_TOKEN"):
        access_from_environment({}, host)


def test_with_a_token_the_server_may_be_public() -> None:
    """Whoever sets a token may listen anywhere; spaces around it are not part of it."""
    assert access_from_environment({"JEV_SERVER_TOKEN": f" {TOKEN}\n"}, "0.0.0.0").allows(
        f"Bearer {TOKEN}"
    )


def test_a_token_may_stand_in_a_file(tmp_path: Path) -> None:
    """Secrets that are mounted as files work too, and keep out of the environment."""
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    env = {"JEV_SERVER_TOKEN_FILE": str(tmp_path / "token")}
    assert access_from_environment(env, "0.0.0.0").token == TOKEN


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_token_file_without_a_token_stops_the_start(tmp_path: Path, content: str | None) -> None:
    """A secret that was not mounted must not open the server."""
    path = tmp_path / "token"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match="JEV_SERVER_TOKEN_FILE"):
        access_from_environment({"JEV_SERVER_TOKEN_FILE": str(path)}, "127.0.0.1")


def test_a_short_token_stops_the_start_and_is_not_shown() -> None:
    """Fifteen characters are too few, sixteen are enough; the message has the length alone."""
    with pytest.raises(ConfigError, match="15 characters") as caught:
        access_from_environment({"JEV_SERVER_TOKEN": TOKEN[:15]}, "127.0.0.1")
    assert TOKEN[:15] not in str(caught.value)
    assert access_from_environment({"JEV_SERVER_TOKEN": TOKEN}, "127.0.0.1").token == TOKEN


@pytest.mark.parametrize(
    ("header", "allowed"),
    [
        (f"Bearer {TOKEN}", True),
        (f"bearer {TOKEN}", True),
        (None, False),
        ("", False),
        (TOKEN, False),
        (f"Basic {TOKEN}", False),
        (f"Bearer {TOKEN}x", False),
        (f"Bearer {TOKEN[:-1]}", False),
        ("Bearer é", False),
    ],
)
def test_only_the_whole_token_opens(header: str | None, allowed: bool) -> None:
    """The header is the scheme and exactly the token."""
    assert Access(TOKEN).allows(header) is allowed


@pytest.mark.parametrize("inside", ["\n", "\u00e9", "\x00"])
def test_a_token_that_no_header_can_carry_stops_the_start(inside: str) -> None:
    """The server would begin and let nobody in; what it is is not shown."""
    with pytest.raises(ConfigError, match="^JEV_SERVER_TOKEN: ") as caught:
        access_from_environment({"JEV_SERVER_TOKEN": f"{TOKEN}{inside}{TOKEN}"}, "127.0.0.1")
    assert TOKEN not in str(caught.value)


def test_the_token_is_not_shown() -> None:
    """Printing the rules shows no secret."""
    assert TOKEN not in repr(Access(TOKEN))


@pytest.mark.parametrize(
    ("host", "known"),
    [("127.0.0.1:7860", True), ("localhost", True), ("[::1]:7860", True)]
    + [("evil.example:7860", False), ("", False), (None, False), ("[::1", False)],
)
def test_without_a_token_only_this_machines_names_are_known(host: str | None, known: bool) -> None:
    """A foreign name that was made to point at this machine is refused (DNS rebinding)."""
    assert Access().knows_host(host) is known


def test_with_a_token_every_name_is_known() -> None:
    """A proxy may pass on any name: the token is what counts."""
    assert Access(TOKEN).knows_host("voice.example")


@pytest.mark.parametrize(
    ("origin", "known"),
    [
        (None, True),
        ("http://127.0.0.1:7860", True),
        ("https://shop.example", True),
        ("http://127.0.0.1:3000", False),
        ("https://evil.example", False),
        ("null", False),
        ("http://[x", False),
    ],
)
def test_a_page_is_ours_or_listed(origin: str | None, known: bool) -> None:
    """Other pages in the visitor's browser can start nothing, by WebSocket neither."""
    access = Access(origins=("https://shop.example",))
    assert access.knows_origin(origin, "127.0.0.1:7860") is known


@pytest.mark.parametrize("name", ["JEV_SERVER_ORIGINS", "JEV_SERVER_URL"])
@pytest.mark.parametrize("value", ["voice.example", "https://[voice.example"])
def test_an_address_that_is_none_stops_the_start(name: str, value: str) -> None:
    """The name and the value are in the message."""
    with pytest.raises(ConfigError, match=f"{name}.*voice.example"):
        access_from_environment({name: value}, "127.0.0.1")
