"""The bot that `jev-turn new` writes."""

from __future__ import annotations

from pathlib import Path
from urllib.request import urlopen

import pytest
from support.running_bot import ROOT, running_bot
from typer.testing import CliRunner

from jev_turn.cli import app
from jev_turn.errors import ConfigError
from jev_turn.page.mount import source
from jev_turn.template import Kind, write_bot

NEW: list[tuple[Kind, str]] = [("duplex", "duplex.py"), ("finish-turn", "finish_turn.py")]


@pytest.mark.parametrize(("kind", "file"), NEW)
def test_a_new_bot_is_the_projects_own(kind: Kind, file: str, tmp_path: Path) -> None:
    """What is written is what is tested here, and the command says how to run it."""
    mine = tmp_path / "my_bot.py"
    done = CliRunner().invoke(app, ["new", kind, str(mine)])
    assert done.exit_code == 0, done.output
    ours = (ROOT / "bots" / file).read_text()
    assert mine.read_text().split('"""', 2)[2] == ours.split('"""', 2)[2]
    assert "bots/" in ours and "bots/" not in mine.read_text() and "make" not in mine.read_text()
    assert "python" in done.output and "my_bot.py" in done.output.replace("\n", "")


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    """Whoever runs it twice keeps what they have changed."""
    mine = tmp_path / "my_bot.py"
    mine.write_text("mine")
    with pytest.raises(ConfigError, match="exists"):
        write_bot("duplex", mine)
    assert mine.read_text() == "mine"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The error names the file and says why."""
    with pytest.raises(ConfigError, match="nowhere.*No such file"):
        write_bot("duplex", tmp_path / "nowhere" / "bot.py")


@pytest.mark.bots
@pytest.mark.parametrize(("kind", "file"), NEW)
def test_a_new_bot_runs_as_it_is(kind: Kind, file: str, tmp_path: Path) -> None:
    """In any folder, it starts, serves its page and takes keys from the `.env` there."""
    mine = tmp_path / "my_bot.py"
    write_bot(kind, mine)
    (tmp_path / ".env").write_text("DEEPGRAM_API_KEY=none\n")
    with running_bot(mine, tmp_path) as running, urlopen(running.url, timeout=10) as answer:
        assert answer.read().decode() == source(barge_in=kind == "duplex")
        assert "recogniser: Deepgram, model: embedded" in running.log.read_text()
