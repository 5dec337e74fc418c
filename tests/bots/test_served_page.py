"""A real browser on the page of `jev-turn serve`, which asks for a token and drains."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.browser_call import ROWS, open_page, press
from support.chromium import Tab, browser
from support.running_bot import ROOT
from support.served import Served

pytestmark = [pytest.mark.browser, pytest.mark.bots, pytest.mark.timeout(200)]

TOKEN = "0123456789abcdef"
# The browser's own test tone: nobody has to say anything here.
TONE = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """The duplex bot behind a token, stopped by its own process id whatever happens."""
    limits = {"JEV_TURN_SERVER_DRAIN_MS": "1000", "JEV_SERVER_TOKEN": TOKEN}
    server = Served(tmp_path, ROOT / "bots" / "duplex.py", **limits)
    yield server
    server.stop()


def connect(tab: Tab, url: str) -> None:
    """Open the page and press its button."""
    open_page(tab, url)
    press(tab, "connect")


def test_the_token_in_the_address_opens_a_call_that_drains(
    chromium: str, server: Served, tmp_path: Path
) -> None:
    """The caller is greeted over WebRTC; SIGTERM ends the call, and then the process."""
    with browser(chromium, tmp_path, *TONE) as tab:
        connect(tab, f"http://{server.host}/#token={TOKEN}")
        tab.until(f"{ROWS}.some((row) => row.text.includes('harbour museum'))", 60)
        server.wait_for(r"call 1 begins \(webrtc\)")
        os.kill(server.process.pid, signal.SIGTERM)
        assert server.process.wait(timeout=20) == 0
    server.wait_for("call 1 is over after .*: drain")
    assert TOKEN not in server.log.read_text()


def test_without_the_token_no_call_begins(chromium: str, server: Served, tmp_path: Path) -> None:
    """The page is there, and says that it was refused."""
    with browser(chromium, tmp_path, *TONE) as tab:
        connect(tab, f"http://{server.host}/")
        tab.until("document.body.innerText.includes('token')", 20)
    assert "begins" not in server.log.read_text()
