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
_LINE = re.compile(r"<li[^>]*>(.*?)</li>", re.DOTALL)


def mount(app: FastAPI, path: str = "/") -> None:
    """Serve the page.

    Call it in front of Pipecat's ``main()``, whose own route for ``/`` leads to a page that needs
    the internet. The page talks to ``/start`` and the WebRTC offer endpoint of the same origin, and
    sends the token in its address' fragment (``/#token=...``) as a bearer token.

    Args:
        app: Pipecat's (``from pipecat.runner.run import app``), or one with the same endpoints.
        path: Where the page is to be.
    """

    @app.get(path, include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(source(), headers=HEADERS)


def source() -> str:
    """Return the page."""
    return files("jev_turn.page").joinpath("page.html").read_text(encoding="utf-8")


def lines() -> tuple[str, ...]:
    """Return the lines that the page asks a person to say."""
    wanted = source().split('<ol id="lines">')[1].split("</ol>")[0]
    return tuple(
        " ".join(html.unescape(re.sub(r"<[^>]+>", "", line)).split())
        for line in _LINE.findall(wanted)
    )
