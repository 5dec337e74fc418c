"""Question and policy files for tests, and the error that a wrong one must raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from jev_turn.errors import PolicyFileError


def markdown(block: object) -> str:
    """A file with prose around one block."""
    return f"# Title\n\nProse.\n\n```json\n{json.dumps(block)}\n```\n\nMore prose.\n"


def question(**changes: Any) -> dict[str, Any]:
    """A right question block with changes; ``None`` takes a key away."""
    block: dict[str, Any] = {
        "id": "turn_complete",
        "type": "noul",
        "version": 1,
        "threshold": "turn.eos_threshold",
        "instructions": {
            "question": "Does `current_user_transcript` end?",
            "examples": [{"current_user_transcript": "bye", "answer": "yes"}],
        },
        "criteria": {"true": "It ends.", "false": "It goes on."},
    }
    return {key: value for key, value in {**block, **changes}.items() if value is not None}


def refusal(call: Callable[[], object]) -> PolicyFileError:
    """The error of a call that must be refused."""
    with pytest.raises(PolicyFileError) as caught:
        call()
    return caught.value
