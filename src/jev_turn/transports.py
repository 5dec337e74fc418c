"""What Pipecat's ``create_transport`` needs for every connection that its runner can serve us."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments
from pipecat.transports.base_transport import TransportParams

from jev_turn.policy import Policy, load_policy

TELEPHONES = ("twilio", "telnyx", "plivo", "exotel")


def transport_params() -> dict[str, Callable[[], TransportParams]]:
    """Return, by the runner's name of a connection, what makes its parameters.

    Sound goes both ways, and nothing takes turns. A connection's package is imported when it is
    used, so that a bot runs without those of the others.
    """
    return {
        "webrtc": partial(TransportParams, audio_in_enabled=True, audio_out_enabled=True),
        "daily": _daily,
        "websocket": _websocket,
        "eval": _eval,
        **dict.fromkeys(TELEPHONES, _telephone),
    }


def policy_of(runner_args: RunnerArguments) -> Policy:
    """Return the settings for a connection.

    On a telephone line those of the preset ``telephone``. For Pipecat's evals zeros are silence:
    the harness sends them between utterances, where a real microphone hears a room.

    Args:
        runner_args: As ``create_transport`` has left them; it is what learns who is at the other
            end.

    Raises:
        PolicyFileError: A setting in the environment is wrong.
    """
    other_end = ""
    if isinstance(runner_args, WebSocketRunnerArguments):
        other_end = runner_args.transport_type or ""
    return load_policy(
        preset="telephone" if other_end in TELEPHONES else None,
        sets=["gate.zeros_are_silence=true"] if other_end == "eval" else [],
    )


def _daily() -> TransportParams:
    from pipecat.transports.daily.transport import DailyParams

    # Each participant has a noise floor of its own, which needs each one's own track.
    return DailyParams(audio_in_enabled=True, audio_out_enabled=True, audio_in_user_tracks=True)


def _telephone() -> TransportParams:
    from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams

    return FastAPIWebsocketParams(audio_in_enabled=True, audio_out_enabled=True)


def _websocket() -> TransportParams:
    from pipecat.serializers.protobuf import ProtobufFrameSerializer
    from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams

    return FastAPIWebsocketParams(
        audio_in_enabled=True, audio_out_enabled=True, serializer=ProtobufFrameSerializer()
    )


def _eval() -> TransportParams:
    from pipecat.evals.transport import EvalTransportParams

    return EvalTransportParams(audio_in_enabled=True, audio_out_enabled=True)
