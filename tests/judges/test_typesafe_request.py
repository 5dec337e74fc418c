"""What TypeSafeClassifier sends."""

from __future__ import annotations

import asyncio
import json

import pytest
from pipecat.classifiers.base_classifier import ChoiceQuestion, ClassifierError, YesNoQuestion
from support.fake_judges import LISTENING, SITUATION, ask, desk, jump, settle
from support.fake_typesafe import ONE, Wire, classifier, wire

from jev_turn.judges.typesafe import PINNED_MODEL


def test_a_question_becomes_a_noul_with_criteria() -> None:
    """Model pinned, one request, instructions and criteria as given, ids as names."""
    line = Wire()
    examples = {"question": "Done?", "examples": [{"words": "bye", "answer": "yes"}]}
    asked = ONE | {"other": YesNoQuestion(instructions=examples)}
    result = jump(classifier(line).yes_no({"state": "so"}, asked))
    assert {name: answer.probability for name, answer in result.items()} == {
        "turn_complete": 0.25,
        "other": 0.25,
    }
    (request,) = line.requests
    assert str(request.url) == "https://api.typesafe.ai/v1/systemone"
    assert json.loads(request.content) == {
        "state": {"state": "so"},
        "model": PINNED_MODEL,
        "questions": {
            "turn_complete": {
                "type": "noul",
                "instructions": "Is turn_complete so?",
                "criteria": {"true": "It is.", "false": "It is not."},
            },
            "other": {"type": "noul", "instructions": examples},
        },
    }


def test_a_long_request_is_not_compressed() -> None:
    """Servers that only speak the protocol read plain JSON, whatever this Python can compress."""
    line = Wire()
    jump(classifier(line).ask({"words": "x" * 5_000}, ONE))
    assert "content-encoding" not in line.requests[0].headers
    assert json.loads(line.requests[0].content)["state"]["words"] == "x" * 5_000


def test_only_yes_or_no_is_answered() -> None:
    """Another kind of question is refused before anything is sent."""
    line = Wire()
    choice = {"mood": ChoiceQuestion(instructions="Which?", options={"good": None, "bad": None})}
    with pytest.raises(ClassifierError, match="mood"):
        jump(classifier(line).ask("so", choice))
    assert line.requests == []


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"input_tokens": 30, "output_tokens": 2}, (30, 2)),
        ({"input_tokens": 30}, (30, 0)),
        ({}, None),
    ],
)
def test_token_usage_is_reported(usage: dict[str, int], tokens: tuple[int, int] | None) -> None:
    """What the server counted reaches the ask's record; an uncounted call has none."""

    async def main() -> None:
        body = {
            "model": "m",
            "usage": usage,
            "answers": {name: {"type": "noul", "noul": 0.5} for name in LISTENING},
        }
        here = desk(classifier(wire(200, body)))
        here.judge.submit(ask(1), SITUATION)
        await settle()
        await asyncio.sleep(0.1)
        (record,) = here.records
        assert (record["input_tokens"], record["output_tokens"]) == (tokens or (None, None))
        assert here.judge.stats.input_tokens == (tokens or (0, 0))[0]

    jump(main())
