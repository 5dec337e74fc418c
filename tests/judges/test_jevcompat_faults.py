"""Every fault of jevcompat's mock server: an error, or the verdict that the server computed."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

import httpx2
import pytest
from jevcompat.mock import FAULTS, MockConfig, answer
from pipecat.classifiers.base_classifier import YesNoQuestion
from pipecat.utils.asyncio.task_manager import TaskManager
from support.fake_judges import (
    QUESTIONS,
    SITUATION,
    SPEAKING,
    MockJev,
    ask,
    config,
    judged_once,
)

from jev_turn.judges.state import build_state
from jev_turn.judges.typesafe import TypeSafeClassifier
from jev_turn.turn.events import Judged, JudgeFailed
from jev_turn.turn.verdict import Verdict

VERDICT = "verdict"
KEY = "mock-key"


class Row(NamedTuple):
    """What a fault does to our request of four nouls.

    Attributes:
        end: ``verdict``, or the kind of the failure.
        why: The reason.
        server_key: The key that the server wants; ``None`` switches its check off.
    """

    end: str
    why: str
    server_key: str | None = None


OTHER_TYPES = Row(VERDICT, "about choices or scores, and only nouls are asked")

TABLE = {
    # The address, the envelope, the encoding.
    "wrong-route": Row("refused", "404 for every question"),
    "xssi-200": Row("unreadable", "the body is no JSON"),
    "plain-content-type": Row(VERDICT, "the body is JSON whatever the header says"),
    "text-errors": Row("auth", "an error is known by its status", server_key="another"),
    "models-404": Row(VERDICT, "warming up is not needed for an answer"),
    # Keys.
    "auth-rejects-header": Row("auth", "we always send the key"),
    "auth-x-api-key": Row("auth", "the key is sent as the protocol says", server_key=KEY),
    "auth-plain": Row(VERDICT, "about a missing key, and ours is sent", server_key=KEY),
    "auth-invalid-403-text": Row("auth", "401 in another shape", server_key="another"),
    # What the server refuses of a request.
    "reject-array-state": Row(VERDICT, "our state is an object"),
    "reject-jev-latest": Row(VERDICT, "the model is pinned"),
    "strict-ids": Row(VERDICT, "our ids are plain"),
    "forbid-extra": Row(VERDICT, "we send nothing extra"),
    "string-only-text": Row("refused", "our instructions hold examples, hence are an object"),
    "noul-two-sided": Row(VERDICT, "both criteria are given"),
    "noul-needs-instructions": Row(VERDICT, "instructions are given"),
    "500-on-unknown-type": Row(VERDICT, "noul is a known type"),
    "accept-boolean": Row(VERDICT, "we ask for nouls"),
    "validation-400": Row(VERDICT, "our request is valid"),
    "error-flat": Row(VERDICT, "about unknown models, and ours is known"),
    # What the server answers.
    "first-question-only": Row("unreadable", "three answers are missing"),
    "no-usage": Row("unreadable", "the envelope is not the protocol's"),
    "float-usage": Row("unreadable", "the envelope is not the protocol's"),
    "extra-answer": Row(VERDICT, "what nobody asked for is ignored"),
    "boolean-type": Row("unreadable", "answers of an unknown type"),
    "nan": Row(VERDICT, "in a field that is not ours"),
    "unprefixed-extra": Row(VERDICT, "in a field that is not ours"),
    "noul-range": Row("unreadable", "numbers above 1"),
    # Well-formed answers of a worse model: no single answer shows it, the number stays as given.
    "id-leaks": Row(VERDICT, "the model reads the ids"),
    "batch-leaks": Row(VERDICT, "the model reads the number of questions"),
    "order-leaks": Row(VERDICT, "the model reads the order"),
    # Other question types.
    **dict.fromkeys(
        (
            "nfd-keys",
            "no-null-description",
            "cap-64",
            "cap-5-levels",
            "accept-map-score",
            "choice-no-confidence",
            "choice-key-case",
            "choice-sum",
            "choice-second",
            "score-no-legend",
            "legend-1-based",
            "score-keys-1-based",
            "score-sum",
            "score-argmax",
            "confidence-over",
            "confidence-margin",
        ),
        OTHER_TYPES,
    ),
}

ASK = ask(1, "speaking")
WITH_EXAMPLES = {
    name: YesNoQuestion(
        instructions={"question": str(q.instructions), "examples": [{"answer": "yes"}]},
        yes=q.yes,
        no=q.no,
    )
    for name, q in QUESTIONS.items()
}


def classifier(server: MockJev, **options: Any) -> TypeSafeClassifier:
    """Ours at the mock server, over real HTTP."""
    http = httpx2.AsyncHTTPTransport(verify=False)
    made: dict[str, Any] = {"api_key": KEY, "base_url": server.url, "env": {}, "transport": http}
    return TypeSafeClassifier(**({"config": config()} | made | options))


def computed(server: MockConfig, questions: dict[str, YesNoQuestion]) -> Verdict:
    """The verdict that the server's model gives on our request."""
    state = json.loads(json.dumps(build_state(ASK, SITUATION, config())))
    values = {}
    for position, name in enumerate(SPEAKING):
        asked = {
            "type": "noul",
            "instructions": questions[name].instructions,
            "criteria": {"true": questions[name].yes, "false": questions[name].no},
        }
        values[name] = answer(server, state, name, asked, position, len(SPEAKING))["noul"]
    return Verdict(**values)


