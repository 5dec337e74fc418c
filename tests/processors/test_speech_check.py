"""SnrGate(confirm="silero") in a pipeline: what is not speech is dropped, and nothing comes later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from pipecat.frames.frames import (
    UserSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from support.bot import Answers, Bot
from support.sound import RATE, Samples, chunks, noise, pcm, voice

from jev_turn.demo import sounds
from jev_turn.dsp.room import Room, SpeechStarted, SpeechStopped
from jev_turn.play.clock import run
from jev_turn.policy import load_policy
from jev_turn.processors._speech_check import SpeechCheck
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_gate import SnrGate

QUIET = noise(500, 0.0005)
CONFIG = load_policy().gate()


def level(sound: Any, rms: float = 0.08) -> Samples:
    """Bring a sound of the demo to a level."""
    wave = np.asarray(sound, dtype=np.float64)
    return wave * rms / float(np.sqrt(np.mean(wave**2)))


MUSIC = level(sounds.music(2_000, 1))


def edges(parts: Sequence[Samples], confirm: Any = "silero") -> list[tuple[float, bool]]:
    """Play sound into a gate in a bot; when it said that speech starts (True) and stops."""
    gate = SnrGate(confirm=confirm)
    track = chunks(pcm(*parts), 20)
    judge = JevJudge(Answers(lambda *_: 0.1))
    call = run(Bot([], judge, len(track) * 0.02, before=[gate], sound=track).run())
    starts = [(at, True) for at in call.times(VADUserStartedSpeakingFrame)]
    return sorted(starts + [(at, False) for at in call.times(VADUserStoppedSpeakingFrame)])


def test_speech_opens_no_later_than_without() -> None:
    """The check looks back; it is never waited for."""
    parts = [QUIET, voice(800), QUIET]
    assert edges(parts) == edges(parts, None)


@pytest.mark.parametrize("name", ["cough", "door_slam"])
def test_a_sound_that_is_not_speech_is_dropped(name: str) -> None:
    """It opens, because nothing waits, and is over within the time that the check may take."""
    found = edges([QUIET, level(getattr(sounds, name)(1)), QUIET, QUIET])
    assert [up for _, up in found] == [True, False]
    assert found[1][0] - found[0][0] <= CONFIG.confirm_ms / 1000 + 0.021


def test_music_that_goes_on_opens_once() -> None:
    """As long as it lasts, the same sound is no new onset."""
    found = edges([QUIET, MUSIC, QUIET])
    assert [up for _, up in found] == [True, False]
    assert edges([QUIET, MUSIC, QUIET], None)[1][0] - found[1][0] > 1.5


def test_speech_over_a_dropped_sound_opens_at_once() -> None:
    """Somebody who speaks over the radio is heard."""
    half = len(MUSIC) // 2
    speech = voice(1_000, level=0.2)
    found = edges([QUIET, MUSIC[:half], MUSIC[half : half + len(speech)] * 0.3 + speech, QUIET])
    assert [up for _, up in found] == [True, False, True, False]
    assert 1.5 <= found[2][0] <= 1.5 + 0.3


def test_a_dropped_sound_keeps_no_idle_timer_awake() -> None:
    """Pipecat is told of a person's activity only while a person is active."""
    track = chunks(pcm(QUIET, MUSIC, QUIET), 20)
    judge = JevJudge(Answers(lambda *_: 0.1))
    gate = SnrGate(confirm="silero")
    call = run(Bot([], judge, len(track) * 0.02, before=[gate], sound=track).run())
    assert max(call.times(UserSpeakingFrame)) <= 0.5 + 0.11 + CONFIG.confirm_ms / 1000 + 0.05


def hear(room: Room, check: SpeechCheck, user: str, sound: Samples, rate: int = RATE) -> list[Any]:
    """Give a participant's sound to a room and its check."""
    found: list[Any] = []
    for chunk in chunks(pcm(sound), 20, rate):
        found += room.hear(user, chunk, rate)
        found += check.hear(user, chunk)
    return found


def test_one_participants_radio_does_not_hide_anothers_speech() -> None:
    """A dropped microphone is closed for all of them together."""
    room = Room(CONFIG)
    check = SpeechCheck(room)
    hear(room, check, "one", np.concatenate([QUIET, MUSIC[: RATE // 2]]))
    assert not room.speaking
    found = hear(room, check, "two", np.concatenate([QUIET, voice(500)]))
    assert [type(edge) for edge in found] == [SpeechStarted]


@pytest.mark.parametrize("rate", [8_000, 16_000, 24_000, 48_000])
def test_every_rate_of_a_transport_is_checked(rate: int) -> None:
    """The model takes two rates; the others are brought down to one of them."""
    room = Room(CONFIG)
    check = SpeechCheck(room)
    quiet = noise(500, 0.0005, rate)
    said = hear(room, check, "", np.concatenate([quiet, voice(600, rate=rate)]), rate)
    assert [type(edge) for edge in said] == [SpeechStarted]
    hum = 0.1 * np.sin(2 * np.pi * 50 * np.arange(rate) / rate)
    heard = hear(room, check, "", np.concatenate([quiet, hum]), rate)
    assert [type(edge) for edge in heard] == [SpeechStopped, SpeechStarted, SpeechStopped]


def test_another_way_to_confirm_is_refused() -> None:
    """A name that nobody knows must not read as no check at all."""
    with pytest.raises(ValueError, match="energy"):
        SnrGate(confirm="energy")  # type: ignore[arg-type]
