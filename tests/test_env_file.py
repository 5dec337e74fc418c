"""Settings from a file `.env`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jev_turn.env_file import read_env_file

NAMES = ("JEV_ENV_FILE_ONE", "JEV_ENV_FILE_TWO")


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what a test sets forgotten."""
    for name in NAMES:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.mark.parametrize("folder", [".", "bots/mine"])
def test_the_nearest_file_above_is_read(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the working directory, not by where the package is installed; the environment wins."""
    (tmp_path / ".env").write_text("JEV_ENV_FILE_ONE=file\nJEV_ENV_FILE_TWO=file\n")
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / folder)
    monkeypatch.setenv("JEV_ENV_FILE_TWO", "environment")
    read_env_file()
    assert [os.environ[name] for name in NAMES] == ["file", "environment"]
