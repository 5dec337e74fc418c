"""The page, and the application that serves it."""

from __future__ import annotations

import re

from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from fastapi.testclient import TestClient

from jev_turn.page import lines, mount
from jev_turn.page.mount import source


def test_the_page_comes_before_a_later_route_of_the_same_path() -> None:
    """Pipecat's runner redirects `/` to a page that needs the internet; ours is there first."""
    app = FastAPI()
    mount(app)

    @app.get("/")
    async def elsewhere() -> RedirectResponse:
        return RedirectResponse("/client/")

    answer = TestClient(app).get("/", follow_redirects=False)
    assert answer.status_code == 200
    assert answer.text == source()


def test_the_page_fetches_nothing_from_elsewhere() -> None:
    """It names no other host, and the browser is told to allow none."""
    assert not re.findall(r"(?:https?:)?//[\w.-]+\.\w+", source())
    assert not re.findall(
        r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(?!data:,)", source()
    )
    app = FastAPI()
    mount(app, "/talk")
    policy = TestClient(app).get("/talk").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy


def test_a_bot_without_barge_in_has_lines_and_hints_of_its_own() -> None:
    """It does not stop for "wait, stop", and what is said over it is answered next."""
    said = lines(barge_in=False)
    assert len(said) == 6 and not [line for line in said if "stop" in line.lower()]
    assert [line for line in said if "answers that next" in line]
    page = source(barge_in=False)
    assert "BARGE_IN = false" in page and "BARGE_IN = true" not in page


def test_the_page_asks_for_six_lines() -> None:
    """The terminal says the same lines as the page, in plain words."""
    assert len(lines()) == 6
    assert not [line for line in lines() if "<" in line or "  " in line]
    for word in ("count to three", "number", "Uh-huh", "Wait, stop", "Cough", "somebody else"):
        assert [line for line in lines() if word in line], word
