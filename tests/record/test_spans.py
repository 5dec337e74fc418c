"""Stretches of time in a record."""

from __future__ import annotations

from typing import Any

from support.sample_call import sample_call

from jev_turn.record import CallRecord
from jev_turn.record.spans import Span, bot_spans, gate_spans, start_ms, turn_spans


def _call(*lines: tuple[str, int, dict[str, Any]]) -> CallRecord:
    call = CallRecord(None, words=True)
    for kind, at_ms, fields in lines:
        call.write(kind, at_ms, **fields)
    return call


def test_a_span_ends_where_the_next_begins() -> None:
    """A bot that begins to speak has stopped thinking."""
    call = _call(
        ("bot", 10, {"state": "thinking"}),
        ("bot", 20, {"state": "start"}),
        ("bot", 50, {"state": "stop"}),
    )
    assert bot_spans(call.records) == [Span(10, 20, "thinking"), Span(20, 50, "speaking")]


def test_an_open_span_reaches_to_the_end_of_the_record() -> None:
    """A gate that never closed is drawn to the end."""
    call = _call(("gate", 10, {"state": "open"}), ("end", 90, {}))
    assert gate_spans(call.records) == [Span(10, 90, "open")]


def test_a_turn_opens_again_after_a_nod() -> None:
    """Words that left the turn unanswered end its bar; the next opening begins another."""
    call = _call(
        ("effect", 10, {"name": "OpenTurn"}),
        ("effect", 20, {"name": "Backchannel"}),
        ("effect", 30, {"name": "OpenTurn"}),
        ("effect", 40, {"name": "EndTurn"}),
    )
    assert turn_spans(call.records) == [Span(10, 20, "open"), Span(30, 40, "open")]


def test_time_counts_from_the_call_line() -> None:
    """The first level may carry an earlier time than the call."""
    call = _call(("call", 100, {"name": "a", "models": {}, "policy": {}}), ("end", 90, {}))
    assert start_ms(call.records) == 100 and start_ms([]) == 0


def test_the_sample_has_its_spans() -> None:
    """A whole call, counted by hand: five openings, two turns opened by sound."""
    records = sample_call()
    assert [len(f(records)) for f in (gate_spans, turn_spans, bot_spans)] == [5, 2, 2]
