"""How `bots/local.py` starts, on any machine: what is wrong is found before sound is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.running_bot import KEYS, ROOT

pytestmark = pytest.mark.bots


def test_a_broken_key_in_the_env_file_of_the_working_directory_stops_it(tmp_path: Path) -> None:
    """The `.env` of the folder that the bot is started in counts, wherever the bot's file is."""
    (tmp_path / ".env").write_text('OPENAI_API_KEY="sk-never seen"\n')
    env = {name: value for name, value in os.environ.items() if name not in KEYS}
    done = subprocess.run(
        [sys.executable, str(ROOT / "bots/local.py")],
        cwd=tmp_path,
        env=env | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("OPENAI_API_KEY is no key: ")
    assert "never" not in done.stderr
