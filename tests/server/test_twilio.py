"""Only Twilio begins telephone calls: its documented signature, and a call on the bot."""

from __future__ import annotations

import base64
import importlib.util
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments
from pipecat.serializers.twilio import TwilioFrameSerializer
from starlette.testclient import TestClient

from jev_turn.errors import ConfigError
from jev_turn.policy import load_policy
from jev_turn.server import setup_worker
from jev_turn.server.access import Access
from jev_turn.server.app import create_app
from jev_turn.server.config import ServerConfig
from jev_turn.server.desk import Bot, Desk
from jev_turn.server.twilio import mount_twilio, signature

ROOT = Path(__file__).parents[2]
TOKEN = "0123456789abcdef"
URL = "https://voice.example"
ENV = {"TWILIO_AUTH_TOKEN": "12345", "TWILIO_ACCOUNT_SID": "AC1", "JEV_SERVER_URL": URL}
CALL = {"From": "+12349013030", "To": "+18005551212", "CallSid": "CA1234567890ABCDE"}
DOCUMENTED = {**CALL, "Caller": "+12349013030", "Digits": "1234"}


async def teller(args: RunnerArguments) -> None:
    """Tells the caller what it was given."""
    assert isinstance(args, WebSocketRunnerArguments)
    await args.websocket.send_json({"kind": args.transport_type, "body": args.body})


def app_for(bot: Bot = teller, **limits: int) -> FastAPI:
    """A public server with the webhook."""
    policy = load_policy(request={f"server.{key}": value for key, value in limits.items()}, env={})
    desk = Desk.of(bot, ServerConfig.of(policy), Access(TOKEN, url=URL))
    return create_app(desk, mounts=[lambda app: mount_twilio(app, ENV)])


def ring(client: TestClient, query: str = "", token: str = "12345", **more: Any) -> Any:
    """Call the webhook as Twilio does, or nearly."""
    signed = signature(token, f"{URL}/twilio/voice{query}", CALL.items())
    headers = {"X-Twilio-Signature": signed, "Content-Type": "application/x-www-form-urlencoded"}
    content = urlencode({**CALL, **more.pop("sent", {})})
    headers = {name: text for name, text in {**headers, **more}.items() if text}
    return client.post(f"/twilio/voice{query}", content=content, headers=headers)


def test_the_documented_example_has_the_documented_signature() -> None:
    """The worked example of Twilio's page on webhook security."""
    url = "https://mycompany.com/myapp.php?foo=1&bar=2"
    assert signature("12345", url, DOCUMENTED.items()) == "0/KCTR6DLpKmkAf8muzZqo1nDgQ="


def test_the_order_of_fields_does_not_count() -> None:
    """Fields are sorted by name; a field that comes twice with one value counts once."""
    fields = list(DOCUMENTED.items())
    same = [*reversed(fields), fields[0]]
    assert signature("1", URL, fields) == signature("1", URL, same)


@pytest.mark.parametrize("query", ["", "?office=harbour"])
def test_a_signed_call_gets_a_ticket_that_brings_who_calls(query: str) -> None:
    """The answer leads to `/ws` at the public address; the ticket opens it once, with the numbers."""
    with TestClient(app_for(), base_url=URL) as client:
        answer = ring(client, query)
        assert answer.headers["content-type"] == "application/xml"
        (path,) = re.findall(r'<Stream url="wss://voice\.example(/ws/\S+)"/>', answer.text)
        with client.websocket_connect(path) as socket:
            body = {"from": CALL["From"], "to": CALL["To"]}
            assert socket.receive_json() == {"kind": None, "body": body}


@pytest.mark.parametrize(
    "wrong",
    [
        {"X-Twilio-Signature": ""},
        {"X-Twilio-Signature": "0/KCTR6DLpKmkAf8muzZqo1nDgQ="},
        {"X-Twilio-Signature": "é"},
        {"token": "54321"},
        {"sent": {"From": "+19999999999"}},
        {"sent": {"Extra": "1"}},
        {
            "X-Twilio-Signature": signature(
                "12345", "https://other.example/twilio/voice", CALL.items()
            )
        },
    ],
)
def test_what_twilio_did_not_sign_is_refused(wrong: dict[str, Any]) -> None:
    """Absent, foreign, made with another token, address or body: 403 and no ticket."""
    app = app_for()
    with TestClient(app, base_url=URL) as client:
        headers = wrong.get("X-Twilio-Signature")
        if isinstance(headers, str) and not headers.isascii():
            wrong = {"X-Twilio-Signature": headers.encode()}
        answer = ring(client, **wrong)
    assert answer.status_code == 403
    assert "Stream" not in answer.text and not app.state.desk.tickets._out


def test_a_full_server_is_busy() -> None:
    """The caller hears the busy tone, which Twilio plays for `Reject`."""
    app = app_for(pending_max=1)
    with TestClient(app, base_url=URL) as client:
        assert "<Stream" in ring(client).text
        assert '<Reject reason="busy"/>' in ring(client).text


@pytest.mark.parametrize("name", ENV)
def test_a_telephone_bot_does_not_start_without_its_account(name: str) -> None:
    """Without the token nobody's signature could be checked; the message names what is missing."""
    desk = Desk.of(teller, ServerConfig.of(load_policy(env={})), Access(TOKEN))
    with pytest.raises(ConfigError, match=name):
        create_app(desk, mounts=[lambda app: mount_twilio(app, {**ENV, name: " "})])


async def end_calls(desk: Desk) -> None:
    """End every call as a limit does."""
    for call in tuple(desk.calls._running):
        call.end("call_minutes")


@pytest.mark.speech
def test_the_bot_speaks_on_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """After Twilio's two messages the greeting comes as its own; a limit's end hangs up there too."""
    monkeypatch.setenv("PIPECAT_SETUP_FILES", setup_worker.__file__)
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)
    for name in ("DEEPGRAM_API_KEY", "OPENAI_API_KEY", "CARTESIA_API_KEY", "TYPESAFE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    hung_up: list[str] = []

    async def note(self: Any) -> None:
        hung_up.append(self._call_sid)

    monkeypatch.setattr(TwilioFrameSerializer, "_hang_up_call", note)
    spec = importlib.util.spec_from_file_location("telephony", ROOT / "bots" / "telephony.py")
    assert spec is not None and spec.loader is not None
    telephony = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(telephony)
    desk = Desk.of(telephony.bot, ServerConfig.of(load_policy(env={})), Access(TOKEN, url=URL))
    app = create_app(desk, mounts=[telephony.mount])
    start = {"streamSid": "MZ1", "callSid": CALL["CallSid"], "customParameters": {}}
    with TestClient(app, base_url=URL) as client:
        (path,) = re.findall(r"voice\.example(/ws/[^\"]+)", ring(client).text)
        with client.websocket_connect(path) as socket:
            socket.send_json({"event": "connected", "protocol": "Call", "version": "1.0.0"})
            socket.send_json({"event": "start", "streamSid": "MZ1", "start": start})
            heard = b""
            while len(heard) < 8_000:
                said = socket.receive_json()
                assert said["streamSid"] == "MZ1"
                if said["event"] == "media":
                    heard += base64.b64decode(said["media"]["payload"])
            assert len(set(heard)) > 20, "silence"
            assert client.portal is not None
            client.portal.call(end_calls, desk)
            while socket.receive()["type"] != "websocket.close":
                pass
    assert hung_up == [CALL["CallSid"]]
