"""Answers that are no verdict, over TypeSafe's SDK."""

from __future__ import annotations

import pytest
from support.fake_judges import jump
from support.fake_typesafe import ONE, classifier, failure_of, wire

from jev_turn.errors import UnreadableVerdict


def _body(answer: object, name: str = "turn_complete", **more: object) -> dict[str, object]:
    return {"model": "m", "usage": {}, "answers": {name: answer}} | more


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"model": "m", "usage": {}}, id="answers missing"),
        pytest.param({"model": "m", "usage": {}, "answers": {}}, id="answer missing"),
        pytest.param({"model": "m", "usage": {}, "answers": [0.5]}, id="answers in a list"),
        pytest.param(_body({"type": "noul", "noul": 0.5}, "Turn_complete"), id="wrong id"),
        pytest.param(_body({"type": "noul"}), id="field missing"),
        pytest.param(_body({"noul": 0.5}), id="type missing"),
        pytest.param(_body({"type": "refusal"}), id="refusal"),
        pytest.param(_body({"type": "boolean", "noul": 0.5}), id="unknown type"),
        pytest.param(
            _body(
                {"type": "choice", "choice": "a", "probabilities": {"a": 1.0}, "confidence": 1.0}
            ),
            id="choice",
        ),
        pytest.param(_body({"type": "noul", "noul": None}), id="null"),
        pytest.param(_body({"type": "noul", "noul": "0.9"}), id="text"),
        pytest.param(_body({"type": "noul", "noul": True}), id="bool"),
        pytest.param(_body({"type": "noul", "noul": float("nan")}), id="nan"),
        pytest.param(_body({"type": "noul", "noul": float("inf")}), id="infinity"),
        pytest.param(_body({"type": "noul", "noul": [0.5]}), id="list"),
        pytest.param(_body({"type": "noul", "noul": 1.7}), id="above 1"),
        pytest.param(_body({"type": "noul", "noul": -0.1}), id="below 0"),
        pytest.param(_body(0.5), id="bare number"),
        pytest.param(_body(None), id="answer null"),
        pytest.param([], id="list"),
        pytest.param(0.5, id="number"),
        pytest.param(b"", id="empty"),
        pytest.param(b"<html>busy</html>", id="html"),
        pytest.param(b'{"model":"m","usage":{},"answers":{"turn_co', id="cut off"),
        pytest.param(b"\xff\xfe\x00", id="no text"),
    ],
)
def test_an_unreadable_answer_raises(body: object) -> None:
    """Never a no, and never asked twice (S2-J05)."""
    line = wire(200, body)
    error, _ = failure_of(line)
    assert isinstance(error, UnreadableVerdict)
    assert len(line.requests) == 1


@pytest.mark.parametrize(("noul", "probability"), [(0, 0.0), (1, 1.0), (0.0, 0.0), (1.0, 1.0)])
def test_the_ends_of_the_range_are_verdicts(noul: float, probability: float) -> None:
    """0 and 1 are probabilities, written with a point or without."""
    line = wire(200, _body({"type": "noul", "noul": noul}))
    assert jump(classifier(line).yes_no("so", ONE))["turn_complete"].probability == probability
