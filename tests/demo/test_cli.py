"""The command line, without running a call."""

from __future__ import annotations

import subprocess
import sys

import pytest

from jev_turn import cli


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nonsense"], "--only: 'nonsense': one of question, "),
        (["--only", "question", "--wav", "call.wav"], "--only: 'question': --wav plays "),
        (["--set", "turn.cap=1"], "turn.cap"),
        (["--preset", "nonsense"], "nonsense"),
        (["--judge", "nonsense"], "--judge: 'nonsense': one of embedded, "),
        (["--wav", "/none.wav"], "/none.wav"),
    ],
)
def test_an_error_of_ours_is_one_line_and_exit_status_2(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It names the option and the value; no traceback."""
    monkeypatch.setattr(cli, "quiet_logs", lambda verbose: None)
    monkeypatch.setattr(sys, "argv", ["jev-turn", "demo", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    error = capsys.readouterr().err
    assert left.value.code == 2
    assert error.startswith("jev-turn: ") and message in error and error.count("\n") == 1


def test_help_is_quick() -> None:
    """The command line itself loads neither Pipecat nor numpy."""
    code = "import sys, jev_turn.cli; print(*{'pipecat', 'numpy', 'plotly'} & set(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert loaded.stdout.split() == []
