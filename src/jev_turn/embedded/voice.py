"""The embedded voice, blocking: hibari's "heart", with the time of every word.

The times are the voice's own: its model decides a duration for every phoneme, in steps of
25 ms, and a word starts where its first phoneme does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jev_turn.embedded.onnx_output import with_output
from jev_turn.embedded.packages import VOICE, inside, missing

VOICE_RATE = 24000
LEAD_MS = 50
"""Silence left before the first word; the voice itself makes about 350 ms of it."""
TAIL_MS = 200
"""Silence left after the last one, of about 480 ms: what follows is not said later for it."""

_STEP_MS = 25
_DURATIONS = "/Cast_32_output_0"
_LONGEST = 300
_AUDIBLE = 0.01
_SAYABLE = re.compile(r"\w")
_CLAUSE = re.compile(r"(?<=[,;:—])\s+")


@dataclass(frozen=True, slots=True)
class Spoken:
    """One spoken sentence.

    Attributes:
        samples: 16-bit mono at 24 kHz.
        words: The words as written, each with its start in ms from the first sample.
    """

    samples: npt.NDArray[np.int16]
    words: tuple[tuple[str, int], ...]

    @property
    def duration_ms(self) -> int:
        """Length of the sound."""
        return len(self.samples) * 1000 // VOICE_RATE


class EmbeddedVoice:
    """Speaks English with the weights that its package carries (Apache-2.0).

    Loading takes about a second and 130 MB. The same text gives the same samples.

    Args:
        speed: 1.0 is the voice's own pace; 0.5 slow to 2.0 fast.

    Raises:
        ConfigError: The extra ``embedded`` is not installed.
    """

    def __init__(self, speed: float = 1.0) -> None:
        weights = inside("hibari", VOICE, "assets/hibari.onnx")
        try:
            from hibari import Hibari, dsp
            from hibari.g2p import normalize
        except ImportError as error:
            raise missing(VOICE, error) from error
        self._hibari = Hibari(model=with_output(weights.read_bytes(), _DURATIONS))
        # Its first use loads the dictionaries, which the first sentence should not wait for.
        self._g2p = self._hibari.g2p
        self._synth = dsp.synth
        self._normalize = normalize
        self._speed = np.asarray([speed], np.float32)

    def say(self, text: str) -> Iterator[Spoken]:
        """Speak ``text``, a sentence at a time, each as soon as it is made."""
        for sentence in self._hibari.split_sentences(text):
            for piece in _pieces(sentence):
                if _SAYABLE.search(piece):
                    yield self._piece(piece)

    def _piece(self, text: str) -> Spoken:
        tokens = self._g2p.phonemize_tokens(self._g2p.tokenize(self._normalize(text)))
        phonemes, first_of_word = _lay_out(
            [(self._known(token.phonemes), bool(token.whitespace)) for token in tokens]
        )
        ids = self._hibari.ids(phonemes)
        *spectrum, steps = self._hibari.sess.run(
            None, {"ids": np.asarray([ids], np.int64), "speed": self._speed}
        )
        wave = self._synth(*(one[0] for one in spectrum), np.random.default_rng(0))
        starts = [0, *np.cumsum(steps.reshape(-1)) * _STEP_MS]
        cut_ms = max(int(starts[1]) - LEAD_MS, 0)
        times = [int(starts[at + 1]) - cut_ms for at in first_of_word]
        samples = _trimmed(wave, cut_ms)
        words = self._words(text, times, len(samples) * 1000 // VOICE_RATE)
        return Spoken(samples, words)

    def _known(self, phonemes: str | None) -> str:
        """Leave out what the model has no number for, as ``ids`` does."""
        return "".join(one for one in phonemes or "" if one in self._hibari.vocab)

    def _words(self, text: str, times: list[int], end_ms: int) -> tuple[tuple[str, int], ...]:
        """Give every written word the time of the first word spoken for it ("42" has two)."""
        words = text.split()
        counts = [len(self._normalize(word).split()) for word in words]
        if sum(counts) != len(times):
            return spread(words, times[0] if times else 0, end_ms)
        firsts = np.cumsum([0, *counts[:-1]])
        return tuple(zip(words, (times[at] for at in firsts), strict=True))


def spread(words: list[str], from_ms: int, to_ms: int) -> tuple[tuple[str, int], ...]:
    """Time words by their length alone, for text that is spoken in other words than written."""
    sizes = np.cumsum([0, *(len(word) + 1 for word in words)])
    share = (to_ms - from_ms) / max(int(sizes[-1]), 1)
    return tuple(
        (word, from_ms + round(float(size) * share))
        for word, size in zip(words, sizes, strict=False)
    )


def _trimmed(wave: npt.NDArray[np.float32], cut_ms: int) -> npt.NDArray[np.int16]:
    """Drop ``cut_ms`` from the start, and at the end all silence but ``TAIL_MS``."""
    heard = np.flatnonzero(np.abs(wave) > _AUDIBLE * np.max(np.abs(wave), initial=0.0))
    last = int(heard[-1]) if len(heard) else 0
    kept = wave[_samples(cut_ms) : last + _samples(TAIL_MS)]
    pcm: npt.NDArray[np.int16] = np.clip(kept * 32767, -32768, 32767).astype(np.int16)
    return pcm


def _samples(ms: int) -> int:
    return ms * VOICE_RATE // 1000


def _lay_out(tokens: list[tuple[str, bool]]) -> tuple[str, list[int]]:
    """Join tokens' phonemes; also tell at which character each word begins.

    Args:
        tokens: Phonemes of each token, and whether white space follows it.
    """
    line = ""
    firsts: list[int] = []
    begins = True
    for phonemes, ends in tokens:
        if begins:
            firsts.append(len(line))
        line += phonemes + (" " if ends else "")
        begins = ends
    return line.rstrip(), firsts


def _pieces(sentence: str) -> Iterator[str]:
    """Cut a sentence that is too long for the model at its clauses."""
    piece = ""
    for clause in _CLAUSE.split(sentence):
        if piece and len(piece) + len(clause) > _LONGEST:
            yield piece
            piece = clause
        else:
            piece = f"{piece} {clause}".strip()
    yield piece