def test_every_fault_has_a_row() -> None:
    """A new version of the mock brings its new faults into the table."""
    assert set(TABLE) == set(FAULTS)


@pytest.mark.parametrize("fault", sorted(TABLE))
async def test_a_fault_raises_or_does_not_matter(mock_jev: MockJev, fault: str) -> None:
    """Either no verdict at all, or exactly the numbers that the server computed."""
    row = TABLE[fault]
    served = mock_jev.configure(fault, key=row.server_key)
    ours = classifier(mock_jev)
    event = await judged_once(ours, ASK, WITH_EXAMPLES)
    await ours.cleanup()
    if row.end == VERDICT:
        assert isinstance(event, Judged)
        assert event.verdict == computed(served, WITH_EXAMPLES)
    else:
        assert isinstance(event, JudgeFailed)
        assert event.error == row.end


async def test_plain_instructions_pass_a_server_that_reads_only_text(mock_jev: MockJev) -> None:
    """Without worked examples the request is all text."""
    served = mock_jev.configure("string-only-text")
    ours = classifier(mock_jev)
    event = await judged_once(ours, ASK, QUESTIONS)
    await ours.cleanup()
    assert event == Judged(event.at, 1, computed(served, QUESTIONS))


@pytest.mark.parametrize("fault", ["error-flat", "validation-400", "text-errors"])
async def test_an_unknown_model_is_refused_in_any_shape(mock_jev: MockJev, fault: str) -> None:
    """A status is enough to know who is at fault."""
    mock_jev.configure(fault)
    ours = classifier(mock_jev, model="no-such-model")
    event = await judged_once(ours, ASK, QUESTIONS)
    await ours.cleanup()
    assert event == JudgeFailed(event.at, 1, "refused")


async def test_a_busy_server_is_not_waited_for(mock_jev: MockJev) -> None:
    """Every second request gets 429, and is sent once (S1-I08)."""
    served = mock_jev.configure(busy_every=2)
    ours = classifier(mock_jev)
    events = [await judged_once(ours, ask(n, "speaking"), QUESTIONS) for n in (1, 2, 3)]
    await ours.cleanup()
    ends = [event.error if isinstance(event, JudgeFailed) else VERDICT for event in events]
    assert ends == [VERDICT, "rate_limited", VERDICT]
    assert served.requests == 3


async def test_nobody_listening_is_unavailable(mock_jev: MockJev) -> None:
    """A refused connection is a failure at once."""
    ours = classifier(mock_jev, base_url="http://127.0.0.1:1")
    event = await judged_once(ours, ASK, QUESTIONS)
    await ours.cleanup()
    assert event == JudgeFailed(event.at, 1, "unavailable")


async def test_the_transports_own_log_is_clean(
    mock_jev: MockJev, everything_logged: list[str]
) -> None:
    """Over real connections too, neither key nor words are in any logger's lines."""
    mock_jev.configure("noul-range", key=KEY)
    ours = classifier(mock_jev)
    event = await judged_once(ours, ask(1, text="zanzibar"), QUESTIONS)
    await ours.cleanup()
    assert event == JudgeFailed(event.at, 1, "unreadable")
    text = "".join(everything_logged)
    assert "send_request_body" in text, "the transport's own lines were not captured"
    assert "zanzibar" not in text and KEY not in text


async def test_questions_find_the_warm_connections(mock_jev: MockJev) -> None:
    """Connections opened by setup serve all that follows, several at once and over a pause."""
    mock_jev.configure()
    ours = classifier(mock_jev, config=config(warm_connections=2), transport=None)
    manager = TaskManager()
    await ours.setup(manager)
    await asyncio.gather(*manager.current_tasks())
    assert mock_jev.connections == 2
    for number in range(2):
        pair = (judged_once(ours, ask(number + n, "speaking")) for n in (0, 1))
        assert all(isinstance(event, Judged) for event in await asyncio.gather(*pair))
    await ours.cleanup()
    assert mock_jev.connections == 2
