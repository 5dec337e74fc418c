"""JevUserTurnStrategies given to an aggregator, in whole pipelines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pipecat.frames.frames import (
    InterruptionFrame,
    LLMFullResponseStartFrame,
    ServiceMetadataFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from support.bot import Answers, Bot, Step, final, heard, said
from support.sound import chunks, noise, pcm, voice

from jev_turn.play.cast import CaseVoice
from jev_turn.play.clock import run
from jev_turn.processors._pipecat import UserBackchannelFrame
from jev_turn.processors.snr_vad import SnrVADAnalyzer
from jev_turn.processors.user_turn_strategies import JevUserTurnStrategies

WORDS = "what is an index"
STORY = "A story."
STORY_S = 4.0


def finished(question: str, words: str) -> float:
    """Find everything finished and for the agent, and "uh-huh" a nod."""
    if question == "taking_floor" and words.startswith("uh"):
        return 0.03
    if question == "addressed_to_agent" and "Mark" in words:
        return 0.05
    return 0.0 if question == "holding_floor" else 0.95


def thinking(question: str, words: str) -> float:
    """Find a person thinking until they have named a month."""
    if "May" not in words and question in ("turn_complete", "holding_floor"):
        return 0.1 if question == "turn_complete" else 0.9
    return finished(question, words)


def call(
    steps: Sequence[Step],
    lasts: float = 5.0,
    answer: Callable[[str, str], float] = finished,
    **more: Any,
) -> Bot:
    """Run a bot that takes turns by the strategies."""
    strategies = JevUserTurnStrategies(Answers(answer))
    params = LLMUserAggregatorParams(
        user_turn_strategies=strategies, vad_analyzer=more.pop("vad", None)
    )
    voice = CaseVoice({STORY: STORY_S})
    return run(Bot(steps, None, lasts, params=params, voice=voice, **more).run())


def test_a_question_is_answered_once_and_soon() -> None:
    """The judge's verdict ends the turn; neither a watchdog nor a model does."""
    one = call(said(1, WORDS))
    assert (one.said, one.runs, one.interruptions) == ([WORDS], 1, 0)
    assert one.times(LLMFullResponseStartFrame)[0] == pytest.approx(2.6, abs=0.3)
    assert len(one.times(UserStartedSpeakingFrame)) == 1
    assert len(one.times(UserStoppedSpeakingFrame)) == 1


def test_a_pause_to_think_is_waited_for() -> None:
    """Longer than the aggregator's watchdog of five seconds, and in one message."""
    steps = [*said(1, "let me think"), *said(9.0, "it was in May", 0.9)]
    one = call(steps, 13, thinking)
    assert (one.said, one.runs) == (["let me think it was in May"], 1)


def test_a_nod_stops_nothing_and_stays_out_of_the_context() -> None:
    """It becomes a backchannel, and the words behind it are a turn of their own."""
    steps = [*said(1.0, "uh-huh", 0.3), *said(6.0, WORDS)]
    one = call(steps, 10, greeting=STORY)
    assert [f.text for _, f, _ in one.seen if isinstance(f, UserBackchannelFrame)] == ["uh-huh"]
    assert (one.interruptions, one.said) == (0, [WORDS])


def test_words_that_take_the_floor_interrupt_once() -> None:
    """And are answered."""
    one = call(said(1, "stop and tell me about birds"), 8, greeting=STORY)
    assert one.times(InterruptionFrame) == [pytest.approx(1.6, abs=0.6)]
    assert (one.said, one.runs) == (["stop and tell me about birds"], 1)


def test_side_talk_is_not_answered_nor_kept_for_later() -> None:
    """What was said to somebody else does not stand in front of the next question."""
    one = call([*said(1, "Mark dinner is ready"), *said(8, WORDS)], 13)
    assert (one.said, one.runs) == ([WORDS], 1)


def test_a_turn_that_is_ended_before_its_final_waits_for_it() -> None:
    """The aggregator knows finals only; without one there would be nothing to answer."""
    steps: list[Step] = [(1.0, heard(WORDS)), (5.0, final(WORDS))]
    one = call(steps, 8)
    assert one.said == [WORDS]
    assert one.times(LLMFullResponseStartFrame) == [pytest.approx(5.0, abs=0.3)]


def test_strategies_that_are_put_in_during_a_call_take_over() -> None:
    """As a ``ServiceMetadataFrame`` does it, behind the start of the pipeline."""
    strategies = JevUserTurnStrategies(Answers(finished))
    install = ServiceMetadataFrame(service_name="any", user_turn_strategies=strategies)
    params = LLMUserAggregatorParams()
    one = run(Bot([(0.5, install), *said(1, WORDS)], None, 5, params=params).run())
    assert (one.said, one.runs, one.interruptions) == ([WORDS], 1, 0)


def test_a_detector_in_the_same_aggregator_serves() -> None:
    """Its frames reach the strategies, and its stop does not wait for itself."""
    room = noise(300, 0.0005)
    sound = chunks(pcm(room, voice(400), *[room] * 6), 20)
    one = call([(0.9, final(WORDS))], 3, vad=SnrVADAnalyzer(), sound=sound)
    assert (one.said, one.runs) == ([WORDS], 1)
    assert len(one.times(UserStoppedSpeakingFrame)) == 1
