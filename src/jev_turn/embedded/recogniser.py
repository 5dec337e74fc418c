"""The embedded recogniser, blocking: Moonshine tiny-en behind a check that somebody spoke.

**It puts words into noise.** Given a cough, a slam, music or an empty room, Moonshine answers
"You", "Thanks." or worse. Silero tells them apart: such sounds stay below 0.5 in nearly every
frame, the shortest words reach it in eleven and more. Sound with fewer than three such frames
therefore has no text. What the check cannot see: words that are added to a segment in which
somebody does speak, and a second speaker, a television or singing, which are speech.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import islice
from typing import Protocol

import numpy as np
import numpy.typing as npt
from pipecat.audio.vad.silero import SileroOnnxModel

from jev_turn.embedded.packages import RECOGNISER, inside, missing

RATE = 16000
SPEECH_PROBABILITY = 0.5
SPEECH_FRAMES_MIN = 3

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


class EmbeddedRecogniser:
    """Moonshine tiny-en and Silero, both with the weights that their packages carry.

    Loading takes about half a second and 300 MB. English only.

    Raises:
        ConfigError: The extra ``embedded`` is not installed, or this platform has no wheel.
    """

    def __init__(self) -> None:
        weights = inside("moonshine_voice", RECOGNISER, "assets/tiny-en")
        try:
            from moonshine_voice import ModelArch, Transcriber
        except (ImportError, OSError) as error:
            raise missing(RECOGNISER, error) from error
        self._silero = SileroOnnxModel(  # type: ignore[no-untyped-call]
            str(files("pipecat.audio.vad.data").joinpath("silero_vad.onnx"))
        )
        self._transcriber = Transcriber(str(weights), ModelArch.TINY, options=_OPTIONS)

    def read(self, pcm: bytes) -> str:
        """Return the words in 16-bit mono sound at 16 kHz; empty when nobody speaks."""
        wave = np.frombuffer(pcm, np.int16).astype(np.float32) / _FULL_SCALE
        if not somebody_speaks(self._probabilities(wave)):
            return ""
        transcript = self._transcriber.transcribe_without_streaming(wave.tolist(), RATE)
        return words_of(" ".join(line.text for line in transcript.lines))

    def _probabilities(self, wave: Wave) -> Iterator[float]:
        """Tell, frame by frame, how sure Silero is of speech."""
        self._silero.reset_states()  # type: ignore[no-untyped-call]
        for start in range(0, len(wave) - _FRAME + 1, _FRAME):
            yield self._silero(wave[start : start + _FRAME], RATE).item()

    def close(self) -> None:
        """Free the model; a second call does nothing, and no read may follow."""
        self._transcriber.close()


def somebody_speaks(probabilities: Iterable[float]) -> bool:
    """Tell whether at least three 32 ms frames sound like speech; stops looking at the third.

    Args:
        probabilities: Silero's, one for each frame, 0 to 1.
    """
    speech = (1 for probability in probabilities if probability >= SPEECH_PROBABILITY)
    return sum(islice(speech, SPEECH_FRAMES_MIN)) == SPEECH_FRAMES_MIN


def words_of(text: str) -> str:
    """Keep what can be English of a raw transcript: no notes, no other script, no quotes round it.

    Args:
        text: As the model wrote it.

    Returns:
        Its words with a Latin letter or a digit, joined by single spaces.
    """
    words = [word for word in text.split() if _WORD.search(word)]
    return " ".join(words).strip("\"'“”‘’♪ ")
