"""What the terminal is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from loguru import logger

from jev_turn.page import announce, lines
from jev_turn.page.announce import wants_browser, welcome


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder without a `.env`."""
    monkeypatch.chdir(tmp_path)


def test_the_terminal_is_told_where_what_and_how() -> None:
    """The parts, the address and the six lines, in that order."""
    told = welcome("http://localhost:7/", env={})
    assert told.index("embedded (DEEPGRAM_API_KEY is not set)") < told.index("http://localhost:7/")
    assert [line for line in lines() if line not in told] == []


@pytest.mark.parametrize(
    ("env", "platform", "opens"),
    [
        ({"JEV_TURN_OPEN": "1", "DISPLAY": ":0"}, "linux", True),
        ({"JEV_TURN_OPEN": "1", "WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"JEV_TURN_OPEN": "1"}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", False),
        ({"JEV_TURN_OPEN": "1"}, "darwin", True),
        ({"JEV_TURN_OPEN": "0"}, "win32", False),
    ],
)
def test_a_browser_opens_when_asked_for_and_seen(
    env: dict[str, str], platform: str, opens: bool
) -> None:
    """Not unasked, and not where nobody would see it: a text browser would take the terminal."""
    assert wants_browser(env, platform) is opens


def test_what_people_say_stays_out_of_the_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the server runs, Pipecat's DEBUG lines, which hold words, are gone; warnings stay."""
    monkeypatch.delenv("LOGURU_LEVEL", raising=False)
    monkeypatch.setenv("PIPECAT_SETUP_FILES", "")
    app = FastAPI()
    announce(app)
    logger.add(sys.stderr, level="DEBUG")
    try:
        with TestClient(app):
            logger.debug("Transcription: [my secret]")
            logger.warning("a warning")
    finally:
        logger.remove()
    shown = capsys.readouterr()
    assert "Open http://localhost:7860/" in shown.out
    assert "secret" not in shown.err and "a warning" in shown.err


def test_a_wrong_setting_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line that names it, and not in front of the first caller."""
    monkeypatch.setenv("JEV_EOS_THRESHOLD", "often")
    with pytest.raises(SystemExit, match="JEV_EOS_THRESHOLD.*often"):
        announce(FastAPI())


def test_a_broken_key_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line that names the variable, not in front of the first caller, and never shown."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never\nshown")
    with pytest.raises(SystemExit, match="^jev-turn: OPENAI_API_KEY is no key") as caught:
        announce(FastAPI())
    assert "never" not in str(caught.value)
