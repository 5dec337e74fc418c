"""Who judges the demo, and what is said about it."""

from __future__ import annotations

import pytest
from pipecat.classifiers.base_classifier import ClassifierError

from jev_turn.demo import judge
from jev_turn.demo.judge import NoJudge, choose
from jev_turn.errors import ConfigError
from jev_turn.judges import embedded
from jev_turn.judges.embedded import DamagedWeights, EmbeddedClassifier
from jev_turn.judges.typesafe import TypeSafeClassifier

KEY = {"TYPESAFE_API_KEY": "k"}


def _damaged(*_: object, **__: object) -> None:
    raise DamagedWeights("weights/model.onnx: sha256 is wrong")


def test_a_key_chooses_jev() -> None:
    """The real judge, whenever it can be had; it needs real time."""
    choice = choose(None, KEY)
    assert isinstance(choice.make(), TypeSafeClassifier) and choice.over_network
    assert "jev-1.13.0" in choice.said and "TYPESAFE_API_KEY is set" in choice.said


def test_without_a_key_the_embedded_judge_is_taken() -> None:
    """An empty key is none."""
    choice = choose(None, {"TYPESAFE_API_KEY": " "})
    assert isinstance(choice.make(), EmbeddedClassifier) and not choice.over_network
    assert "embedded" in choice.said and "not set" in choice.said


def test_without_weights_the_silence_rule_is_said_to_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody takes silence for a judge: one line says so, and why."""
    monkeypatch.setattr(embedded, "EmbeddedClassifier", _damaged)
    choice = choose(None, {})
    assert choice.make is NoJudge
    assert "silence rule" in choice.said and "sha256" in choice.said


def test_a_judge_that_was_asked_for_is_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by name, it is had or it is an error."""
    monkeypatch.setattr(embedded, "EmbeddedClassifier", _damaged)
    with pytest.raises(ConfigError, match="--judge embedded: .*sha256"):
        choose("embedded", KEY)
    with pytest.raises(ConfigError, match="TYPESAFE_API_KEY"):
        choose("typesafe", {})


def test_an_unknown_judge_is_an_error_that_lists_the_known_ones() -> None:
    """As for every option."""
    with pytest.raises(ConfigError, match=f"'x': one of {', '.join(judge.NAMES)}"):
        choose("x", {})


async def test_silence_never_gives_a_verdict() -> None:
    """It is an error each time, which is what makes the silence rule apply."""
    with pytest.raises(ClassifierError):
        await choose("silence").make().ask("", {})
