"""The call record's lines."""

from __future__ import annotations

from typing import Any

import pytest
from support.sample_call import sample_call

from jev_turn.record import RecordError, check
from jev_turn.record.schema import KINDS

VERDICT: dict[str, Any] = {
    "v": 1,
    "t": 0,
    "kind": "verdict",
    "ask": 1,
    "probabilities": {"turn_complete": 0.7},
    "thresholds": {"turn_complete": 0.72},
    "latency_ms": 130,
}


def test_a_call_uses_every_kind() -> None:
    """The sample that other tests draw holds each kind at least once, and follows the schema."""
    assert {check(record)["kind"] for record in sample_call()} == set(KINDS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"v": 2}, "line 7: v: schema version 2 is unknown, 1 is known"),
        ({"kind": "guess"}, "line 7: kind: 'guess' is unknown"),
        ({"kind": ["verdict"]}, "line 7: kind: ['verdict'] is unknown"),
        ({"mood": 1}, "line 7: verdict.mood: is not a key of this kind"),
        ({"t": -1}, "line 7: verdict.t: -1 is not a whole number, 0 or more"),
        ({"t": 1.5}, "line 7: verdict.t: 1.5 is not a whole number, 0 or more"),
        ({"ask": True}, "line 7: verdict.ask: True is not a whole number, 0 or more"),
        (
            {"probabilities": {"turn_complete": 1.01}},
            "line 7: verdict.probabilities: {'turn_complete': 1.01} "
            "is not numbers from 0 to 1 by question",
        ),
        (
            {"thresholds": {"turn_complete": float("nan")}},
            "line 7: verdict.thresholds: {'turn_complete': nan} "
            "is not numbers from 0 to 1 by question",
        ),
    ],
)
def test_a_wrong_line_is_refused(change: dict[str, Any], message: str) -> None:
    """The message names the line and the key, and shows the value."""
    with pytest.raises(RecordError) as caught:
        check({**VERDICT, **change}, 7)
    assert str(caught.value) == message


@pytest.mark.parametrize("key", ["v", "t", "kind", "ask", "probabilities", "latency_ms"])
def test_a_missing_key_is_refused(key: str) -> None:
    """Every key that a kind needs must be there; the message names it."""
    with pytest.raises(RecordError, match=key):
        check({name: value for name, value in VERDICT.items() if name != key})


@pytest.mark.parametrize("line", [[], "text", 3, None])
def test_a_line_is_an_object(line: object) -> None:
    """JSON that is no object is refused."""
    with pytest.raises(RecordError, match="is not an object"):
        check(line, 1)


def test_a_sentence_cannot_stand_where_words_are_not_kept() -> None:
    """A reason is one word: so speech cannot slip into a record that keeps no words."""
    with pytest.raises(RecordError, match="effect.why: str is not a single word"):
        check({"v": 1, "t": 0, "kind": "effect", "name": "EndTurn", "why": "my pin is 1234"})


def test_an_error_never_quotes_what_was_said() -> None:
    """Errors are logged, and what was said must not be."""
    heard = {"v": 1, "t": 0, "kind": "final", "segment": 0, "words": 1, "text": ["secret"]}
    with pytest.raises(RecordError) as caught:
        check(heard)
    assert "secret" not in str(caught.value)
