"""Pipecat's own classifiers serve as judges, unchanged."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from pipecat.classifiers.llm.classifier import LLMClassifier
from support.fake_judges import LISTENING, MockJev, ask, judged_once, jump

from jev_turn.turn.events import Judged, JudgeFailed
from jev_turn.turn.verdict import Verdict


class Llm:
    """A language model's one method that the classifier uses."""

    def __init__(self, reply: str) -> None:
        self.settings = SimpleNamespace(model="some-llm")
        self._reply = reply

    async def run_inference(self, *_: Any, **__: Any) -> str:
        """Say what was prepared."""
        return self._reply


@pytest.mark.parametrize(
    ("reply", "end"),
    [
        (json.dumps({n: {"probability": 0.75} for n in LISTENING}), None),
        (json.dumps({n: {"probability": "sure"} for n in LISTENING}), "unreadable"),
        ("I think so.", "error"),
        ("{}", "error"),
    ],
)
def test_a_language_model_may_judge(reply: str, end: str | None) -> None:
    """What it writes is either a verdict or a failure."""
    event = jump(judged_once(LLMClassifier(llm=Llm(reply)), ask(1)))  # type: ignore[arg-type]
    verdict = Judged(0, 1, Verdict(0.75, 0.75, 0.75))
    assert event == (verdict if end is None else JudgeFailed(0, 1, end))


@pytest.mark.parametrize(
    ("fault", "end"),
    [
        ("", None),
        ("noul-range", "unreadable"),
        ("xssi-200", "unreadable"),
        ("boolean-type", None),
        ("first-question-only", "error"),
        ("wrong-route", "error"),
    ],
)
async def test_pipecats_jev_client_may_judge(
    mock_jev: MockJev, fault: str, end: str | None
) -> None:
    """It checks less than ours does; numbers out of range end here."""
    pytest.importorskip("httpx", reason="pipecat-ai[typesafe] is not installed")
    from pipecat.classifiers.typesafe.jev.classifier import JevClassifier

    mock_jev.configure(*filter(None, [fault]))
    theirs = JevClassifier(api_key="any", base_url=mock_jev.url)
    event = await judged_once(theirs, ask(1, "speaking"))
    await theirs.cleanup()  # type: ignore[no-untyped-call]
    if end is None:
        assert isinstance(event, Judged)
        assert event.verdict.taking_floor is not None
    else:
        assert isinstance(event, JudgeFailed) and event.error == end


async def test_pipecats_jev_client_without_a_server_is_unavailable() -> None:
    """The kind comes from the cause that the classifier names."""
    pytest.importorskip("httpx", reason="pipecat-ai[typesafe] is not installed")
    from pipecat.classifiers.typesafe.jev.classifier import JevClassifier

    theirs = JevClassifier(api_key="any", base_url="http://127.0.0.1:1")
    event = await judged_once(theirs, ask(1))
    await theirs.cleanup()  # type: ignore[no-untyped-call]
    assert event == JudgeFailed(event.at, 1, "unavailable")
