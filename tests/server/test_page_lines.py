"""The page of `jev-turn serve`, which fits the bot that is served."""

from __future__ import annotations

from pathlib import Path
from urllib.request import urlopen

import pytest
from support.running_bot import ROOT
from support.served import Served

from jev_turn.page.mount import source
from jev_turn.template import write_bot


def page_of(bot: Path, folder: Path) -> str:
    """Return the page that the server of a bot shows."""
    server = Served(folder, bot)
    try:
        with urlopen(f"http://{server.host}/", timeout=10) as answer:
            return str(answer.read().decode())
    finally:
        server.stop()


@pytest.mark.bots
def test_a_bot_with_barge_in_is_asked_to_stop(tmp_path: Path) -> None:
    """As when its file is run by itself."""
    assert page_of(ROOT / "bots" / "duplex.py", tmp_path) == source()


@pytest.mark.bots
def test_a_bot_without_barge_in_has_lines_that_it_can_follow(tmp_path: Path) -> None:
    """A bot that `jev-turn new` wrote says itself that nothing interrupts it."""
    mine = tmp_path / "my_bot.py"
    write_bot("finish-turn", mine)
    assert page_of(mine, tmp_path) == source(barge_in=False)


@pytest.mark.bots
def test_a_number_of_that_name_is_the_bots_own(tmp_path: Path) -> None:
    """Only `BARGE_IN = False` asks for other lines; a bot may have a threshold of that name."""
    mine = tmp_path / "my_bot.py"
    mine.write_text("BARGE_IN = 0\n\n\nasync def bot(runner_args): ...\n")
    assert page_of(mine, tmp_path) == source()
