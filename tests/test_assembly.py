"""Builders put processors in their places and refuse what contradicts them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.filters.identity_filter import IdentityFilter
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from support.bot import Answers, Bot, said

from jev_turn.assembly import (
    Duplex,
    FinishTurn,
    check_aggregator,
    check_mixture,
    classifier_from_environment,
)
from jev_turn.errors import ConfigError
from jev_turn.judges.embedded import EmbeddedClassifier
from jev_turn.judges.typesafe import TypeSafeClassifier
from jev_turn.play.cast import CaseModel
from jev_turn.play.clock import run
from jev_turn.play.stage import Stage
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.mic_gate import MicGate
from jev_turn.processors.reply_list import ReplyList
from jev_turn.replies.effects import TurnSpoke
from jev_turn.replies.store import ReplyStore


def pair(params: LLMUserAggregatorParams | None = None) -> LLMContextAggregatorPair:
    """Return a context's aggregators."""
    return LLMContextAggregatorPair(LLMContext(), user_params=params)


def judge() -> Answers:
    """Return a classifier that is never asked."""
    return Answers(lambda *_: 0.5)


def order(duplex: Duplex | FinishTurn) -> list[str]:
    """Return the names of a pipeline's processors, ends left out."""
    names = ("in", "stt", "llm", "tts", "out")
    parts: list[FrameProcessor] = [IdentityFilter(name=name) for name in names]  # type: ignore[no-untyped-call]
    source, stt, llm, tts, sink = parts
    pipeline = duplex.pipeline(source, stt, pair(), llm, tts, sink)
    return [p.name.split("#")[0] for p in pipeline.processors[1:-1]]


def test_duplex_puts_the_gate_first_and_the_judge_behind_the_recogniser() -> None:
    """The bot's own parts keep their order."""
    assert order(Duplex(judge())) == [
        "in", "SnrGate", "stt", "JevJudge", "LLMUserAggregator", "llm", "tts", "out",
        "LLMAssistantAggregator",
    ]  # fmt: skip


@pytest.mark.pipecat_1_13
def test_finish_turn_mutes_in_front_and_holds_behind_the_voice() -> None:
    """A microphone that is muted behind the gate would still open turns on echo."""
    assert order(FinishTurn(judge(), persist=False, llm=CaseModel())) == [
        "in", "MicGate", "SnrGate", "stt", "ReplyList", "LLMUserAggregator", "llm", "tts",
        "GateSink", "out", "LLMAssistantAggregator",
    ]  # fmt: skip


@pytest.mark.pipecat_1_13
def test_without_a_mic_gate_words_over_the_bot_are_heard() -> None:
    """Where echo cancellation is good, nothing is muted."""
    finish = FinishTurn(judge(), persist=False, mic_gate=False)
    assert "MicGate" not in order(finish)


class Browser(Stage):
    """A transport whose connection cancels echo."""


Browser.__module__ = "pipecat.transports.smallwebrtc.transport"


@pytest.mark.pipecat_1_13
@pytest.mark.parametrize(("transport", "muted"), [(Stage, True), (Browser, False), (None, True)])
def test_the_transport_decides_whether_the_microphone_is_muted(
    transport: type[Stage] | None, muted: bool
) -> None:
    """A bot that hears itself talks for ever; a muted one loses words that it could have heard."""
    bot = FinishTurn(judge(), persist=False, transport=transport(iter(())) if transport else None)
    assert ("MicGate" in order(bot)) is muted


@pytest.mark.parametrize(
    ("params", "name"),
    [
        (
            LLMUserAggregatorParams(user_turn_strategies=UserTurnStrategies()),
            "user_turn_strategies",
        ),
        (LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer()), "vad_analyzer"),
    ],
)
def test_an_aggregator_that_takes_turns_itself_is_refused(
    params: LLMUserAggregatorParams, name: str
) -> None:
    """Two that take turns answer twice, or not at all; the message names the parameter."""
    with pytest.raises(ConfigError, match=name):
        check_aggregator(pair(params).user())


def test_barge_in_beside_a_muted_microphone_is_refused() -> None:
    """A person who is not heard cannot interrupt."""
    with pytest.raises(ConfigError, match="a muted microphone cannot barge in"):
        check_mixture([MicGate(), JevJudge(judge())])


@pytest.mark.parametrize("part", [MicGate, lambda: Pipeline([MicGate()])])
def test_a_bot_with_barge_in_is_not_built_with_a_muted_microphone(
    part: Callable[[], FrameProcessor],
) -> None:
    """Whoever adds one to their recogniser reads why, and does not find out in a call."""
    llm, tts, sink = (IdentityFilter() for _ in range(3))  # type: ignore[no-untyped-call]
    with pytest.raises(ConfigError, match="JevJudge and MicGate in one bot"):
        Duplex(judge()).pipeline(IdentityFilter(), part(), pair(), llm, tts, sink)  # type: ignore[no-untyped-call]


@pytest.mark.pipecat_1_13
def test_finish_turn_stores_that_it_speaks_before_it_is_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A reply that was heard and is not known to have been is made again after a crash."""
    stored: list[float] = []
    heard: list[float] = []
    apply = ReplyStore.apply

    async def slow(store: ReplyStore, effects: Any) -> None:
        await asyncio.sleep(0.5)
        await apply(store, effects)
        if any(isinstance(effect, TurnSpoke) for effect in effects):
            stored.append(asyncio.get_running_loop().time())

    monkeypatch.setattr(ReplyStore, "apply", slow)
    finish = FinishTurn(Answers(lambda name, _: 0.0 if name == "holding_floor" else 0.9),
                        persist=False, mic_gate=False)  # fmt: skip
    call = Bot(said(1, "what is an index"), finish.replies, 16, behind_voice=[finish.sink],
               on_audio=lambda at, _: heard.append(at))  # fmt: skip
    run(call.run())
    assert call.said == ["what is an index"]
    assert heard[0] >= stored[0]


def test_two_that_end_turns_are_refused() -> None:
    """The same words would reach the model twice."""
    with pytest.raises(ConfigError, match="both end turns"):
        check_mixture([ReplyList(judge(), persist=False), JevJudge(judge())])


def test_the_real_judge_is_taken_when_there_is_a_key() -> None:
    """A key in the environment is a wish."""
    chosen = classifier_from_environment({"TYPESAFE_API_KEY": "key"})
    assert isinstance(chosen, TypeSafeClassifier)


@pytest.mark.parametrize("env", [{}, {"TYPESAFE_API_KEY": "  "}])
def test_the_embedded_judge_is_taken_without_a_key(env: dict[str, str]) -> None:
    """White space is no key."""
    assert isinstance(classifier_from_environment(env), EmbeddedClassifier)
