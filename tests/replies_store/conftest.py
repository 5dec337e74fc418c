"""Every rule holds for SQLite and for PostgreSQL."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import pytest_asyncio
from loguru import logger
from sqlalchemy import create_engine, text

from jev_turn.replies.store import Database, ReplyStore
from jev_turn.replies.store import place as module

SERVER = "JEV_TURN_TEST_DATABASE_URL"
_schemas = itertools.count()


def _server() -> str:
    if SERVER not in os.environ:
        pytest.skip(f"{SERVER} is not set: tests/support/postgres.sh pytest")
    return os.environ[SERVER]


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without a call; copying it is quicker than making the tables."""
    folder = tmp_path_factory.mktemp("prepared")

    async def prepare() -> None:
        await (await Database.open(folder)).close()

    asyncio.run(prepare())
    return folder / module.FILE


@pytest.fixture(params=["sqlite", "postgresql"])
def place(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    prepared: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """A folder without a call, or an empty schema of the server that the environment names."""
    if request.param == "postgresql":
        with empty_schema(_server()) as url:
            yield url
        return
    # A process that dies leaves what it wrote to the system: only a power cut needs the disk.
    quick = [p.replace("FULL", "OFF") for p in module._PRAGMAS]
    monkeypatch.setattr(module, "_PRAGMAS", quick)
    (tmp_path / "calls").mkdir(mode=0o700)
    shutil.copy(prepared, tmp_path / "calls")
    yield str(tmp_path / "calls")


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


@pytest_asyncio.fixture(params=["sqlite", "postgresql"], scope="module", loop_scope="module")
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    """A database for a module's tests; SQLite's in memory, since no rule there needs the disk."""
    with nullcontext() if request.param == "sqlite" else empty_schema(_server()) as url:
        opened = await Database.open(url, persist=url is not None)
        yield opened
        await opened.close()


@pytest_asyncio.fixture(loop_scope="module")
async def store(database: Database) -> AsyncIterator[ReplyStore]:
    """The state of a new call with a new peer; its tests share the module's loop."""
    async with await ReplyStore.open(database, peer=secrets.token_hex(8)) as opened:
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
