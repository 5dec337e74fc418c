"""Where the state is kept: a folder of this machine, or a PostgreSQL server."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import URL, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool, StaticPool

from jev_turn.errors import ReplyStoreError

Place = str | os.PathLike[str] | None
"""A folder, a ``postgresql://`` URL, or ``None`` for what the environment says."""

FILE = "replies.sqlite3"
"""The database's name in its folder."""

_QUIET = "jev_turn"
_BUSY_MS = 5_000
_PRAGMAS = (
    f"busy_timeout = {_BUSY_MS}",
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",
    "temp_store = MEMORY",
)
STATEMENT_TIMEOUT = "SET statement_timeout = 10000"
# A lost host must not keep its lock for the two hours that TCP waits by itself.
_LIBPQ = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
# Each call's lock holds a connection, and one works.
_SERVER_POOL: dict[str, Any] = {"pool_size": 2, "max_overflow": -1}
_SESSION = (
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
    STATEMENT_TIMEOUT,
)


def locate(place: Place, env: Mapping[str, str] = os.environ) -> URL | Path:
    """Return the server or the folder that ``place`` means.

    ``None`` means ``DATABASE_URL`` where it names a PostgreSQL server, and otherwise the folder
    ``jev-turn`` among the user's state (``$XDG_STATE_HOME``, ``~/.local/state``).

    Raises:
        ReplyStoreError: The URL cannot be read or names another kind of database.
    """
    if place is None:
        place = env.get("DATABASE_URL", "")
        if not place.startswith("postgres"):
            home = env.get("XDG_STATE_HOME") or Path(env.get("HOME", "~"), ".local", "state")
            return Path(home, "jev-turn").expanduser()
    if "://" not in (name := os.fspath(place)):
        return Path(name)
    kind, rest = name.split("://", 1)
    kind = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}.get(kind, kind)
    if not kind.startswith("postgresql+"):
        raise ReplyStoreError(f"{kind}://...: a folder or a postgresql:// URL was expected")
    try:
        return make_url(f"{kind}://{rest}")
    except (ArgumentError, ValueError):
        raise ReplyStoreError(f"{kind}://...: the URL cannot be read") from None


def named(place: URL | Path | None) -> str:
    """Return what errors call the place; a URL's secrets stay out."""
    if isinstance(place, URL):
        return f"PostgreSQL database {place.database!r} at {place.host or 'a local socket'}"
    return "memory" if place is None else str(place / FILE)


def make_engine(place: URL | Path | None) -> AsyncEngine:
    """Return an engine for ``place``; ``None`` keeps everything in memory.

    Raises:
        ReplyStoreError: The folder or its file cannot be made, or the driver is not installed.
    """
    _silence()
    # Errors and logs may name statements, but never the words in them.
    quiet: dict[str, Any] = {"hide_parameters": True, "logging_name": _QUIET}
    if isinstance(place, URL):
        return _postgresql(place, quiet)
    path = ":memory:" if place is None else str(private_file(place / FILE))
    pool = (
        {"poolclass": StaticPool}
        if place is None
        else {"poolclass": AsyncAdaptedQueuePool, "pool_size": 1, "max_overflow": 0}
    )
    url = URL.create("sqlite+aiosqlite", database=path)
    engine = create_async_engine(url, **pool, **quiet)
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def private_file(path: Path) -> Path:
    """Make ``path`` with mode 0600, in a folder made with mode 0700, unless it exists.

    SQLite gives its other files the mode of this one.

    Raises:
        ReplyStoreError: It cannot be made, or a link or something that is no file is in the way.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            # Never opened when it exists: closing it would drop the locks of this process.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            if path.is_symlink() or not path.is_file():
                raise ReplyStoreError(f"{path}: a file was expected") from None
            path.chmod(0o600)
    except OSError as error:
        raise ReplyStoreError(f"{path}: {error.strerror}") from None
    return path


def _postgresql(url: URL, quiet: dict[str, Any]) -> AsyncEngine:
    options: dict[str, Any] = {}
    if url.drivername == "postgresql+psycopg":
        given = {key: value for key, value in _LIBPQ.items() if key not in url.query}
        # Poolers between us and the server do not keep prepared statements.
        options = {**given, "prepare_threshold": None}
    try:
        engine = create_async_engine(
            url, connect_args=options, pool_pre_ping=True, **_SERVER_POOL, **quiet
        )
    except ImportError:
        raise ReplyStoreError(
            f"{url.drivername}: its driver is missing: pip install 'pipecat-jev-turn[postgres]'"
        ) from None
    event.listen(engine.sync_engine, "connect", _prepare_postgresql)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver would begin a transaction at the first write only; _begin_sqlite does it instead.
    connection.isolation_level = None
    script = "".join(f"PRAGMA {pragma};" for pragma in _PRAGMAS)
    connection.run_async(lambda raw: raw.executescript(script))


def _begin_sqlite(connection: Any) -> None:
    # A transaction that reads first and writes then could otherwise fail in between.
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    _run(connection, _SESSION)
    connection.commit()


def _run(connection: Any, statements: Any) -> None:
    cursor = connection.cursor()
    for statement in statements:
        cursor.execute(statement)
    cursor.close()


def _silence() -> None:
    """Keep words out of the drivers' logs, which show parameters and rows at DEBUG."""
    for name in ("aiosqlite", f"sqlalchemy.engine.Engine.{_QUIET}"):
        logging.getLogger(name).setLevel(logging.WARNING)
