"""One real human recording, from the recogniser's package, for checks that need no synthesis."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jev_turn.embedded.packages import RECOGNISER, inside


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded voice and what it says.

    Attributes:
        path: A WAV file, mono, 16 bits.
        text: The words, without what the microphone heard besides.
        duration_ms: Length.
    """

    path: Path
    text: str
    duration_ms: int


def human() -> Recording:
    """Return a man reading the opening of "A Tale of Two Cities", 44 s at 48 kHz, room noise.

    Raises:
        ConfigError: The extra ``embedded`` is not installed.
    """
    path = inside("moonshine_voice", RECOGNISER, "assets/two_cities.wav")
    return Recording(path, _TWO_CITIES, 44374)


_TWO_CITIES = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "
    "age of foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the "
    "season of light, it was the season of darkness, it was the spring of hope, it was the winter "
    "of despair, we had everything before us, we had nothing before us, we were all going direct "
    "to heaven, we were all going direct the other way. In short, the period was so far like the "
    "present period, that some of its noisiest authorities insisted on its being received, for "
    "good or for evil, in the superlative degree of comparison only."
)
