"""Takes a recording as a conversation of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from jev_turn.demo.clips import Clip
from jev_turn.demo.mixing import RATE, Sound, resample
from jev_turn.demo.plan import Conversation, Cue, Fate, Recording, Step
from jev_turn.errors import ConfigError

LEAD_MS = 1000
"""Room noise before the recording: time for the gate to learn the room."""


def conversation(path: Path) -> tuple[Conversation, Recording, Clip]:
    """Make a conversation of a WAV file.

    Args:
        path: The file, any rate and number of channels; channels are averaged.

    Returns:
        The conversation, and its only sound with the samples. It has no labels.

    Raises:
        ConfigError: The file cannot be read, or holds no sound.
    """
    recording = Recording(path.name)
    step = Step(Cue("start", LEAD_MS), recording, Fate.ANY)
    name = "".join(char if char.isalnum() else "-" for char in path.stem) or "recording"
    shows = f"{path.name}, as a caller. Faint room noise is mixed in: digital silence would count as a stalled microphone."
    return Conversation(name, shows, (step,)), recording, Clip(read(path), ())


def read(path: Path) -> Sound:
    """Read a sound file as 16-bit mono at 16 kHz.

    Raises:
        ConfigError: The file cannot be read, or holds no sound.
    """
    try:
        samples, rate = soundfile.read(path, dtype="float64", always_2d=True)
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"{path}: cannot be read as sound: {error}") from error
    if not len(samples):
        raise ConfigError(f"{path}: holds no sound")
    mono = np.clip(np.rint(samples.mean(axis=1) * 32767), -32768, 32767).astype(np.int16)
    return resample(mono, rate, RATE)
