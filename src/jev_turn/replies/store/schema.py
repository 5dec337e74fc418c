"""The tables, the same in SQLite and in PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    false,
    insert,
    inspect,
    select,
    text,
)

from jev_turn.errors import ReplyStoreError

VERSION = 1
"""Of the tables; a database with a higher one is refused."""

_MAKING = 0x6A65765F7475726E
"""PostgreSQL's lock for making the tables: two processes may begin with the same empty database."""


class Words(TypeDecorator[str]):
    """Text as somebody said it; what no database can hold is replaced, so that it is kept."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Replace lone surrogates and drop NUL, which neither UTF-8 nor PostgreSQL can hold."""
        if value is None:
            return None
        return str(value).encode("utf-8", "replace").decode("utf-8").replace("\0", "")


metadata = MetaData()


def _call() -> Column[str]:
    owner = ForeignKey("jev_call.id", ondelete="CASCADE")
    return Column("call", String(200), owner, primary_key=True)


def _peer(*, primary_key: bool) -> Column[str]:
    owner = ForeignKey("jev_peer.peer", ondelete="CASCADE")
    return Column("peer", Words, owner, primary_key=primary_key)


version = Table("jev_schema", metadata, Column("version", Integer, primary_key=True))

peer = Table(
    "jev_peer",
    metadata,
    Column("peer", Words, primary_key=True),
    # Counting up locks the row, so two calls of one peer never number a block alike.
    Column("blocks", BigInteger, nullable=False, default=0),
)

call = Table(
    "jev_call",
    metadata,
    Column("id", String(200), primary_key=True),
    _peer(primary_key=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),
    # Who may write: a token that only the holder knows, and what a person can look up.
    Column("holder", String(64)),
    Column("holder_pid", Integer),
    Column("holder_host", String(255)),
)

cut = Table(
    "jev_cut",
    metadata,
    _call(),
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("text", Words, nullable=False),
    Column("segment", Integer, nullable=False),
    Column("score", Float, nullable=False),
    Column("why", String(32), nullable=False),
    # The turn that has eaten it; null while it waits.
    Column("turn", Integer),
    Column("restored", Integer, nullable=False, default=0),
    ForeignKeyConstraint(["call", "turn"], ["jev_turn.call", "jev_turn.number"]),
)

turn = Table(
    "jev_turn",
    metadata,
    _call(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("text", Words, nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("spoke", Boolean, nullable=False, default=False),
    Column("ended", Boolean, nullable=False, default=False),
    Column("ended_ms", BigInteger),
    Column("answer", Words),
    Column("ok", Boolean),
    Column("error", Words),
)
Index(
    "jev_turn_in_flight",
    turn.c.call,
    unique=True,
    sqlite_where=turn.c.ended == false(),
    postgresql_where=turn.c.ended == false(),
)

# Words that are in no cut yet, whole: a step that changes them writes them anew.
piece = Table(
    "jev_piece",
    metadata,
    _call(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("segment", Integer, nullable=False),
    Column("text", Words, nullable=False),
)

mark = Table(
    "jev_mark",
    metadata,
    _call(),
    Column("segment", Integer, primary_key=True, autoincrement=False),
    Column("text", Words, nullable=False),
)

discard = Table(
    "jev_discard",
    metadata,
    _call(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("text", Words, nullable=False),
    Column("numbers", JSON, nullable=False),
    Column("rejoined", Boolean, nullable=False, default=False),
)

gap = Table(
    "jev_gap",
    metadata,
    _call(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("from_ms", BigInteger, nullable=False),
    Column("to_ms", BigInteger, nullable=False),
)

# Blocks outlive the call that they come from, hence no foreign key to it.
memory_block = Table(
    "jev_memory_block",
    metadata,
    _peer(primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("call", String(200), nullable=False, index=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("user", Words, nullable=False),
    Column("answer", Words, nullable=False),
)

memory_summary = Table(
    "jev_memory_summary",
    metadata,
    _peer(primary_key=True),
    Column("from_seq", BigInteger, primary_key=True, autoincrement=False),
    Column("to_seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("text", Words, nullable=False),
)


def prepare(connection: Connection) -> None:
    """Make the tables in an empty database, and refuse those of a newer version.

    Raises:
        ReplyStoreError: The tables are of a version that is not known here.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MAKING})
    if not inspect(connection).has_table(version.name):
        metadata.create_all(connection, checkfirst=False)
        connection.execute(insert(version).values(version=VERSION))
    found = connection.execute(select(version.c.version)).scalar_one()
    if found != VERSION:
        raise ReplyStoreError(f"the database has schema {found}; this version works with {VERSION}")
