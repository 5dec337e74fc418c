"""Makes the sounds of conversations: each line is spoken once, and labelled before any call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from jev_turn.demo import sounds
from jev_turn.demo.labels import Stretch, stretches
from jev_turn.demo.mixing import RATE, Placed, Sound, mix, resample, second_voice
from jev_turn.demo.plan import Conversation, Noise, Sounding, Voice
from jev_turn.embedded.voice import VOICE_RATE, Spoken


class Speaker(Protocol):
    """Says a text, a sentence at a time, at ``VOICE_RATE``."""

    def say(self, text: str) -> Iterator[Spoken]:
        """Speak ``text``."""
        ...


@dataclass(frozen=True, slots=True)
class Clip:
    """A sound ready to be played, and its labels.

    Attributes:
        sound: Samples at their level.
        stretches: Its parts between pauses, ms from the first sample.
    """

    sound: Sound
    stretches: tuple[Stretch, ...]


Clips = Mapping[Sounding, Clip]


def wanted(conversations: Iterable[Conversation]) -> list[Voice | Noise]:
    """Return every different sound of the conversations, in order."""
    sounds = (
        step.sound
        for one in conversations
        for step in (*(one.killed.steps if one.killed else ()), *one.steps)
    )
    return [sound for sound in dict.fromkeys(sounds) if isinstance(sound, Voice | Noise)]


def make(sound: Voice | Noise, speaker: Speaker) -> Clip:
    """Make one sound.

    Args:
        sound: Which one.
        speaker: Says the lines.
    """
    clean = _spoken(sound, speaker) if isinstance(sound, Voice) else _noise(sound)
    return Clip(mix(0, [Placed(clean, 0, sound.level_db)]), stretches(clean))


def _spoken(line: Voice, speaker: Speaker) -> Sound:
    said = np.concatenate([part.samples for part in speaker.say(line.text)])
    voice = resample(said, VOICE_RATE, RATE)
    return second_voice(voice) if line.who == "other" else voice


def _noise(noise: Noise) -> Sound:
    match noise.name:
        case "cough":
            return sounds.cough(noise.seed)
        case "click":
            return sounds.click(noise.seed)
        case "door slam":
            return sounds.door_slam(noise.seed)
        case "keyboard":
            return sounds.keyboard(noise.ms, noise.seed)
        case "music":
            return sounds.music(noise.ms, noise.seed)
