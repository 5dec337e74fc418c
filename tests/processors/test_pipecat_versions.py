"""What differs between the versions of Pipecat that are supported."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import LLMContextFrame
from support.bot import Answers, Bot, said

from jev_turn.errors import ConfigError
from jev_turn.play.clock import run
from jev_turn.processors import gate_sink
from jev_turn.processors._pipecat import LLMContextUserTurnFrame
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.mic_gate import MicGate


def finished(question: str, words: str) -> float:
    """Find everything finished and for the agent."""
    return 0.0 if question == "holding_floor" else 0.95


def test_a_turn_is_announced_once_and_before_its_context() -> None:
    """The judge's history, and whoever counts turns, hear of it in the order of the context."""
    judge = JevJudge(Answers(finished))
    call = run(Bot(said(1, "what is an index"), judge, 4, before=[MicGate()]).run())
    kinds = [type(f) for _, f, _ in call.seen
             if isinstance(f, LLMContextUserTurnFrame | LLMContextFrame)]  # fmt: skip
    down = [f.text for _, f, way in call.seen if isinstance(f, LLMContextUserTurnFrame)
            and way.name == "DOWNSTREAM"]  # fmt: skip
    assert down == ["what is an index"]
    assert kinds[-1] is LLMContextFrame
    assert ("user", "what is an index") in judge._agent.history


def test_a_gate_on_the_mouth_is_refused_where_a_reply_without_words_has_no_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On Pipecat 1.12 tools that wait for that end would never run."""
    monkeypatch.setattr(gate_sink, "IS_1_12", True)
    with pytest.raises(ConfigError, match=r"Pipecat 1\.13"):
        gate_sink.GateSink(Answers(finished))
