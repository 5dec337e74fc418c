"""Serves the page from an application that has Pipecat's WebRTC endpoints."""

from __future__ import annotations

import html
import re
from importlib.resources import files

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; media-src blob: mediastream:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
_ONLY = {True: "waits", False: "barge-in"}
"""Lines that are not for a bot with barge-in, and for one without."""

_LINE = re.compile(r"<li[^>]*>(.*?)</li>", re.DOTALL)


def mount(app: FastAPI, path: str = "/", *, barge_in: bool = True) -> None:
    """Serve the page.

    Call it in front of Pipecat's ``main()``, whose own route for ``/`` leads to a page that needs
    the internet. The page talks to ``/start`` and the WebRTC offer endpoint of the same origin, and
    sends the token in its address' fragment (``/#token=...``) as a bearer token.

    Args:
        app: Pipecat's (``from pipecat.runner.run import app``), or one with the same endpoints.
        path: Where the page is to be.
        barge_in: The bot can be interrupted; its lines and hints say so.
    """

    @app.get(path, include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(source(barge_in=barge_in), headers=HEADERS)


def source(*, barge_in: bool = True) -> str:
    """Return the page for a bot with or without barge-in."""
    page = files("jev_turn.page").joinpath("page.html").read_text(encoding="utf-8")
    page = re.sub(rf' *<li class="{_ONLY[barge_in]}">.*</li>\n', "", page)
    return page if barge_in else page.replace("BARGE_IN = true", "BARGE_IN = false")


def lines(*, barge_in: bool = True) -> tuple[str, ...]:
    """Return the lines that the page asks a person to say."""
    wanted = source(barge_in=barge_in).split('<ol id="lines">')[1].split("</ol>")[0]
    return tuple(
        " ".join(html.unescape(re.sub(r"<[^>]+>", "", line)).split())
        for line in _LINE.findall(wanted)
    )
