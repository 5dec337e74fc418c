"""The closing table: one row per call, counted from the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.markup import escape
from rich.table import Table

from jev_turn.record import wording
from jev_turn.record.heard import words
from jev_turn.record.oracle import Oracle
from jev_turn.record.schema import Record
from jev_turn.record.summary import Summary, summarise

_COLUMNS = (
    "call", "length", "gate\nopened", "turns\nanswered", "bot\nstopped", "nods", "left\nunanswered",
    "judge\nasked", "no\nverdict",
)  # fmt: skip
_ORDINARY = ("", "complete")
"""Reasons for the end of a turn that say no more than its number."""


def closing_table(
    calls: Sequence[Sequence[Record]],
    oracles: Sequence[Oracle] | None = None,
    *,
    title: str | None = None,
) -> Table:
    """Build the table that closes a run.

    Args:
        calls: The records of the calls.
        oracles: What became of each call's words, in the same order; adds two columns.
        title: Heading.

    Returns:
        A rich table: one row per call and, for several calls, their sum. Tokens have a column where
        a judge counts them.
    """
    table = Table(title=title and escape(title), title_justify="left")
    sums = list(map(summarise, calls))
    has_tokens = any(any(one.tokens) for one in sums)
    names = [*_COLUMNS, *(["tokens\nin / out"] if has_tokens else [])]
    names += ["words\nlost", "words\ndoubled"] if oracles is not None else []
    for index, name in enumerate(names):
        table.add_column(name, justify="right" if index else "left")
    for index, summary in enumerate(sums):
        oracle = oracles[index] if oracles is not None else None
        table.add_row(*_row(summary, has_tokens), *_words(oracle))
    if len(calls) > 1:
        table.add_section()
        table.add_row(*_row(_sum(sums), has_tokens), *_sum_words(oracles), style="bold")
    return table


def _row(summary: Summary, has_tokens: bool) -> list[str]:
    effects = summary.effects
    asked = str(summary.asks)
    # A judge in this process takes no time where time is virtual.
    if summary.latency_ms:
        asked += f" ({summary.latency_ms} ms)"
    return [
        escape(wording.printable(summary.name)) + ("" if summary.complete else " [red](torn)[/]"),
        f"{summary.duration_ms / 1000:.1f} s",
        str(summary.opened),
        _counted(summary.ends, wording.REASONS),
        *(str(effects[name]) for name in ("Interrupt", "Backchannel", "Discard")),
        asked,
        _counted(summary.failed, wording.ERRORS),
        *([f"{summary.tokens[0]} / {summary.tokens[1]}"] if has_tokens else []),
    ]


def _counted(parts: Counter[str], names: Mapping[str, str]) -> str:
    """Write a total, with its parts when they say more than the total."""
    total = str(sum(parts.values()))
    told = sorted((part, count) for part, count in parts.items() if part not in _ORDINARY)
    named = ", ".join(f"{count} {names.get(part, part)}" for part, count in told)
    return f"{total} ({named})" if named else total


def _words(oracle: Oracle | None) -> list[str]:
    if oracle is None:
        return []
    return [_marked(_how_many(texts)) for texts in (oracle.lost, oracle.doubled)]


def _how_many(texts: Sequence[str]) -> int:
    return sum(len(words(text)) for text in texts)


def _marked(count: int) -> str:
    return f"[bold red]{count}[/]" if count else "0"


def _sum_words(oracles: Sequence[Oracle] | None) -> list[str]:
    if oracles is None:
        return []
    return [
        _marked(sum(_how_many(oracle.lost) for oracle in oracles)),
        _marked(sum(_how_many(oracle.doubled) for oracle in oracles)),
    ]


def _sum(parts: Sequence[Summary]) -> Summary:
    return Summary(
        name=f"{len(parts)} calls",
        duration_ms=sum(part.duration_ms for part in parts),
        opened=sum(part.opened for part in parts),
        ends=sum((part.ends for part in parts), Counter()),
        effects=sum((part.effects for part in parts), Counter()),
        asks=sum(part.asks for part in parts),
        failed=sum((part.failed for part in parts), Counter()),
        latency_ms=None,
        tokens=(sum(part.tokens[0] for part in parts), sum(part.tokens[1] for part in parts)),
        complete=all(part.complete for part in parts),
    )
