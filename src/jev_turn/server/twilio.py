"""Twilio's voice webhook: only Twilio itself is answered, with where to connect the call's sound."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl
from xml.sax.saxutils import quoteattr

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from jev_turn.errors import ConfigError
from jev_turn.server.access import URL
from jev_turn.server.calls import CallRefused
from jev_turn.server.desk import Desk

AUTH_TOKEN = "TWILIO_AUTH_TOKEN"
ACCOUNT = "TWILIO_ACCOUNT_SID"
PATH = "/twilio/voice"
_BUSY = '<?xml version="1.0" encoding="UTF-8"?><Response><Reject reason="busy"/></Response>'

Form = Iterable[tuple[str, str]]


def signature(auth_token: str, url: str, form: Form) -> str:
    """Return what Twilio puts into ``X-Twilio-Signature``.

    Twilio's documentation ("Webhooks security") has the rule: the address as it was called, then
    every field's name and value in the order of the names, HMAC-SHA1 with the account's token,
    base64.

    Args:
        auth_token: The account's token.
        url: The whole address that Twilio called, its query included.
        form: The fields of the body, by name and value.
    """
    signed = url + "".join(name + value for name, value in sorted(set(form)))
    digest = hmac.new(auth_token.encode(), signed.encode(), hashlib.sha1).digest()
    return base64.b64encode(digest).decode()


def mount_twilio(app: FastAPI, env: Mapping[str, str] | None = None) -> None:
    """Answer Twilio at ``/twilio/voice``, which is what a telephone number is set to call.

    A call that may begin gets a ticket for ``/ws``; one that may not is told that the line is busy.

    Args:
        app: Of ``jev_turn.server``.
        env: In place of the process environment.

    Raises:
        ConfigError: The account or the public address is not set.
    """
    given = os.environ if env is None else env
    for name in (AUTH_TOKEN, ACCOUNT, URL):
        if not given.get(name, "").strip():
            raise ConfigError(f"{name}: a telephone bot needs it, see env.example")
    desk: Desk = app.state.desk
    token, public = given[AUTH_TOKEN].strip(), given[URL].strip().rstrip("/")

    @app.post(PATH)
    async def voice(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        form = _form(await request.body())
        expected = signature(token, f"{public}{PATH}{query}", form)
        if not _same(request.headers.get("x-twilio-signature"), expected):
            return JSONResponse({"detail": "not signed by Twilio"}, 403)
        return Response(_answer(desk, dict(form)), media_type="application/xml")


def _answer(desk: Desk, form: Mapping[str, str]) -> str:
    try:
        desk.calls.check()
        ticket = desk.tickets.issue({"from": form.get("From", ""), "to": form.get("To", "")})
    except CallRefused:
        return _BUSY
    url = quoteattr(f"{desk.base_url('https', '')}/ws/{ticket}")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f"<Response><Connect><Stream url={url}/></Connect></Response>"
    )


def _form(body: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(body.decode(), keep_blank_values=True)
    except (UnicodeDecodeError, ValueError):
        return []


def _same(given: str | None, expected: str) -> bool:
    return hmac.compare_digest((given or "").encode(), expected.encode())
