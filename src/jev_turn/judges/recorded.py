"""Verdicts from a file: a function of the question, the agent's words and the user's words."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierError,
    ClassifierQuestion,
    ClassifierResult,
    YesNoResult,
)

from jev_turn.errors import PolicyFileError, UnreadableVerdict
from jev_turn.policy import QUESTION_IDS
from jev_turn.turn.verdict import probability

if TYPE_CHECKING:
    # Pipecat 1.13 and later.
    from pipecat.classifiers.base_classifier import ClassifierImage


@dataclass(frozen=True, slots=True)
class Rule:
    """Probabilities for everything that matches.

    Attributes:
        agent: Must match all of the agent's words; ``None`` matches any.
        user: Must match all of the user's words.
        answers: Probability by question; other questions are left to later rules.
    """

    agent: re.Pattern[str] | None
    user: re.Pattern[str]
    answers: Mapping[str, float]

    def matches(self, agent: str, user: str) -> bool:
        """Tell whether both texts, normalised, match whole."""
        return (self.agent is None or self.agent.fullmatch(agent) is not None) and (
            self.user.fullmatch(user) is not None
        )


class RecordedClassifier(BaseClassifier):
    """Answers by the first rule that matches and knows the question.

    Patterns see ``normalised`` text. The agent's words are its current speech, heard or not, and
    while it is silent its last message.

    Args:
        path: A JSON file: ``{"schema": 1, "model": "...", "rules": [{"agent": "...", "user":
            "...", "turn_complete": 0.9, ...}, ...]}``, ``agent`` optional.
        latency_ms: How long an answer takes, ms >= 0.
        **kwargs: For ``BaseClassifier``.

    Raises:
        PolicyFileError: If the file cannot be read or says anything else.
    """

    def __init__(self, path: Path | str, *, latency_ms: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        self._path = Path(path)
        self._latency_ms = latency_ms
        self._model, self._rules = _load(self._path)

    @property
    def model(self) -> str:
        """The name in the file."""
        return self._model

    async def _ask(
        self,
        state: str | dict[str, Any] | list[Any],
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[ClassifierImage] = (),
    ) -> tuple[dict[str, ClassifierResult], None]:
        if not isinstance(state, dict):
            raise ClassifierError(f"{self._path}: the state must be an object")
        agent, user = agent_words(state), normalised(state.get("current_user_transcript"))
        if self._latency_ms:
            await asyncio.sleep(self._latency_ms / 1000)
        return {name: self._answer(name, agent, user) for name in questions}, None

    def _answer(self, question: str, agent: str, user: str) -> YesNoResult:
        for rule in self._rules:
            if question in rule.answers and rule.matches(agent, user):
                return YesNoResult(probability=rule.answers[question])
        raise ClassifierError(f"{self._path}: no rule for {question!r} matches these words")


def agent_words(state: Mapping[str, Any]) -> str:
    """Return the agent's words that a rule is matched against, normalised."""
    speech = state.get("assistant_current_speech")
    if isinstance(speech, Mapping):
        return normalised(f"{speech.get('heard', '')} {speech.get('not_heard', '')}")
    return normalised(state.get("assistant_last_message"))


def normalised(text: object) -> str:
    """Lower case, apostrophes gone, other punctuation as spaces, single spaces."""
    if not isinstance(text, str):
        return ""
    joined = re.sub("['\u2019]", "", text.casefold())
    return " ".join(re.sub(r"[\W_]+", " ", joined).split())


def _load(path: Path) -> tuple[str, tuple[Rule, ...]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PolicyFileError(str(path), "", type(error).__name__, "readable JSON") from error
    if not isinstance(data, dict) or set(data) != {"schema", "model", "rules"}:
        raise PolicyFileError(str(path), "", _keys(data), "schema, model and rules were expected")
    if data["schema"] != 1:
        raise PolicyFileError(str(path), "schema", data["schema"], "1 was expected")
    if not isinstance(data["model"], str) or not isinstance(data["rules"], list):
        raise PolicyFileError(str(path), "model", data["model"], "text, and a list of rules")
    rules = (_rule(rule, str(path), f"rules[{n}]") for n, rule in enumerate(data["rules"]))
    return data["model"], tuple(rules)


def _rule(data: object, source: str, key: str) -> Rule:
    if not isinstance(data, dict) or "user" not in data:
        raise PolicyFileError(source, key, _keys(data), "an object with 'user' was expected")
    answers = {name: value for name, value in data.items() if name not in ("agent", "user")}
    for name, value in answers.items():
        if name not in QUESTION_IDS:
            raise PolicyFileError(source, f"{key}.{name}", value, "no such question")
        try:
            probability(value, name)
        except UnreadableVerdict:
            raise PolicyFileError(source, f"{key}.{name}", value, "0 to 1 was expected") from None
    agent = data.get("agent")
    return Rule(
        agent=None if agent is None else _pattern(agent, source, f"{key}.agent"),
        user=_pattern(data["user"], source, f"{key}.user"),
        answers=answers,
    )


def _pattern(text: object, source: str, key: str) -> re.Pattern[str]:
    try:
        return re.compile(text) if isinstance(text, str) else _refuse(text, source, key)
    except re.error as error:
        raise PolicyFileError(source, key, text, str(error)) from None


def _refuse(value: object, source: str, key: str) -> re.Pattern[str]:
    raise PolicyFileError(source, key, value, "a regular expression was expected")


def _keys(data: object) -> object:
    return sorted(data) if isinstance(data, dict) else type(data).__name__
