"""The embedded recogniser, blocking: Moonshine tiny-en behind a check that somebody spoke.

**Small models put words into noise.** Given a cough, a slam, music or an empty room, Moonshine
answers "You", "Thanks." or worse, and Whisper thanks for watching. Silero tells them apart: in the demo's sounds at most one frame of
32 ms reached 0.9, in the shortest words nine and more. Sound with fewer than three such frames
therefore has no text, and a sentence needs more of them. What the check cannot see: words that are added to a segment in which
somebody does speak, and a second speaker, a television or singing, which are speech.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import islice
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from pipecat.audio.vad.silero import SileroOnnxModel

from jev_turn.embedded.packages import RECOGNISER, inside, missing

RATE = 16000
SPEECH_PROBABILITY = 0.9
SPEECH_FRAMES_MIN = 3
SPEECH_FRAMES_PER_WORD = 2
"""Nobody says a word in less than 64 ms; the model writes whole sentences for a bar of music."""

_WORD = re.compile(r"[A-Za-z0-9]")
_FRAME = 512
_FULL_SCALE = 32768.0
# The library's own speech detection puts "You" and "I" before the words; a look-behind of zero
# samples (`vad_look_behind_sample_count`) crashes the process.
_OPTIONS = {"vad_threshold": "0.0"}

Wave = npt.NDArray[np.float32]


class Recogniser(Protocol):
    """Turns sound into text; called from one thread at a time."""

    def read(self, pcm: bytes) -> str:
        """Return the words in 16-bit mono sound at 16 kHz; empty when nobody speaks."""
        ...

    def close(self) -> None:
        """Free the model; a second call does nothing, and no read may follow."""
        ...


class CheckedRecogniser(ABC):
    """A model that is asked only about sound in which Silero hears speech.

    Attributes:
        name: The model, as a call record names it.
    """

    name: ClassVar[str]

    def __init__(self) -> None:
        self._silero = SileroOnnxModel(  # type: ignore[no-untyped-call]
            str(files("pipecat.audio.vad.data").joinpath("silero_vad.onnx"))
        )

    def read(self, pcm: bytes) -> str:
        """Return the words in 16-bit mono sound at 16 kHz; empty when nobody speaks."""
        wave = np.frombuffer(pcm, np.int16).astype(np.float32) / _FULL_SCALE
        speech = speech_frames(self._probabilities(wave))
        if not holds(speech, SPEECH_FRAMES_MIN):
            return ""
        text = words_of(self._transcribe(wave))
        more = SPEECH_FRAMES_PER_WORD * len(text.split()) - SPEECH_FRAMES_MIN
        return text if holds(speech, more) else ""

    @abstractmethod
    def _transcribe(self, wave: Wave) -> str:
        """Return what the model writes for sound that holds speech."""

    @abstractmethod
    def close(self) -> None:
        """Free the model; a second call does nothing, and no read may follow."""

    def _probabilities(self, wave: Wave) -> Iterator[float]:
        """Tell, frame by frame, how sure Silero is of speech."""
        self._silero.reset_states()  # type: ignore[no-untyped-call]
        for start in range(0, len(wave) - _FRAME + 1, _FRAME):
            yield self._silero(wave[start : start + _FRAME], RATE).item()


class EmbeddedRecogniser(CheckedRecogniser):
    """Moonshine tiny-en, with the weights that its package carries.

    Loading takes about half a second and 300 MB. English only.

    Raises:
        ConfigError: The package is not installed, or this platform has no wheel of it.
    """

    name = "moonshine-tiny-en"

    def __init__(self) -> None:
        weights = inside("moonshine_voice", RECOGNISER, "assets/tiny-en")
        try:
            from moonshine_voice import ModelArch, Transcriber
        except (ImportError, OSError) as error:
            raise missing(RECOGNISER, error) from error
        super().__init__()
        self._transcriber = Transcriber(str(weights), ModelArch.TINY, options=_OPTIONS)

    def _transcribe(self, wave: Wave) -> str:
        transcript = self._transcriber.transcribe_without_streaming(wave.tolist(), RATE)
        return " ".join(line.text for line in transcript.lines)

    def close(self) -> None:
        """Free the model; a second call does nothing, and no read may follow."""
        self._transcriber.close()


def speech_frames(probabilities: Iterable[float]) -> Iterator[float]:
    """Yield those of the 32 ms frames that sound like speech.

    Args:
        probabilities: Silero's, one for each frame, 0 to 1.
    """
    return (probability for probability in probabilities if probability >= SPEECH_PROBABILITY)


def holds(speech: Iterator[float], frames: int) -> bool:
    """Take ``frames`` more frames of ``speech``, and tell whether there were so many."""
    return sum(1 for _ in islice(speech, max(0, frames))) >= frames


def words_of(text: str) -> str:
    """Keep what can be English of a raw transcript: no notes, no other script, no quotes round it.

    Args:
        text: As the model wrote it.

    Returns:
        Its words with a Latin letter or a digit, joined by single spaces.
    """
    words = [word for word in text.split() if _WORD.search(word)]
    return " ".join(words).strip("\"'“”‘’♪ ")
