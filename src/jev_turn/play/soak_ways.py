"""The ways in which a person speaks and a recogniser writes it down, and how often each one comes."""

from __future__ import annotations

from collections.abc import Callable

from jev_turn.play import soak_words
from jev_turn.play.soak_hand import Hand
from jev_turn.play.soak_script import HOLD_MS, STOP_MS

LONE_MS = 30_000
"""Silence behind a segment that was never closed, ms: by then its words must have come out."""


class Ways(Hand):
    """One method for each way."""

    def _plain(self) -> None:
        self._utter(self._words())

    def _misheard(self) -> None:
        """The recogniser rewrites what it has written."""
        self._utter(self._words(), interim=soak_words.misheard)

    def _corrected(self) -> None:
        """The final has a word that no interim had."""
        text = self._words()
        self._utter(text, final=soak_words.corrected(self._rng, text))

    def _otherwise(self) -> None:
        """The final says something else altogether."""
        text = self._words()
        self._utter(text, final=soak_words.another(self._rng, text))

    def _late(self) -> None:
        """The final comes when the turn may long have been answered."""
        self._utter(self._words(), late_ms=self._rng.randint(1_000, 14_000))

    def _late_and_longer(self) -> None:
        """So does one with words that no interim had."""
        text, late_ms = self._words(), self._rng.randint(1_000, 9_000)
        more = f"{text} {soak_words.sentence(self._rng)}"
        self._utter(text, final=more, late_ms=late_ms)

    def _in_pieces(self) -> None:
        """Finals come in mid-utterance."""
        parts = (self._words() + " " + soak_words.sentence(self._rng)).split()
        cut = self._rng.randrange(1, len(parts))
        begins = self._at
        pace = self._pace()
        self._sound(begins, pace * len(parts))
        for piece, first in ((parts[:cut], 0), (parts[cut:], cut)):
            self._write(" ".join(piece), begins + pace * first, pace)

    def _final_only(self) -> None:
        self._utter(self._words(), interims=False)

    def _interim_only(self) -> None:
        """The recogniser never closes the segment."""
        self._utter(self._words(), closed=False)
        self._segment += 1
        self._at += LONE_MS
        self._unclosed = True

    def _unheard(self) -> None:
        """Words without any voice activity."""
        self._utter(self._words(), sound=False, interims=self._rng.random() < 0.5)

    def _again(self) -> None:
        """The same words as last time."""
        self._utter(self._latest)

    def _volley(self) -> None:
        """Three finals back to back."""
        begins, pace = self._at, self._pace()
        texts = [self._words(), soak_words.sentence(self._rng), soak_words.nod(self._rng)]
        self._sound(begins, pace * sum(len(text.split()) for text in texts))
        for text in texts:
            self._heard(self._at + 200, text, final=True)
        self._at += 200

    def _nod(self) -> None:
        self._over(soak_words.nod(self._rng))

    def _stop(self) -> None:
        self._over(soak_words.stop(self._rng))

    def _aside(self) -> None:
        self._utter(soak_words.aside(self._rng))

    def _thinking(self) -> None:
        """A pause of up to 12 s in mid-thought, the first part closed or not."""
        first = self._words()
        if self._rng.random() < 0.5:
            self._utter(first)
            self._at += self._rng.randint(500, 12_000)
            self._utter(soak_words.sentence(self._rng))
            return
        begins, pace = self._at, self._pace()
        self._sound(begins, pace * len(first.split()))
        self._grow(first.split(), begins, pace, last=True)
        self._at += self._rng.randint(STOP_MS + 600, 12_000)
        self._write(f"{first} {soak_words.sentence(self._rng)}", self._at, pace, said=first)

    def _broken(self) -> None:
        """The voice drops under the gate in mid-utterance."""
        text, begins = soak_words.sentence(self._rng), self._at
        if self._unclosed:
            text = soak_words.another(self._rng, self._latest)
        pace = self._pace()
        ends = begins + pace * len(text.split())
        while self._at < ends:
            self._sound(self._at, self._rng.randint(HOLD_MS, 900))
            self._at += self._rng.randint(STOP_MS + 50, 600)
        self._at = ends
        self._write(text, begins, pace)

    def _loud_room(self) -> None:
        """It stays loud long after the last word."""
        begins = self._at
        self._utter(self._words())
        ends = self._at
        self._sound(begins, ends - begins + self._rng.randint(3_000, 20_000))
        self._at = ends

    def _cough(self) -> None:
        for _ in range(self._rng.choice((1, 1, 2, 6))):
            self._sound(self._at, self._rng.randint(60, 900))
            self._at += self._rng.randint(100, 700)

    def _nothing(self) -> None:
        """The recogniser writes a noise as punctuation."""
        self._utter(self._rng.choice(("...", ".", " ", "-")), interims=False)


WAYS: dict[Callable[[Ways], None], int] = {
    Ways._plain: 10,
    Ways._misheard: 5,
    Ways._corrected: 4,
    Ways._otherwise: 3,
    Ways._late: 6,
    Ways._late_and_longer: 4,
    Ways._in_pieces: 5,
    Ways._final_only: 5,
    Ways._interim_only: 3,
    Ways._unheard: 4,
    Ways._again: 5,
    Ways._volley: 4,
    Ways._nod: 7,
    Ways._stop: 5,
    Ways._aside: 4,
    Ways._thinking: 8,
    Ways._broken: 6,
    Ways._loud_room: 3,
    Ways._cough: 4,
    Ways._nothing: 2,
}

OPEN = (Ways._interim_only,)
"""Ways that leave a segment open."""
