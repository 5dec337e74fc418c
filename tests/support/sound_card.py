"""A sound card without hardware: PulseAudio with null sinks, for this process' children alone."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MICROPHONE, LOUDSPEAKER = "mic", "speaker"
_MODULES = (
    "load-module module-native-protocol-unix socket={socket} auth-anonymous=1",
    "load-module module-null-sink sink_name=mic",
    "load-module module-null-sink sink_name=speaker",
    "load-module module-remap-source master=mic.monitor source_name=virtual",
    "set-default-sink speaker",
    "set-default-source virtual",
)


@dataclass(frozen=True, slots=True)
class SoundCard:
    """A running one.

    Attributes:
        env: Makes a child process use it.
    """

    env: dict[str, str]

    def play(self, file: Path) -> subprocess.Popen[bytes]:
        """Let the microphone hear a WAV file."""
        return self._run("paplay", f"--device={MICROPHONE}", str(file))

    def record(self, file: Path) -> subprocess.Popen[bytes]:
        """Write down what the loudspeaker plays, as WAV, until the process is ended."""
        source = f"--device={LOUDSPEAKER}.monitor"
        what = ("--file-format=wav", "--rate=16000", "--channels=1", "--format=s16le")
        return self._run("parecord", source, *what, str(file))

    def _run(self, *command: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, env=os.environ | self.env)


@contextmanager
def sound_card(folder: Path) -> Iterator[SoundCard]:
    """Run PulseAudio until the caller is done with it.

    Args:
        folder: For its socket, its state and its log; a short path.
    """
    socket, script = folder / "pulse", folder / "card.pa"
    script.write_text("\n".join(_MODULES).format(socket=socket) + "\n")
    env = {
        "PULSE_SERVER": f"unix:{socket}",
        "PULSE_RUNTIME_PATH": str(folder),
        "PULSE_STATE_PATH": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
    }
    command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--file", str(script)]
    with (folder / "pulse.log").open("wb") as log:
        process = subprocess.Popen(command, env=os.environ | env, stdout=log, stderr=log)
    try:
        _wait(socket, process, folder / "pulse.log")
        yield SoundCard(env)
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait(socket: Path, process: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + 20
    while time.monotonic() < ends and process.poll() is None:
        if socket.exists():
            return
        time.sleep(0.1)
    raise AssertionError(f"PulseAudio did not start:\n{log.read_text()}")
