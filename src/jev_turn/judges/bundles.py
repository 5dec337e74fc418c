"""Which questions go together in one request, and the form that classifiers take them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pipecat.classifiers.base_classifier import YesNoQuestion

from jev_turn.errors import ConfigError

Ids = Mapping[str, tuple[str, ...]]
Bundles = Mapping[str, Mapping[str, YesNoQuestion]]

TURN: Ids = {
    "listening": ("turn_complete", "holding_floor", "addressed_to_agent"),
    "speaking": ("turn_complete", "holding_floor", "addressed_to_agent", "taking_floor"),
}
"""The turn machine's."""

SPECULATING: Ids = {**TURN, "listening": (*TURN["listening"], "enough_to_answer")}
"""The turn machine's where a reply may be begun before the end of the turn."""

EAR: Ids = {"ear": ("enough_to_answer", "holding_floor")}
"""The reply list's."""

MOUTH: Ids = {"mouth": ("turn_finished",)}
"""The gate's on the mouth."""


class PackagedQuestion(Protocol):
    """A question as a question file gives it."""

    def body(self) -> dict[str, Any]:
        """What of it reaches the model: ``instructions`` and ``criteria``."""


def as_yes_no(question: YesNoQuestion | PackagedQuestion) -> YesNoQuestion:
    """Return ``question`` in Pipecat's form, its text untouched."""
    if isinstance(question, YesNoQuestion):
        return question
    body = question.body()
    criteria = body.get("criteria") or {}
    return YesNoQuestion(
        instructions=body["instructions"], yes=criteria.get("true"), no=criteria.get("false")
    )


def bundled(questions: Mapping[str, YesNoQuestion | PackagedQuestion], bundles: Ids) -> Bundles:
    """Return the questions of each bundle, ready to be asked.

    Args:
        questions: By id; more of them than the bundles need do no harm.
        bundles: The ids that go together, by the bundle's name.

    Raises:
        ConfigError: If a bundle lacks a question.
    """
    ready: dict[str, dict[str, YesNoQuestion]] = {}
    for bundle, ids in bundles.items():
        missing = [name for name in ids if name not in questions]
        if missing:
            raise ConfigError(f"bundle {bundle!r} lacks the question {', '.join(missing)}")
        ready[bundle] = {name: as_yes_no(questions[name]) for name in ids}
    return ready
