"""The closing table."""

from __future__ import annotations

import io

from rich.console import Console
from support.sample_call import sample_call

from jev_turn.record import CallRecord
from jev_turn.record.oracle import Oracle
from jev_turn.record.summary import summarise
from jev_turn.record.table import closing_table


def _printed(*args: object, **kwargs: object) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(closing_table(*args, **kwargs))  # type: ignore[arg-type]
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def _row(text: str, name: str) -> list[str]:
    rows = (line for line in text.splitlines() if line.startswith(f"\u2502 {name}"))
    return [cell.strip() for cell in next(rows).strip("\u2502").split("\u2502")]


def test_a_row_counts_one_call() -> None:
    """Counted by hand from the sample call."""
    assert _row(_printed([sample_call()]), "sample") == [
        "sample",
        "20.0 s",
        "5",
        "2 (1 silence rule, judge away)",
        "1",
        "1",
        "1",
        "7 (130 ms)",
        "1 (1 the judge took too long)",
        "3600 / 48",
    ]


def test_several_calls_have_a_sum() -> None:
    """The last row adds up."""
    row = _row(_printed([sample_call(), sample_call()]), "2 calls")
    assert row[1:4] == ["40.0 s", "10", "4 (2 silence rule, judge away)"]


def test_lost_words_are_shown_beside_the_call() -> None:
    """The oracle's verdict stands in the same row."""
    oracle = Oracle(lost=("yes please", "no"), doubled=())
    assert _row(_printed([sample_call()], [oracle]), "sample")[-2:] == ["3", "0"]


def test_what_was_not_measured_is_not_shown_as_zero() -> None:
    """A judge that counts no tokens has no column for them, and one that takes no time no time."""
    call = [record for record in sample_call() if record["kind"] != "tokens"]
    instant = [{**r, "latency_ms": 0} if r["kind"] == "verdict" else r for r in call]
    shown = _printed([instant])
    assert (
        "tokens" not in shown
        and " ms" not in shown
        and "\u2502 7 \u2502" in shown.replace("  ", "")
    )


def test_a_record_that_breaks_off_is_marked() -> None:
    """Counts of half a call must not pass for the whole."""
    assert _row(_printed([sample_call()[:-1]]), "sample")[0] == "sample (torn)"


def test_a_call_name_is_no_markup() -> None:
    """Names come from files."""
    assert "[bold]x" in _printed([sample_call(name="[bold]x")])


def test_an_empty_record_is_a_row_of_zeros() -> None:
    """A call that crashed at once is still counted."""
    counted = summarise([])
    assert (counted.duration_ms, counted.opened, counted.latency_ms) == (0, 0, None)


def test_superseded_asks_are_counted_as_failed_by_name() -> None:
    """Every ask is accounted for; the name tells that it was replaced."""
    call = CallRecord(None, words=False)
    call.write("failed", 0, ask=1, error="superseded")
    assert summarise(call.records).failed == {"superseded": 1}
