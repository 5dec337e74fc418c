"""What ``jev-turn calls`` does."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from jev_turn.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from jev_turn.replies.store import Database

T = TypeVar("T")


def calls_list(place: str | None, console: Console) -> None:
    """Print a line for each call.

    Args:
        place: A folder, a URL, or ``None``; see ``ReplyStore.open``.
        console: Where to print.

    Raises:
        ReplyStoreError: There is no database, or it cannot be read.
    """
    from jev_turn.replies.store import list_calls

    for info in _with(place, list_calls):
        ends = "kept" if info.expires_ms is None else f"until {_day(info.expires_ms)}"
        who = f"; peer {info.peer!r}" if info.peer is not None else ""
        writes = "in use by" if info.in_use else "left behind by"
        writer = f"; {writes} {info.holder}" if info.holder else ""
        line = (
            f"{info.id}  {_day(info.used_ms)}  turns {info.turns}, waiting {info.pending}, "
            f"dropped {info.discards}; {ends}{who}{writer}"
        )
        _print(console, line)


def calls_show(place: str | None, call: str, console: Console, *, words: bool = False) -> None:
    """Print one call's turns, what waits, dropped texts and gaps.

    Args:
        place: A folder, a URL, or ``None``; see ``ReplyStore.open``.
        call: Its id.
        console: Where to print.
        words: Print what was said; otherwise how many words it were.

    Raises:
        ReplyStoreError: There is no such call, or the database cannot be read.
    """
    from jev_turn.replies.store import export_call

    kept = _with(place, lambda database: export_call(database, call))

    def said(text: str | None) -> str:
        if words:
            return repr(text or "")
        return _number(len((text or "").split()), "word")

    _print(console, f"call {kept['call']}, last used {_day(kept['used_ms'])}")
    for turn in kept["turns"]:
        end = ("ok" if turn["ok"] else turn["error"]) if turn["ended"] else "in flight"
        _print(
            console,
            f"turn {turn['number']}  {said(turn['text'])} -> {said(turn['answer'])}  {end}",
        )
    for cut in kept["cuts"]:
        if cut["turn"] is None:
            _print(console, f"waiting  {said(cut['text'])}  {cut['why']} {cut['score']:.2f}")
    for piece in kept["pieces"]:
        _print(console, f"in no cut  {said(piece['text'])}")
    for drop in kept["discards"]:
        numbers = ", ".join(f"{name} {value}" for name, value in drop["numbers"])
        again = "; came back" if drop["rejoined"] else ""
        _print(console, f"dropped  {said(drop['text'])}  {drop['kind']} ({numbers}){again}")
    for gap in kept["gaps"]:
        _print(console, f"not heard  {gap['from_ms']} to {gap['to_ms']} ms")


def calls_export(place: str | None, call: str | None, peer: str | None, out: Path | None) -> None:
    """Write everything that is kept of a call or a peer as JSON.

    Args:
        place: A folder, a URL, or ``None``; see ``ReplyStore.open``.
        call: The call's id, or ``None`` for a peer.
        peer: The peer, or ``None`` for a call.
        out: A file that does not exist, made with mode 0600; ``None`` prints.

    Raises:
        ConfigError: Not exactly one of call and peer was named, or the file exists.
        ReplyStoreError: There is no such call or peer, or the database cannot be read.
    """
    from jev_turn.replies.store import export_call, export_peer

    if (call is None) == (peer is None):
        raise ConfigError("calls export: name a call, or a peer with --peer")
    if call is not None:
        kept = _with(place, lambda database: export_call(database, call))
    else:
        kept = _with(place, lambda database: export_peer(database, peer or ""))
    text = json.dumps(kept, ensure_ascii=False, indent=2) + "\n"
    if out is None:
        print(text, end="")
        return
    try:
        with os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text.encode())
    except OSError as error:
        raise ConfigError(f"{out}: {error.strerror}") from None


def calls_forget(
    place: str | None,
    call: str | None,
    peer: str | None,
    console: Console,
    *,
    expired: bool = False,
) -> None:
    """Delete a call, a peer or the expired calls, and say how many calls that were.

    Args:
        place: A folder, a URL, or ``None``; see ``ReplyStore.open``.
        call: The call's id.
        peer: The peer.
        console: Where to print.
        expired: All calls whose time is over.

    Raises:
        ConfigError: Not exactly one of call, peer and expired was named.
        ReplyStoreError: There is no such call or peer, it is in use, or the database failed.
    """
    if [call is not None, peer is not None, expired].count(True) != 1:
        raise ConfigError("calls forget: name a call, a peer with --peer, or --expired")
    gone = _with(place, lambda database: _forget(database, call, peer))
    _print(console, f"deleted {_number(gone, 'call')}")


async def _forget(database: Database, call: str | None, peer: str | None) -> int:
    from jev_turn.replies.store import forget_calls, forget_expired, forget_peer

    if call is not None:
        await forget_calls(database, [call])
        return 1
    if peer is not None:
        return await forget_peer(database, peer)
    gone = 0
    while some := await forget_expired(database, time.time_ns() // 1_000_000):
        gone += some
    await database.scrub()
    return gone


def _with(place: str | None, work: Callable[[Database], Coroutine[Any, Any, T]]) -> T:
    from jev_turn.replies.store import Database

    async def whole() -> T:
        database = await Database.open(place, must_exist=True)
        try:
            return await work(database)
        finally:
            await database.close()

    return asyncio.run(whole())


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _print(console: Console, line: str) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)
