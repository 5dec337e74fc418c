"""The scripted example without barge-in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.bots
@pytest.mark.speech
def test_the_bot_without_barge_in_answers_its_caller() -> None:
    """It runs as it is, in real time and without a key, and prints the conversation."""
    done = subprocess.run(
        [sys.executable, ROOT / "bots/demo_finish_turn.py"],
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    roles = [line.split(":")[0].strip() for line in done.stdout.splitlines()]
    assert roles.count("user") >= 2 and roles.count("assistant") >= 2
    assert "eight euros" in done.stdout
