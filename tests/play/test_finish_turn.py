"""Cases of finish-turn, played through the whole bot: cuts, discards, echo, the gate, restarts."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from jev_turn.play.command import Options, play_file
from jev_turn.policy import load_policy

HERE = Path(__file__).parent
JUDGE = f"recorded:{HERE / 'finish_turn_verdicts.json'}"

pytestmark = pytest.mark.bots


@pytest.mark.parametrize("lag_s", [0.3])
def test_every_case_of_finish_turn_is_right(lag_s: float) -> None:
    """Nothing is lost, doubled, interrupted or spoken over the person, restarts included."""
    out = io.StringIO()
    options = Options(JUDGE, lag_s, 0.15, "", False, load_policy(env={}), "finish-turn")
    console = Console(file=out, width=200)
    failed = play_file(HERE / "finish_turn_cases.json", options, console)
    assert failed == 0, out.getvalue()
    assert "16 cases: 16 passed" in out.getvalue()
