"""What the page tells a person when something is wrong, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.browser_call import Microphone, open_page, press, record
from support.chromium import browser
from support.running_bot import ROOT, Running, running_bot

pytestmark = [pytest.mark.browser, pytest.mark.bots]

PROBLEM = "document.querySelector('#problem').textContent"
STATE = "document.body.dataset.state"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """Run a bot."""
    with running_bot(ROOT / "bots/duplex.py", tmp_path) as bot:
        yield bot


@pytest.fixture(scope="module")
def quiet_room(tmp_path_factory: pytest.TempPathFactory) -> Microphone:
    """Record a microphone at which nobody speaks."""
    return record(tmp_path_factory.mktemp("mic") / "room.wav", 30_000, ())


def test_no_microphone(chromium: str, running: Running, tmp_path: Path) -> None:
    """A machine without a microphone is told so."""
    with browser(chromium, tmp_path, "--use-fake-ui-for-media-stream") as tab:
        open_page(tab, running.url)
        press(tab, "connect")
        assert tab.until(PROBLEM, 20) == "No microphone was found. Plug one in and try again."
        assert tab.value(STATE) == "off"


def test_a_refused_microphone(
    chromium: str, running: Running, quiet_room: Microphone, tmp_path: Path
) -> None:
    """Who refused the microphone is told where to allow it."""
    flags = [one for one in quiet_room.flags() if "fake-ui" not in one]
    with browser(chromium, tmp_path, *flags) as tab:
        open_page(tab, running.url)
        tab.do("Browser.setPermission", permission={"name": "microphone"}, setting="denied")
        press(tab, "connect")
        assert "Allow it for this page" in tab.until(PROBLEM, 20)


def test_a_server_that_is_gone(
    chromium: str, running: Running, quiet_room: Microphone, tmp_path: Path
) -> None:
    """In the middle of a call and before the next one, the page says who does not answer."""
    with browser(chromium, tmp_path, *quiet_room.flags()) as tab:
        open_page(tab, running.url)
        press(tab, "connect")
        tab.until(f"{STATE} === 'speaking'", 30)
        running.stop()
        assert "its server has stopped" in tab.until(PROBLEM, 30)
        assert tab.value(STATE) == "off"
        press(tab, "connect")
        tab.until(f"{PROBLEM} === 'The server does not answer. Is the bot still running?'", 20)


def test_mute_and_hang_up(
    chromium: str, running: Running, quiet_room: Microphone, tmp_path: Path
) -> None:
    """A muted microphone sends nothing, is said to be muted, and a new call begins unmuted."""
    track = "call.mic.getAudioTracks()[0]"
    with browser(chromium, tmp_path, *quiet_room.flags()) as tab:
        open_page(tab, running.url)
        press(tab, "connect")
        tab.until(f"{STATE} === 'listening'", 30)
        press(tab, "mute")
        assert tab.value(f"{track}.enabled") is False
        assert tab.value("document.querySelector('#hint').textContent") == "You are muted."
        tab.value(f"window.was = {track}, 1")
        press(tab, "connect")
        assert tab.value(STATE) == "off" and tab.value("window.was.readyState") == "ended"
        press(tab, "connect")
        tab.until(f"{STATE} === 'listening'", 30)
        assert tab.value(f"{track}.enabled") is True
