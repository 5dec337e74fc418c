"""The judge of a random call: it answers anything, late, wrongly or never.

What it answers depends on the script and on the words, and never on how often it was asked about
others: a call with fewer turns goes the same way.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierError,
    ClassifierQuestion,
    YesNoResult,
)

from jev_turn.play import soak_words
from jev_turn.play.soak_cast import Mood

if TYPE_CHECKING:
    # Pipecat 1.13 and later.
    from pipecat.classifiers.base_classifier import ClassifierImage

_SURE = {
    "turn_complete": 0.95,
    "holding_floor": 0.05,
    "addressed_to_agent": 0.95,
    "enough_to_answer": 0.9,
}
_MANNERS: dict[str, dict[str, float]] = {
    "ideal": {**_SURE, "taking_floor": 0.9},
    "nod": {**_SURE, "taking_floor": 0.03},
    "aside": {**_SURE, "addressed_to_agent": 0.05, "taking_floor": 0.6},
    "holding": {**_SURE, "turn_complete": 0.1, "holding_floor": 0.9, "taking_floor": 0.9},
    "incomplete": {**_SURE, "turn_complete": 0.5, "taking_floor": 0.9},
}
_IDEAL = dict.fromkeys(soak_words.NODS, "nod") | dict.fromkeys(soak_words.ASIDES, "aside")


class SoakJudge(BaseClassifier):
    """Answers anything, late, wrongly or never.

    Args:
        mood: Says which.
        seed: Of the answers that are drawn.
    """

    def __init__(self, mood: Mood, seed: str) -> None:
        super().__init__(name="SoakJudge")  # type: ignore[no-untyped-call]
        self._mood = mood
        self._seed = seed
        self._asked: Counter[str] = Counter()

    @property
    def model(self) -> str:
        """A name; no table of overrides knows it."""
        return "soak"

    async def _ask(
        self,
        state: str | dict[str, Any] | list[Any],
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[ClassifierImage] = (),
    ) -> tuple[Any, None]:
        manner, at_most = self._mood.judge, self._mood.judge_ms
        words = str(state["current_user_transcript"]) if isinstance(state, dict) else str(state)
        self._asked[words] += 1
        rng = Random(f"{self._seed}/{words}/{self._asked[words]}")
        await asyncio.sleep(rng.randint(0, at_most) / 1000 if manner != "never" else 600)
        if manner == "error":
            raise rng.choice((ClassifierError("away"), TimeoutError("late"), OSError("reset")))
        if manner == "garbage":
            return _garbage(rng, list(questions)), None
        return {
            name: YesNoResult(probability=_probability(rng, manner, name, words))
            for name in questions
        }, None


def _probability(rng: Random, manner: str, question: str, words: str) -> float:
    if manner == "ideal":
        manner = _IDEAL.get(words.strip(" .?!").casefold(), manner)
    if manner in _MANNERS:
        return _MANNERS[manner][question]
    return rng.choice((0.0, 1.0)) if manner == "flip" else round(rng.random(), 2)


def _garbage(rng: Random, questions: list[str]) -> Any:
    """Return an answer in which one thing is unreadable, or all of it."""
    answers: dict[str, Any] = {name: YesNoResult(probability=0.9) for name in questions}
    name = rng.choice(questions)
    bad: tuple[Any, ...] = (None, "yes", True, float("nan"), -0.1, 1.5)
    kind = rng.random()
    if kind < 0.2:
        return rng.choice((None, "", [], {}))
    if kind < 0.4:
        del answers[name]
    else:
        answers[name] = rng.choice(
            [YesNoResult.model_construct(probability=value) for value in bad] + [None, 0.9]
        )
    return answers
