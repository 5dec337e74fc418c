"""The bot at this machine's own microphone and loudspeaker, on a sound card without hardware."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.browser_call import record
from support.running_bot import KEYS, ROOT
from support.sound_card import SoundCard, sound_card

from jev_turn.demo.plan import Voice
from jev_turn.embedded.recogniser import RATE, EmbeddedRecogniser

LENGTH_MS = 26_000
ASKED_AT_MS = 14_000

pytestmark = [
    pytest.mark.bots,
    pytest.mark.speech,
    # Sound in real time needs a machine that does nothing else.
    pytest.mark.skipif(
        os.environ.get("JEV_TURN_SOUND_CARD") != "1",
        reason="by hand: JEV_TURN_SOUND_CARD=1, with pulseaudio, pulseaudio-utils, "
        "libasound2-plugins and the extra `local`",
    ),
]


@pytest.fixture
def card() -> Iterator[SoundCard]:
    """Run a sound card; the path of a socket must be short."""
    with tempfile.TemporaryDirectory() as folder, sound_card(Path(folder)) as running:
        yield running


@pytest.mark.parametrize("flags", [[], ["--headphones"]], ids=["room", "headphones"])
def test_the_bot_answers_at_the_loudspeaker(
    flags: list[str], card: SoundCard, tmp_path: Path
) -> None:
    """It greets, hears a question and answers it; Ctrl-C ends it."""
    asked = record(
        tmp_path / "asked.wav", LENGTH_MS, [(ASKED_AT_MS, Voice("Is the museum open on Sundays?"))]
    )
    env = {name: value for name, value in os.environ.items() if name not in KEYS}
    env |= card.env | {"JEV_TURN_SETUP_CONFIRMED": "yes"}
    command = [sys.executable, str(ROOT / "bots/local.py"), *flags]
    ear = card.record(tmp_path / "heard.wav")
    playing = card.play(asked.path)
    with (tmp_path / "bot.log").open("wb") as log:
        bot = subprocess.Popen(command, env=env, cwd=tmp_path, stdout=log, stderr=log)
    try:
        playing.wait(timeout=LENGTH_MS / 1000 + 20)
        assert bot.poll() is None, (tmp_path / "bot.log").read_text()
    finally:
        bot.send_signal(signal.SIGINT)
        ear.terminate()
        bot.wait(timeout=20)
        ear.wait(timeout=20)
    greeting, answer = halves(tmp_path / "heard.wav", ASKED_AT_MS)
    assert "How can I help you" in greeting
    assert "nine in the morning" in answer


def halves(path: Path, at_ms: int) -> tuple[str, str]:
    """Write down a recording's words before and after a time; both parts are short enough."""
    reader = EmbeddedRecogniser()
    with wave.open(str(path)) as file:
        samples = file.readframes(file.getnframes())
    at = at_ms * RATE // 1000 * 2
    return reader.read(samples[:at]), reader.read(samples[at:])
