"""Every rule holds for SQLite and for PostgreSQL."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from loguru import logger
from sqlalchemy import create_engine, text

from jev_turn.replies.store import ReplyStore

SERVER = "JEV_TURN_TEST_DATABASE_URL"
_schemas = itertools.count()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty folder, or an empty schema of the server that the environment names."""
    if request.param == "sqlite":
        yield str(tmp_path / "calls")
        return
    if SERVER not in os.environ:
        pytest.skip(f"{SERVER} is not set: tests/support/postgres.sh pytest")
    with empty_schema(os.environ[SERVER]) as url:
        yield url


class empty_schema:  # noqa: N801
    """Context of a URL whose tables are in a schema of their own."""

    def __init__(self, server: str) -> None:
        self._name = f"test_{os.getpid()}_{next(_schemas)}"
        self._url = server + f"?options=-csearch_path%3D{self._name}"
        self._engine = create_engine(
            server.replace(":", "+psycopg:", 1), isolation_level="AUTOCOMMIT"
        )

    def __enter__(self) -> str:
        self._run(f"CREATE SCHEMA {self._name}")
        return self._url

    def __exit__(self, *_: object) -> None:
        self._run(f"DROP SCHEMA {self._name} CASCADE")
        self._engine.dispose()

    def _run(self, statement: str) -> None:
        with self._engine.connect() as connection:
            connection.execute(text(statement))


@pytest_asyncio.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[ReplyStore]:
    """The state of a call with a peer; SQLite's in memory, since no rule here needs the disk."""
    if request.param == "sqlite":
        async with await ReplyStore.open(persist=False, peer="ann") as opened:
            yield opened
        return
    if SERVER not in os.environ:
        pytest.skip(f"{SERVER} is not set: tests/support/postgres.sh pytest")
    with empty_schema(os.environ[SERVER]) as url:
        async with await ReplyStore.open(url, peer="ann") as opened:
            yield opened


class Wall:
    """A wall clock that moves when told to."""

    def __init__(self) -> None:
        self.now_ms = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def wall() -> Wall:
    """A wall clock that stands still."""
    return Wall()


@pytest.fixture
def everything_logged() -> Iterator[list[str]]:
    """All of `logging` and loguru at their most talkative."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler, root = Keep(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(1)
    sink = logger.add(lambda line: lines.append(str(line)), level=0, backtrace=True, diagnose=True)
    yield lines
    logger.remove(sink)
    root.removeHandler(handler)
    root.setLevel(level)
