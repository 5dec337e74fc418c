"""The public complaints, played through the whole bot. They lie beside the project, not in it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from jev_turn.play.command import Options, play_file
from jev_turn.policy import load_policy

HERE = Path(__file__).parent
COMPLAINTS = Path(__file__).parents[2].parent / "shared/cases/complaints.json"
IDEAL = f"recorded:{HERE / 'ideal_verdicts.json'}"

pytestmark = [
    pytest.mark.bots,
    pytest.mark.skipif(not COMPLAINTS.exists(), reason="the complaints are not beside the project"),
]


def played(judge: str, lag_s: float) -> tuple[int, str]:
    """Play every complaint; return how many failed, and what was printed."""
    out = io.StringIO()
    options = Options(judge, lag_s, 0.15, "", False, load_policy(env={}))
    failed = play_file(COMPLAINTS, options, Console(file=out, width=200))
    return failed, out.getvalue()


@pytest.mark.parametrize("lag_s", [0.1, 0.3, 0.5])
def test_with_ideal_verdicts_every_complaint_is_right(lag_s: float) -> None:
    """The machine is right for a judge that is, however slow the recogniser is."""
    failed, printed = played(IDEAL, lag_s)
    assert failed == 0, printed


def test_with_the_embedded_judge_most_complaints_are_right() -> None:
    """Eleven of fourteen, and no word lost or doubled in any of them."""
    failed, printed = played("embedded", 0.3)
    assert failed <= 3, printed
    assert "lost:" not in printed
    assert "doubled:" not in printed
