"""A question file's block as a question: what reaches the judge, and nothing else does."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jev_turn.errors import PolicyFileError
from jev_turn.policy.block import read_block
from jev_turn.policy.load import QUESTIONS
from jev_turn.policy.schema import read_parts

QUESTION_IDS = (
    "turn_complete",
    "holding_floor",
    "addressed_to_agent",
    "taking_floor",
    "enough_to_answer",
    "turn_finished",
)
_KEYS = ("id", "type", "version", "threshold", "instructions", "criteria")
_CRITERIA = ("true", "false")
_ANSWERS = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Question:
    """One yes-or-no question to a judge.

    Attributes:
        id: Its name, the file's stem; it does not reach the judge.
        type: Always ``noul``, a probability of yes.
        version: Goes up whenever ``payload`` changes.
        threshold_key: Dotted policy key of the probability from which on it counts as yes.
        payload: What reaches the judge, as compact JSON.
        source: The file.
    """

    id: str
    type: str
    version: int
    threshold_key: str
    payload: str
    source: str

    @property
    def block(self) -> dict[str, Any]:
        """The raw question as ``typesafe-sdk`` takes it: type, instructions, criteria."""
        block: dict[str, Any] = json.loads(self.payload)
        return block

    def body(self) -> dict[str, Any]:
        """Return the arguments of the SDK's ``Noul``: instructions and criteria."""
        return {key: value for key, value in self.block.items() if key != "type"}

    @property
    def instructions(self) -> str | dict[str, Any]:
        """What is asked: text, or an object of ``question`` and ``examples``."""
        instructions: str | dict[str, Any] = self.block["instructions"]
        return instructions

    @property
    def text(self) -> str:
        """The question alone, without its examples."""
        asked = self.instructions
        return asked if isinstance(asked, str) else str(asked["question"])

    @property
    def examples(self) -> tuple[dict[str, Any], ...]:
        """The worked examples: state fields and the ``answer``."""
        asked = self.instructions
        return () if isinstance(asked, str) else tuple(asked.get("examples", ()))

    @property
    def criteria_true(self) -> str:
        """What counts as a yes."""
        return str(self.block["criteria"]["true"])

    @property
    def criteria_false(self) -> str:
        """What counts as a no."""
        return str(self.block["criteria"]["false"])

    @property
    def sha256(self) -> str:
        """Digest of ``payload``."""
        return hashlib.sha256(self.payload.encode()).hexdigest()


def load_questions(folder: Path | None = None) -> dict[str, Question]:
    """Load the six questions.

    Args:
        folder: Where their files are; the packaged ones if ``None``.

    Returns:
        The questions by id, in a fixed order.

    Raises:
        PolicyFileError: A file is missing, is no question of ours, or is wrong.
    """
    folder = QUESTIONS if folder is None else folder
    for path in sorted(folder.glob("*.md")):
        if path.stem not in (*QUESTION_IDS, "README", "policy"):
            known = ", ".join(QUESTION_IDS)
            raise PolicyFileError(str(path), "", path.stem, f"unknown question; known: {known}")
    return {name: load_question(folder / f"{name}.md") for name in QUESTION_IDS}


def load_question(path: Path) -> Question:
    """Load one question file.

    Args:
        path: The file; its stem is the question's id.

    Returns:
        The question.

    Raises:
        PolicyFileError: A key of its block is unknown, missing or has a wrong value.
    """
    source = str(path)
    block = read_parts("", read_block(path), source, _KEYS, _KEYS)
    if block["id"] != path.stem:
        raise PolicyFileError(
            source, "id", block["id"], f"expected {path.stem}, as the file's name"
        )
    if block["type"] != "noul":
        raise PolicyFileError(source, "type", block["type"], "expected noul")
    version = block["version"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise PolicyFileError(source, "version", version, "expected a whole number from 1 on")
    threshold = _text("threshold", block["threshold"], source)
    _check_instructions(block["instructions"], source)
    criteria = read_parts("criteria", block["criteria"], source, _CRITERIA, _CRITERIA)
    for key in _CRITERIA:
        _text(f"criteria.{key}", criteria[key], source)
    sent = {key: block[key] for key in ("type", "instructions", "criteria")}
    payload = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
    return Question(path.stem, "noul", version, threshold, payload, source)


def _check_instructions(raw: object, source: str) -> None:
    if isinstance(raw, str):
        _text("instructions", raw, source)
        return
    parts = read_parts("instructions", raw, source, ("question", "examples"), ("question",))
    _text("instructions.question", parts["question"], source)
    examples = parts.get("examples", [])
    if not isinstance(examples, list):
        raise PolicyFileError(source, "instructions.examples", examples, "expected a list")
    for number, example in enumerate(examples):
        _check_example(f"instructions.examples.{number}", example, source)


def _check_example(key: str, example: object, source: str) -> None:
    if not isinstance(example, dict):
        raise PolicyFileError(source, key, example, "expected a JSON object")
    if example.get("answer") not in _ANSWERS:
        raise PolicyFileError(source, f"{key}.answer", example.get("answer"), "expected yes or no")
    for name, value in example.items():
        parts = value.items() if isinstance(value, dict) else ((name, value),)
        for part, text in parts:
            if not isinstance(text, str):
                raise PolicyFileError(source, f"{key}.{part}", text, "expected text")


def _text(key: str, raw: object, source: str) -> str:
    if not isinstance(raw, str) or not raw.strip():
        raise PolicyFileError(source, key, raw, "expected text")
    return raw
