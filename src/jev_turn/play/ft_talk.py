"""Random utterances for the soak of finish-turn; no two of them share a word.

That no word comes twice lets the oracle follow each one, whatever is joined, cut or repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

_CONSONANTS = "bdfgklmnprst"
_VOWELS = "aeiou"
_SYLLABLES = tuple(consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS)
_WORDS_AT_MOST = 32
"""Words of one utterance, those that only an interim or only a final has included."""

JUDGES = (*["ideal"] * 5, "random", "holding", "error", "never")
MODELS = (*["plain"] * 8, "long", "empty", "slow", "error", "breaks")
VOICES = (*["plain"] * 8, "slow", "error", "silent")
_PAUSES_MS = ((0, 300), (300, 1_500), (1_500, 4_000), (3_000, 9_000))


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that the recogniser writes.

    Attributes:
        wait_ms: How long after the piece before, ms.
        text: Its words.
        final: They will not change again.
        duration_ms: How long it says that they took; 0 for not at all.
    """

    wait_ms: int
    text: str
    final: bool = False
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something that the person says, and how everybody behaves from then on.

    Attributes:
        number: Its number in the call, from 0.
        pause_ms: Quiet before it, ms.
        sound: The detector hears it.
        pieces: What the recogniser writes of it, the last of which ends the sound.
        late: What the recogniser writes of it after that.
        judge: How the judge answers.
        judge_ms: The longest that it takes, ms.
        model: How the model writes.
        voice: How the voice speaks.
        interrupt: The application interrupts the bot, this long after the last word, ms.
        mute_ms: The application mutes the user for so long.
    """

    number: int
    pause_ms: int
    sound: bool
    pieces: tuple[Piece, ...]
    late: tuple[Piece, ...]
    judge: str
    judge_ms: int
    model: str
    voice: str
    interrupt: int | None
    mute_ms: int


def utterance(seed: int, call: int, number: int) -> Utterance:
    """Return utterance ``number`` of a call; the same arguments give the same one."""
    rng = Random(f"{seed}/{call}/{number}")
    hand = _Hand(rng, number)
    way = rng.choices(tuple(_WAYS), tuple(_WAYS.values()))[0]
    pieces, late = way(hand)
    return Utterance(
        number,
        rng.randint(*rng.choice(_PAUSES_MS)),
        rng.random() > 0.08,
        pieces,
        late,
        rng.choice(JUDGES),
        rng.choice((0, 150, 400, 900)),
        rng.choice(MODELS),
        rng.choice(VOICES),
        rng.randint(0, 6_000) if rng.random() < 0.03 else None,
        rng.randint(200, 5_000) if rng.random() < 0.05 else 0,
    )


Said = tuple[tuple[Piece, ...], tuple[Piece, ...]]


class _Hand:
    """Writes one utterance with words of its own."""

    def __init__(self, rng: Random, number: int) -> None:
        self._rng = rng
        self._next = number * _WORDS_AT_MOST
        self._pace_ms = rng.choice((180, 300, 450))

    def words(self, least: int = 1, most: int = 8) -> list[str]:
        """Return new words."""
        first, self._next = self._next, self._next + self._rng.randint(least, most)
        return [_word(number) for number in range(first, self._next)]

    def growing(self, words: list[str]) -> tuple[Piece, ...]:
        """Return the interims of an utterance, one for each word."""
        texts = (" ".join(words[: n + 1]) for n in range(len(words)))
        return tuple(Piece(self._pace_ms, text) for text in texts)

    def final(self, words: list[str], wait_ms: int, said: int | None = None) -> Piece:
        """Return a final as recognisers write it."""
        text = " ".join(words)
        if self._rng.random() < 0.5:
            text = text.capitalize() + self._rng.choice(".?!")
        took = self._pace_ms * (len(words) if said is None else said)
        return Piece(wait_ms, text, True, took if self._rng.random() < 0.5 else 0)

    def soon(self) -> int:
        """Return how long a recogniser takes."""
        return self._rng.randint(50, 400)

    def later(self) -> int:
        """Return how long it takes while the ear has already looked at what it has shown."""
        return self._rng.randint(900, 5_000)

    # --- ways of speaking ---------------------------------------------------------------------

    def plain(self) -> Said:
        words = self.words()
        return (*self.growing(words)[:-1], self.final(words, self._pace_ms + self.soon())), ()

    def final_only(self) -> Said:
        words = self.words()
        return (self.final(words, self._pace_ms * len(words)),), ()

    def repeated(self) -> Said:
        """The final repeats what may have been answered meanwhile."""
        words = self.words()
        return self.growing(words), (self.final(words, self.later()),)

    def longer(self) -> Said:
        """It also has words more."""
        words, more = self.words(), self.words(1, 4)
        return self.growing(words), (self.final(words + more, self.later()),)

    def revised(self) -> Said:
        """It has another last word; the others are more than the watermark needs."""
        words, other = self.words(7, 9), self.words(1, 1)
        return self.growing(words), (self.final(words[:-1] + other, self.later()),)

    def otherwise(self) -> Said:
        """It is another sentence altogether."""
        shown, words = self.words(), self.words()
        return self.growing(shown), (self.final(words, self.later()),)

    def hurried(self) -> Said:
        """Nobody speaks that fast."""
        words = self.words(4, 8)
        return (Piece(300, " ".join(words), True, 30 * len(words)),), ()

    def in_pieces(self) -> Said:
        """Finals come in mid-utterance."""
        first, second = self.words(), self.words()
        closed = self.final(first, self._pace_ms)
        rest = self.growing(second)[:-1]
        return (*self.growing(first)[:-1], closed, *rest, self.final(second, self.soon())), ()

    def volley(self) -> Said:
        """Three finals come back to back."""
        return (), tuple(self.final(self.words(), self._rng.choice((0, 0, 5))) for _ in range(3))

    def cough(self) -> Said:
        return (), ()


_WAYS: dict[Callable[[_Hand], Said], int] = {
    _Hand.plain: 10,
    _Hand.final_only: 5,
    _Hand.repeated: 5,
    _Hand.longer: 5,
    _Hand.revised: 3,
    _Hand.otherwise: 3,
    _Hand.hurried: 2,
    _Hand.in_pieces: 4,
    _Hand.volley: 3,
    _Hand.cough: 2,
}


def _word(number: int) -> str:
    """Return word ``number``: six letters of no language, the last of which tell it best."""
    syllables = []
    for _ in range(3):
        number, rest = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[rest])
    return "".join(syllables)
