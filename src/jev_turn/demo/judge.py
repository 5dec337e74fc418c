"""Chooses who judges the demo's calls, and says so in one line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierError,
    ClassifierQuestion,
    ClassifierResult,
)
from pipecat.metrics.metrics import LLMTokenUsage

from jev_turn.assembly import API_KEY_ENV
from jev_turn.errors import ConfigError

if TYPE_CHECKING:
    # Pipecat 1.13 and later.
    from pipecat.classifiers.base_classifier import ClassifierImage

NAMES = ("embedded", "typesafe", "silence")


class NoJudge(BaseClassifier):
    """Never answers, so that turns end by the silence rule alone."""

    @property
    def model(self) -> str:
        """What stands in the record for it."""
        return "silence-rule"

    async def _ask(
        self,
        state: str | dict[str, Any] | list[Any],
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[ClassifierImage] = (),
    ) -> tuple[dict[str, ClassifierResult], LLMTokenUsage | None]:
        raise ClassifierError("nobody judges in this call")


@dataclass(frozen=True, slots=True)
class Choice:
    """A judge.

    Attributes:
        make: Makes one for a call.
        said: Who it is and why, for the person who watches.
        over_network: Its answers take real time.
    """

    make: Callable[[], BaseClassifier]
    said: str
    over_network: bool = False


def choose(name: str | None, env: Mapping[str, str] | None = None) -> Choice:
    """Choose the judge.

    Args:
        name: One of ``NAMES``; ``None`` takes Jev with a key, else the embedded judge, else the
            silence rule.
        env: In place of the process environment.

    Raises:
        ConfigError: The name is unknown, or the judge that was asked for cannot be had.
    """
    env = os.environ if env is None else env
    has_key = bool(env.get(API_KEY_ENV, "").strip())
    if name == "typesafe" or (name is None and has_key):
        return _jev(env, "as asked" if name else f"{API_KEY_ENV} is set")
    if name == "silence":
        return Choice(NoJudge, "Judge: nobody, as asked. Turns end by the silence rule.")
    if name not in (None, "embedded"):
        raise ConfigError(f"--judge: {name!r}: one of {', '.join(NAMES)} was expected")
    try:
        return _embedded("as asked" if name else f"{API_KEY_ENV} is not set")
    except (ConfigError, ImportError) as error:
        if name is not None:
            raise ConfigError(f"--judge embedded: {error}") from error
        return Choice(
            NoJudge,
            f"Judge: nobody, turns end by the silence rule. {API_KEY_ENV} is not set; {error}",
        )


def _jev(env: Mapping[str, str], why: str) -> Choice:
    from jev_turn.judges.typesafe import TypeSafeClassifier

    model = TypeSafeClassifier(env=env).model
    said = f"Judge: {model}, over the network ({why}). Calls run in real time."
    return Choice(lambda: TypeSafeClassifier(env=env), said, over_network=True)


def _embedded(why: str) -> Choice:
    from jev_turn.judges.embedded import EmbeddedClassifier

    model = EmbeddedClassifier().model
    said = f"Judge: {model}, on this machine ({why})."
    return Choice(EmbeddedClassifier, said)
