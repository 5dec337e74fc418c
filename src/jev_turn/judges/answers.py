"""Reads a classifier's answers, and refuses all that is not a probability for each question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipecat.classifiers.base_classifier import YesNoResult

from jev_turn.errors import UnreadableVerdict
from jev_turn.turn.verdict import probability

Probabilities = dict[str, float]
"""By question."""


def read_answers(answers: object, asked: Iterable[str]) -> Probabilities:
    """Return the probabilities in ``answers``; answers that nobody asked for are ignored.

    Args:
        answers: What ``BaseClassifier.ask`` returned.
        asked: Ids of the questions.

    Raises:
        UnreadableVerdict: For anything but one probability per question.
    """
    if not isinstance(answers, Mapping):
        raise UnreadableVerdict(f"{type(answers).__name__} instead of answers by question")
    return {name: _value(answers.get(name), name) for name in asked}


def _value(answer: object, name: str) -> float:
    if not isinstance(answer, YesNoResult):
        raise UnreadableVerdict(f"{name}: {type(answer).__name__} is not a yes or no")
    return probability(answer.probability, name)
