"""Sounds made for the microphone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from jev_turn.demo.clips import make, wanted
from jev_turn.demo.mixing import level_db
from jev_turn.demo.plan import Conversation, Cue, Fate, Noise, NoiseName, Step, Voice
from jev_turn.embedded.voice import VOICE_RATE, Spoken


class Hum:
    """Says half a second of 200 Hz for each sentence, after a tenth of silence."""

    def say(self, text: str) -> Iterator[Spoken]:
        """Speak ``text``."""
        for _ in text.split("."):
            time = np.arange(VOICE_RATE // 2) / VOICE_RATE
            hum = (9000 * np.sin(2 * np.pi * 200 * time)).astype(np.int16)
            yield Spoken(np.concatenate([np.zeros(VOICE_RATE // 10, np.int16), hum]), ())


def test_a_line_has_its_level_and_its_labels() -> None:
    """Labels come from the clean voice, before any noise: 100 ms in, one stretch per sentence."""
    clip = make(Voice("One. Two", level_db=-30), Hum())
    assert level_db(clip.sound) == pytest.approx(-30, abs=0.2)
    (stretch,) = clip.stretches
    assert (stretch.onset_ms, stretch.end_ms) == (100, 1200)


def test_another_voice_is_deeper_and_slower() -> None:
    """A second person must not be the first one's loudness and pitch."""
    first, second = (make(Voice("One", who=who), Hum()).sound for who in ("caller", "other"))
    assert len(second) == pytest.approx(len(first) / 0.8, rel=0.01)


@pytest.mark.parametrize("name", ["cough", "click", "door slam", "keyboard", "music"])
def test_every_noise_can_be_made_at_its_level(name: NoiseName) -> None:
    """And has a labelled beginning, for what comes of it to be told apart."""
    clip = make(Noise(name, ms=600, level_db=-25), Hum())
    assert level_db(clip.sound) == pytest.approx(-25, abs=1)
    assert clip.stretches


def test_each_line_is_spoken_once() -> None:
    """However often it is said, and in however many conversations."""
    twice = Step(Cue("start", 0), Voice("One"), Fate.ANSWERED)
    again = Step(Cue("bot stops", 0), Voice("One"), Fate.ANSWERED)
    calls = [Conversation("a", "", (twice, again)), Conversation("b", "", (twice,))]
    assert wanted(calls) == [Voice("One")]
