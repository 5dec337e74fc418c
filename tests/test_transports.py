"""What the runner's connections are made with."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from pipecat.evals.transport import EvalTransportParams
from pipecat.runner.types import (
    RunnerArguments,
    SmallWebRTCRunnerArguments,
    WebSocketRunnerArguments,
)
from pipecat.runner.utils import create_transport
from pipecat.serializers.protobuf import ProtobufFrameSerializer
from pipecat.transports.smallwebrtc.connection import SmallWebRTCConnection

from jev_turn.transports import TELEPHONES, policy_of, transport_params


@pytest.mark.parametrize("name", ["webrtc", "websocket", "eval", *TELEPHONES])
def test_sound_goes_both_ways(name: str) -> None:
    """A voice bot without microphone or loudspeaker is a mistake."""
    params = transport_params()[name]()
    assert params.audio_in_enabled and params.audio_out_enabled


def test_each_call_has_parameters_of_its_own() -> None:
    """Pipecat fills in what it learns about a call; another call must not see it."""
    make = transport_params()["twilio"]
    assert make() is not make()


def test_an_eval_harness_can_connect() -> None:
    """`pipecat eval` refuses a bot whose parameters are not its own."""
    assert isinstance(transport_params()["eval"](), EvalTransportParams)


def test_a_plain_websocket_speaks_pipecats_protocol() -> None:
    """Without a serializer Pipecat's own clients would not be understood."""
    params: Any = transport_params()["websocket"]()
    assert isinstance(params.serializer, ProtobufFrameSerializer)


async def test_the_runner_makes_a_browsers_connection() -> None:
    """`create_transport` takes the table as it is."""
    arguments = SmallWebRTCRunnerArguments(webrtc_connection=SmallWebRTCConnection())
    transport = await create_transport(arguments, transport_params())
    assert type(transport).__name__ == "SmallWebRTCTransport"


BEGIN: dict[str, list[dict[str, Any]]] = {
    "twilio": [
        {"event": "connected", "protocol": "Call", "version": "1.0.0"},
        {"event": "start", "start": {"streamSid": "MZ1", "callSid": "CA1"}},
    ],
    "telnyx": [
        {"event": "connected", "version": "1.0.0"},
        {
            "event": "start",
            "stream_id": "s1",
            "start": {"call_control_id": "c1", "media_format": {"encoding": "PCMU"}},
        },
    ],
    "plivo": [{"event": "start", "start": {"streamId": "s1", "callId": "c1"}}],
    "exotel": [
        {"event": "connected"},
        {"event": "start", "start": {"stream_sid": "s1", "call_sid": "c1", "account_sid": "a1"}},
    ],
}
"""What each provider sends before the first sound."""


class Line:
    """A provider's WebSocket."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.state = SimpleNamespace()
        self._messages = messages

    async def iter_text(self) -> AsyncIterator[str]:
        """Give what the provider sends."""
        for message in self._messages:
            yield json.dumps(message)


@pytest.mark.parametrize("name", TELEPHONES)
async def test_the_runner_makes_a_telephones_connection(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the provider's own first messages; from then on the line has its preset."""
    for variable in ("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TELNYX_API_KEY"):
        monkeypatch.setenv(variable, "mine")
    for variable in ("PLIVO_AUTH_ID", "PLIVO_AUTH_TOKEN"):
        monkeypatch.setenv(variable, "mine")
    line: Any = Line(BEGIN[name])
    arguments = WebSocketRunnerArguments(websocket=line)
    transport: Any = await create_transport(arguments, transport_params())
    assert name in type(transport._params.serializer).__name__.lower()
    assert transport._params.audio_in_enabled and transport._params.audio_out_enabled
    assert policy_of(arguments).value("turn.side_talk_streak_max") == 2


@pytest.mark.parametrize(
    ("arguments", "streak"),
    [
        (RunnerArguments(), 0),
        (WebSocketRunnerArguments(websocket=None, transport_type="websocket"), 0),  # type: ignore[arg-type]
        (WebSocketRunnerArguments(websocket=None, transport_type="twilio"), 2),  # type: ignore[arg-type]
    ],
)
def test_a_telephone_line_has_its_preset(arguments: RunnerArguments, streak: int) -> None:
    """A caller is mostly alone, so one who is misread must not stay locked out."""
    assert policy_of(arguments).value("turn.side_talk_streak_max") == streak


@pytest.mark.parametrize("other_end", ["eval", "twilio"])
def test_zeros_are_silence_for_an_eval_harness_alone(other_end: str) -> None:
    """It sends zeros between utterances; taken for a muted microphone, every turn would end late."""
    arguments = WebSocketRunnerArguments(websocket=None, transport_type=other_end)  # type: ignore[arg-type]
    assert policy_of(arguments).value("gate.zeros_are_silence") is (other_end == "eval")
