"""The microphone and the loudspeaker of this machine, or what is missing for them."""

from __future__ import annotations

import sys

from pipecat.transports.base_transport import BaseTransport

from jev_turn.errors import ConfigError

_GET = {
    "linux": "On Debian and Ubuntu: apt-get install portaudio19-dev python3-dev gcc; on Fedora: "
    "dnf install portaudio-devel python3-devel gcc. Then",
    "darwin": "First: brew install portaudio. Then",
}
_INSTALL = 'pip install "pipecat-jev-turn[local]"'


def local_transport(platform: str = sys.platform) -> BaseTransport:
    """Make Pipecat's transport for the default microphone and the default loudspeaker.

    Args:
        platform: Whose installation to describe when something is missing.

    Raises:
        ConfigError: The package, the system's library, a microphone or a loudspeaker is missing.
    """
    try:
        import pyaudio
        from pipecat.transports.local.audio import LocalAudioTransport, LocalAudioTransportParams
    except ImportError as error:
        how = _GET.get(platform, "")
        raise ConfigError(
            f"sound on this machine needs PortAudio and PyAudio: {error}. {how} {_INSTALL}"
        ) from error
    system = pyaudio.PyAudio()
    try:
        _check_devices(system)
    finally:
        system.terminate()
    params = LocalAudioTransportParams(audio_in_enabled=True, audio_out_enabled=True)
    return LocalAudioTransport(params)


def _check_devices(system: object) -> None:
    for name, look in (
        ("microphone", "get_default_input_device_info"),
        ("loudspeaker", "get_default_output_device_info"),
    ):
        try:
            getattr(system, look)()
        except OSError as error:
            raise ConfigError(
                f"this machine has no {name} that PortAudio can see: {error}. Plug one in, or talk "
                "to the bot from a browser: make bot"
            ) from error
