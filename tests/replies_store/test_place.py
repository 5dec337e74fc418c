"""Where the state is kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import URL, text

from jev_turn.errors import ReplyStoreError
from jev_turn.play.clock import run
from jev_turn.replies.store import Database, ReplyStore
from jev_turn.replies.store.place import FILE, Place, locate, named

SERVER = "postgresql://jev:hush@db.example:5432/calls?sslmode=require"


@pytest.mark.parametrize(
    ("place", "env", "folder"),
    [
        ("calls", {"DATABASE_URL": SERVER}, "calls"),
        (Path("/var/calls"), {}, "/var/calls"),
        (None, {"HOME": "/home/ann"}, "/home/ann/.local/state/jev-turn"),
        (None, {"HOME": "/home/ann", "XDG_STATE_HOME": "/state"}, "/state/jev-turn"),
        (
            None,
            {"HOME": "/home/ann", "DATABASE_URL": "mysql://x"},
            "/home/ann/.local/state/jev-turn",
        ),
    ],
)
def test_a_folder_is_used_unless_a_server_is_named(
    place: Place, env: dict[str, str], folder: str
) -> None:
    """What the author names wins; without it the environment's server, then the user's state."""
    assert locate(place, env) == Path(folder)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_the_usual_names_of_the_server_are_understood(scheme: str) -> None:
    """Hosts hand out ``postgres://`` and ``postgresql://`` with libpq's options."""
    url = locate(None, {"DATABASE_URL": SERVER.replace("postgresql", scheme)})
    assert isinstance(url, URL)
    assert (url.drivername, url.query["sslmode"]) == ("postgresql+psycopg", "require")


@pytest.mark.parametrize(
    "url", ["mysql://a:hush@b/c", "sqlite:///calls.db", "postgresql://b:hush:x"]
)
def test_another_database_is_refused_without_its_password(url: str) -> None:
    """The message says what was expected."""
    with pytest.raises(ReplyStoreError) as refused:
        locate(url)
    assert "hush" not in str(refused.value)


def test_a_servers_name_in_errors_has_no_password() -> None:
    """Errors go into logs."""
    assert named(locate(SERVER)) == "PostgreSQL database 'calls' at db.example"


async def test_a_server_that_cannot_be_reached_is_an_error_of_ours() -> None:
    """Whoever hosts the store catches one class; the password stays out."""
    with pytest.raises(ReplyStoreError, match="127.0.0.1") as refused:
        await ReplyStore.open("postgresql://jev:hush@127.0.0.1:1/calls")
    assert "hush" not in str(refused.value)


async def test_what_is_stored_has_reached_the_disk(tmp_path: Path) -> None:
    """A power cut after a step must not undo it, and what is deleted must be overwritten."""
    database = await Database.open(tmp_path)
    wanted = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1}
    for name, value in wanted.items():
        found = await database.run(
            lambda c, name=name: c.exec_driver_sql(f"PRAGMA {name}").scalar_one()  # type: ignore[misc]
        )
        assert (name, found) == (name, value)
    await database.close()


async def test_tables_of_a_newer_version_are_refused(place: str) -> None:
    """An older program must not write what it does not understand."""
    database = await Database.open(place)
    await database.run(lambda c: c.execute(text("UPDATE jev_schema SET version = 2")))
    await database.close()
    with pytest.raises(ReplyStoreError, match="has schema 2"):
        await Database.open(place)


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    """It may be anything."""
    (tmp_path / FILE).write_text("a diary " * 1000)
    with pytest.raises(ReplyStoreError, match=f"{FILE}.*not a database"):
        await ReplyStore.open(tmp_path)
    assert (tmp_path / FILE).read_text() == "a diary " * 1000


async def test_a_file_where_the_folder_should_be_is_an_error(tmp_path: Path) -> None:
    """The message names the path."""
    (tmp_path / "calls").touch()
    with pytest.raises(ReplyStoreError, match="calls"):
        await ReplyStore.open(tmp_path / "calls")


async def test_looking_after_calls_makes_no_database(tmp_path: Path) -> None:
    """A mistyped folder must not come into being."""
    with pytest.raises(ReplyStoreError, match="there is no such database"):
        await Database.open(tmp_path / "cals", must_exist=True)
    assert not (tmp_path / "cals").exists()


def test_no_virtual_time_passes_while_a_call_is_opened_and_closed(place: str) -> None:
    """A timer that overtakes a waiting database shows a call in a state that it never had."""

    async def main() -> float:
        async def tick() -> None:
            for _ in range(10):
                await asyncio.sleep(1)

        began, ticking = asyncio.get_running_loop().time(), asyncio.ensure_future(tick())
        await (await ReplyStore.open(place, "call")).close()
        ticking.cancel()
        return asyncio.get_running_loop().time() - began

    assert run(main()) < 1
