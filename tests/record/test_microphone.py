"""The gate's lines in the call record."""

from __future__ import annotations

from jev_turn.record import CallRecord
from jev_turn.record.microphone import gate_recorder

LEVEL = {"kind": "level", "stream_ms": 90, "rms": 0.1, "floor": 0.002, "gate": 0.006, "open": True}


def _written(line: dict[str, object]) -> dict[str, object]:
    record = CallRecord(None, words=False)
    gate_recorder(record, lambda: 1000)(line)
    return record.records[0]


def test_a_level_stands_at_its_own_moment() -> None:
    """A line tells of a moment before it was written: the age is taken off."""
    line = _written({**LEVEL, "user_id": "", "age_ms": 30})
    levels = {"rms": 0.1, "floor": 0.002, "gate": 0.006, "open": True}
    assert line == {"v": 1, "t": 970, "kind": "level", **levels}


def test_a_gate_edge_keeps_its_numbers() -> None:
    """What decided a drop can be read off the record."""
    drop = {"kind": "gate", "what": "drop", "stream_ms": 90, "continuity": 0.2, "user_id": "ann"}
    line = _written({**drop, "age_ms": 0})
    assert (line["state"], line["user"]) == ("drop", "ann")
    assert line["numbers"] == {"stream_ms": 90, "continuity": 0.2}


def test_a_close_says_how_long_it_has_been_quiet() -> None:
    """Silence began before the gate closed."""
    close = {"kind": "gate", "what": "close", "stream_ms": 9, "quiet_ms": 200, "stalled": False}
    assert _written({**close, "user_id": "", "age_ms": 0})["quiet_ms"] == 200
