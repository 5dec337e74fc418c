"""What a person is told whose machine has no sound."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from jev_turn.errors import ConfigError
from jev_turn.local_audio import local_transport


class NoDevices:
    """A system whose default devices are missing, all or the loudspeaker alone."""

    microphone = False

    def get_default_input_device_info(self) -> dict[str, Any]:
        """Find the microphone, or not."""
        if not self.microphone:
            raise OSError("No Default Input Device Available")
        return {}

    def terminate(self) -> None:
        """Let go of the library."""

    def get_default_output_device_info(self) -> dict[str, Any]:
        """Never find a loudspeaker."""
        raise OSError("No Default Output Device Available")


@pytest.mark.parametrize(
    ("platform", "how"),
    [
        ("linux", "apt-get install portaudio19-dev"),
        ("darwin", "brew install portaudio"),
        ("win32", "pip install"),
    ],
)
def test_a_missing_library_is_named_with_the_way_to_get_it(
    platform: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which system package, and then which extra."""
    monkeypatch.setitem(sys.modules, "pyaudio", None)
    with pytest.raises(ConfigError, match=r"PortAudio") as caught:
        local_transport(platform)
    assert how in str(caught.value) and "pipecat-jev-turn[local]" in str(caught.value)


@pytest.mark.parametrize(("microphone", "missing"), [(False, "microphone"), (True, "loudspeaker")])
def test_a_missing_device_is_named(
    microphone: bool, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library is there, and nothing to hear or to speak with."""
    library = ModuleType("pyaudio")
    devices = type("PyAudio", (NoDevices,), {"microphone": microphone})
    library.PyAudio = devices  # type: ignore[attr-defined]
    local = ModuleType("pipecat.transports.local.audio")
    local.LocalAudioTransport = local.LocalAudioTransportParams = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyaudio", library)
    monkeypatch.setitem(sys.modules, "pipecat.transports.local.audio", local)
    with pytest.raises(ConfigError, match=f"no {missing}"):
        local_transport()
