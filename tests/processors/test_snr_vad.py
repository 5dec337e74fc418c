"""SnrVADAnalyzer where Pipecat has a place for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import (
    SpeechControlParamsFrame,
    VADParamsUpdateFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.audio.vad_processor import VADProcessor
from support.bot import Answers, Bot, Step, final
from support.sound import RATE, chunks, noise, pcm, voice

from jev_turn.errors import ConfigError
from jev_turn.play.clock import run
from jev_turn.policy import load_policy
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_vad import SnrVADAnalyzer

ROOM = noise(300, 0.0005)
ONSET = 0.3
SPEECH = chunks(pcm(ROOM, voice(400), ROOM, ROOM), 20)
PLACES: dict[str, Callable[[SnrVADAnalyzer], dict[str, Any]]] = {
    "processor": lambda analyzer: {"before": [VADProcessor(vad_analyzer=analyzer)]},
    "aggregator": lambda analyzer: {"params": LLMUserAggregatorParams(vad_analyzer=analyzer)},
}


def finished(question: str, words: str) -> float:
    """Find everything finished and for the agent."""
    return 0.0 if question == "holding_floor" else 0.95


def call(place: str, steps: list[Step], analyzer: SnrVADAnalyzer | None = None) -> Bot:
    """Run a bot that hears by the analyzer."""
    more = PLACES[place](analyzer or SnrVADAnalyzer())
    return run(Bot(steps, JevJudge(Answers(finished)), 3, sound=SPEECH, **more).run())


@pytest.mark.parametrize("place", PLACES)
def test_it_opens_as_early_as_the_gate_and_the_words_are_answered(place: str) -> None:
    """In about a tenth of a second, and with the hold and the hangover that it really took."""
    one = call(place, [(0.9, final("what is an index"))])
    (start,) = [(at, f) for at, f, _ in one.seen if isinstance(f, VADUserStartedSpeakingFrame)][:1]
    (stop,) = [(at, f) for at, f, _ in one.seen if isinstance(f, VADUserStoppedSpeakingFrame)][:1]
    assert 0.1 <= start[0] - ONSET <= 0.16
    assert start[1].start_secs == load_policy().gate().hold_ms / 1000
    assert stop[1].stop_secs == load_policy().gate().stop_ms / 1000
    assert (one.said, one.runs) == (["what is an index"], 1)


def test_its_settings_change_as_any_analyzers_do() -> None:
    """``VADParams`` carry the hold and the hangover; what else is in them has no meaning here."""
    slow = VADParamsUpdateFrame(params=VADParams(start_secs=0.3, stop_secs=0.4, min_volume=0.9))
    one = call("aggregator", [(0.05, slow)])
    assert one.times(VADUserStartedSpeakingFrame)[0] - ONSET == pytest.approx(0.3, abs=0.05)
    told = [f.vad_params for _, f, _ in one.seen if isinstance(f, SpeechControlParamsFrame)]
    assert told[-1] is not None and told[-1].stop_secs == 0.4


def test_its_own_settings_are_the_policys_by_name() -> None:
    """A config that the application built is the one in force."""
    config = replace(load_policy().gate(), hold_ms=200, hold_max_ms=200)
    one = call("aggregator", [], SnrVADAnalyzer(config))
    assert one.times(VADUserStartedSpeakingFrame)[0] - ONSET == pytest.approx(0.2, abs=0.05)


def test_a_rate_that_it_cannot_read_is_refused() -> None:
    """Silence for ever would look like a person who says nothing."""
    with pytest.raises(ConfigError, match="44100 Hz"):
        SnrVADAnalyzer().set_sample_rate(44_100)
    SnrVADAnalyzer(sample_rate=RATE).set_sample_rate(44_100)
