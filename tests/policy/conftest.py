"""Folders and files that a test may spoil."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.policy_files import markdown

from jev_turn.policy import QUESTIONS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the packaged folder, to be spoilt."""
    copy = tmp_path / "questions"
    shutil.copytree(QUESTIONS, copy)
    return copy


@pytest.fixture
def own(tmp_path: Path) -> Callable[..., Path]:
    """Writes a bot's own policy file."""

    def write(values: dict[str, object], **tables: object) -> Path:
        path = tmp_path / "own.md"
        path.write_text(markdown({"schema": 1, "values": values, **tables}))
        return path

    return write
