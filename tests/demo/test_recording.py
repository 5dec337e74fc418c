"""Recordings as callers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from jev_turn.demo.mixing import RATE
from jev_turn.demo.plan import Fate
from jev_turn.demo.recording import conversation, read
from jev_turn.errors import ConfigError


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "PCM_U8", "FLOAT"])
@pytest.mark.parametrize(("rate", "channels"), [(8000, 1), (16000, 2), (44100, 2)])
def test_any_wav_is_read(tmp_path: Path, subtype: str, rate: int, channels: int) -> None:
    """Mono 16 bits at 16 kHz comes of it, with the length and level that it had."""
    time = np.arange(rate // 5) / rate
    tone = 0.5 * np.sin(2 * np.pi * 300 * time)
    path = tmp_path / "x.wav"
    soundfile.write(path, np.stack([tone] * channels, axis=1), rate, subtype=subtype)
    sound = read(path)
    assert sound.dtype == np.int16 and len(sound) == pytest.approx(RATE / 5, abs=2)
    assert np.std(sound) / 32768 == pytest.approx(0.5 / 2**0.5, rel=0.03)


def test_channels_are_averaged(tmp_path: Path) -> None:
    """A caller on the left channel only is heard at half the level."""
    path = tmp_path / "x.wav"
    soundfile.write(path, np.stack([np.full(160, 0.5), np.zeros(160)], axis=1), RATE)
    assert np.all(np.abs(read(path) - 8192) <= 1)


def test_a_recording_is_one_sound_of_which_nothing_is_known(tmp_path: Path) -> None:
    """No label, no promise; its name is that of the file, safe for other files."""
    path = tmp_path / "my call (2).wav"
    soundfile.write(path, np.full(160, 0.5), RATE)
    made, sound, clip = conversation(path)
    assert made.name == "my-call--2-"
    assert [(one.sound, one.fate) for one in made.steps] == [(sound, Fate.ANY)]
    assert clip.stretches == () and len(clip.sound) == 160


def test_what_is_no_sound_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    """A text, a file that does not exist, and a file without samples."""
    (tmp_path / "text.wav").write_text("hello")
    soundfile.write(tmp_path / "empty.wav", np.zeros(0), RATE)
    for name in ("text.wav", "none.wav", "empty.wav"):
        with pytest.raises(ConfigError, match=name):
            read(tmp_path / name)
