"""The closing table: one row per call, counted from the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from jev_turn.record import wording
from jev_turn.record.oracle import Oracle
from jev_turn.record.schema import Record
from jev_turn.record.summary import Summary, summarise

_COLUMNS = (
    "call", "length", "opened", "turns", "stops", "nods", "unanswered",
    "asked", "failed", "tokens in / out",
)  # fmt: skip


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
        A rich table: one row per call and, for several calls, their sum.
    """
    table = Table(title=title and escape(title), title_justify="left")
    names = [*_COLUMNS, "lost", "doubled"] if oracles is not None else list(_COLUMNS)
    for index, name in enumerate(names):
        table.add_column(name, justify="right" if index else "left")
    for index, summary in enumerate(map(summarise, calls)):
        oracle = oracles[index] if oracles is not None else None
        table.add_row(*_row(summary), *_words(oracle))
    if len(calls) > 1:
        table.add_section()
        sums = list(map(summarise, calls))
        table.add_row(*_row(_sum(sums)), *_sum_words(oracles), style="bold")
    return table


def _row(summary: Summary) -> list[str]:
    effects = summary.effects
    asked = str(summary.asks)
    if summary.latency_ms is not None:
        asked += f" ({summary.latency_ms} ms)"
    return [
        escape(wording.printable(summary.name)) + ("" if summary.complete else " [red](torn)[/]"),
        f"{summary.duration_ms / 1000:.1f} s",
        str(summary.opened),
        _counted(summary.ends),
        *(str(effects[name]) for name in ("Interrupt", "Backchannel", "Discard")),
        asked,
        _counted(summary.failed),
        f"{summary.tokens[0]} / {summary.tokens[1]}",
    ]


def _counted(parts: Counter[str]) -> str:
    """Write a total, with its parts when they say more than the total."""
    total = str(sum(parts.values()))
    named = ", ".join(f"{name} {count}" for name, count in sorted(parts.items()) if name)
    return f"{total} ({named})" if named else total


def _words(oracle: Oracle | None) -> list[str]:
    return [] if oracle is None else [_marked(len(oracle.lost)), _marked(len(oracle.doubled))]


def _marked(count: int) -> str:
    return f"[bold red]{count}[/]" if count else "0"


def _sum_words(oracles: Sequence[Oracle] | None) -> list[str]:
    if oracles is None:
        return []
    return [
        _marked(sum(len(oracle.lost) for oracle in oracles)),
        _marked(sum(len(oracle.doubled) for oracle in oracles)),
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
