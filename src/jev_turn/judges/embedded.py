"""A small judge that lives in the package: no key, no network, six fixed questions, English."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from loguru import logger
from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierError,
    ClassifierQuestion,
    ClassifierResult,
    YesNoQuestion,
    YesNoResult,
)
from pipecat.metrics.metrics import LLMTokenUsage

from jev_turn.errors import ConfigError
from jev_turn.judges.bundles import PackagedQuestion, as_yes_no
from jev_turn.judges.embedded_text import encode
from jev_turn.judges.wordpiece import WordPiece
from jev_turn.policy import load_questions

if TYPE_CHECKING:
    # Pipecat 1.13 and later.
    from pipecat.classifiers.base_classifier import ClassifierImage

WEIGHTS = Path(__file__).parent / "weights"
SCHEMA = 1


class DamagedWeights(ConfigError):
    """A file of the embedded judge is missing, changed, or made for another version."""


class EmbeddedClassifier(BaseClassifier):
    """Answers the packaged questions with a small network on this machine, in a few milliseconds.

    It reads ``current_user_transcript`` and what the agent said: ``heard`` of
    ``assistant_current_speech`` while the agent speaks, else ``assistant_last_message``. It knows
    no other question and says so; ``model`` names it, so that nobody takes it for Jev. An ask
    blocks the event loop for as long as the network runs.

    Args:
        weights: Folder of the network's files; every one is checked against its checksum.
        questions: The question files' texts by id; the packaged ones if not given.
        language: What the recogniser writes. The network was trained on English: for another
            language it warns, and every ask fails, so that the rule for silence applies.
        **kwargs: For Pipecat's base class.

    Raises:
        DamagedWeights: If a file is not the one that the package was made with.
        ConfigError: If the runtime is not installed.
    """

    def __init__(
        self,
        *,
        weights: Path = WEIGHTS,
        questions: Mapping[str, YesNoQuestion | PackagedQuestion] | None = None,
        language: str = "en",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        meta = read_meta(weights)
        self._model: str = meta["model"]
        self._outputs: tuple[str, ...] = tuple(meta["outputs"])
        known = load_questions() if questions is None else questions
        self._known = {name: as_yes_no(known[name]) for name in self._outputs if name in known}
        self._pieces = WordPiece.load(weights / "vocab.txt")
        self._session = _session(weights / "model.onnx")
        self._foreign = "" if is_english(language) else str(language)
        if self._foreign:
            logger.warning(
                f"{self._model} was trained on English and gives no verdicts for "
                f"{self._foreign!r}: turns end by the silence rule"
            )

    @property
    def model(self) -> str:
        """The network's name."""
        return self._model

    async def _ask(
        self,
        state: str | dict[str, Any] | list[Any],
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[ClassifierImage] = (),
    ) -> tuple[dict[str, ClassifierResult], LLMTokenUsage | None]:
        if self._foreign:
            raise ClassifierError(f"{self._model} knows English only, not {self._foreign!r}")
        for name, question in questions.items():
            self._check(name, question)
        agent, user = read_state(state)
        found = dict(zip(self._outputs, self.probabilities(agent, user), strict=True))
        return {name: YesNoResult(probability=found[name]) for name in questions}, None

    def probabilities(self, agent: str, user: str) -> list[float]:
        """Return one probability per output for what the agent and the user said."""
        ids, segments = encode(self._pieces, agent, user)
        inputs = {"ids": np.array([ids]), "segments": np.array([segments])}
        row = self._session.run(None, inputs)[0][0]
        return [min(1.0, max(0.0, float(value))) for value in row]

    def _check(self, name: str, question: ClassifierQuestion) -> None:
        if name not in self._known:
            raise ClassifierError(f"{self._model} was not trained on the question {name!r}")
        if question != self._known[name]:
            raise ClassifierError(f"{self._model}: {name!r} is not worded as in the package")


def read_state(state: str | dict[str, Any] | list[Any]) -> tuple[str, str]:
    """Return the agent's and the user's words.

    Raises:
        ClassifierError: If the state has no words of the user.
    """
    if not isinstance(state, dict) or not isinstance(state.get("current_user_transcript"), str):
        raise ClassifierError("the state has no text under 'current_user_transcript'")
    speech = state.get("assistant_current_speech")
    heard = speech.get("heard") if isinstance(speech, dict) else None
    agent = heard or state.get("assistant_last_message") or ""
    if not isinstance(agent, str):
        raise ClassifierError("the agent's words are not text")
    user = state["current_user_transcript"]
    if not any(char.isalnum() for char in user):
        raise ClassifierError("the user's transcript has no words")
    return agent, user


def is_english(language: str) -> bool:
    """Tell whether a language code (``en``, ``en-GB``, ``en_us``) means English."""
    return str(language).lower().replace("_", "-").split("-")[0] in ("en", "eng", "english")


def read_meta(weights: Path) -> dict[str, Any]:
    """Return ``meta.json`` after checking the other files against it.

    Raises:
        DamagedWeights: Naming the file.
    """
    path = weights / "meta.json"
    try:
        meta: dict[str, Any] = json.loads(path.read_bytes())
        sums: dict[str, str] = meta["sha256"]
        if meta["schema"] != SCHEMA:
            raise DamagedWeights(f"{path}: schema {meta['schema']!r}, expected {SCHEMA}")
        for name, expected in sums.items():
            found = hashlib.sha256((weights / name).read_bytes()).hexdigest()
            if found != expected:
                raise DamagedWeights(f"{weights / name}: sha256 is {found}, expected {expected}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedWeights(f"{path}: cannot be read: {error}") from error
    return meta


def _session(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise ConfigError(
            "the embedded judge needs onnxruntime: pip install 'pipecat-jev-turn[embedded]'"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
