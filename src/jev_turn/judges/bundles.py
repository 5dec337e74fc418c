"""Which questions go together in one request, and the form that classifiers take them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pipecat.classifiers.base_classifier import YesNoQuestion

from jev_turn.errors import ConfigError
from jev_turn.turn.effects import Bundle

BUNDLES: dict[Bundle, tuple[str, ...]] = {
    "listening": ("turn_complete", "holding_floor", "addressed_to_agent"),
    "speaking": ("turn_complete", "holding_floor", "addressed_to_agent", "taking_floor"),
}


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


def bundled(
    questions: Mapping[str, YesNoQuestion | PackagedQuestion],
) -> dict[Bundle, dict[str, YesNoQuestion]]:
    """Return the questions of each bundle, ready to be asked.

    Args:
        questions: By id; more of them than the bundles need do no harm.

    Raises:
        ConfigError: If a bundle lacks a question.
    """
    ready: dict[Bundle, dict[str, YesNoQuestion]] = {}
    for bundle, ids in BUNDLES.items():
        missing = [name for name in ids if name not in questions]
        if missing:
            raise ConfigError(f"bundle {bundle!r} lacks the question {', '.join(missing)}")
        ready[bundle] = {name: as_yes_no(questions[name]) for name in ids}
    return ready
