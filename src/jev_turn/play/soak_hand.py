"""Puts one way of speaking down: when it sounds and what the recogniser writes of it, and when."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from jev_turn.play import soak_words
from jev_turn.play.soak_script import Step
from jev_turn.record.heard import words

Rewriting = Callable[[Random, str], str]


class Hand:
    """Writes at its place in time, which moves on with every word.

    A final is always written before the next sound begins.

    Args:
        rng: Decides everything.
    """

    def __init__(self, rng: Random) -> None:
        self.steps: list[Step] = []
        self._rng = rng
        self._at = rng.randint(300, 3_000)
        self._turn = 0
        self._segment = 0
        self._heard_at = 0
        self._latest = "yes"
        self._unclosed = False

    def _words(self) -> str:
        make = soak_words.sentence if self._rng.random() < 0.9 else soak_words.aside
        text = make(self._rng)
        return soak_words.another(self._rng, self._latest) if self._unclosed else text

    def _over(self, text: str) -> None:
        """Say something while the agent speaks, if nothing interrupts it."""
        story = f"Listen. {' '.join(['blah'] * self._rng.randint(6, 30))}."
        self.steps.append(Step(self._at, self._turn, "say", story))
        self._at += self._rng.randint(200, 3_000)
        self._utter(text, interims=self._rng.random() < 0.7)

    def _utter(
        self,
        text: str,
        *,
        sound: bool = True,
        interims: bool = True,
        interim: Rewriting | None = None,
        final: str = "",
        closed: bool = True,
        late_ms: int = 0,
    ) -> None:
        begins, pace = self._at, self._pace()
        if sound:
            self._sound(begins, pace * max(1, len(text.split())))
        else:
            self._at += pace * len(text.split())
        if interims or not closed:
            self._grow(text.split(), begins, pace, interim=interim, last=not closed or late_ms > 0)
        if closed:
            self._at += self._rng.randint(50, 700) + late_ms
            self._heard(self._at, final or self._written(text), final=True)
        self._latest, self._unclosed = text if words(text) else self._latest, False

    def _write(self, text: str, begins: int, pace: int, said: str = "") -> None:
        """Write a segment, whose first words may have been written before."""
        parts = text.split()
        done = len(said.split())
        if said:
            self._sound(begins, pace * (len(parts) - done))
        self._grow(parts, begins - pace * done, pace, first=done + 1)
        self._at = max(self._at, begins + pace * (len(parts) - done) + self._rng.randint(50, 400))
        self._heard(self._at, self._written(text), final=True)
        self._latest, self._unclosed = text, False

    def _grow(
        self,
        parts: list[str],
        begins: int,
        pace: int,
        *,
        first: int = 1,
        last: bool = False,
        interim: Rewriting | None = None,
    ) -> None:
        lag = self._rng.randint(50, min(500, pace + 50))
        for number in range(first, len(parts) + last):
            if number < len(parts) and self._rng.random() < 0.25:
                continue
            text = " ".join(parts[:number])
            if interim is not None and self._rng.random() < 0.5:
                text = interim(self._rng, text)
            self._heard(begins + pace * number + lag, text, final=False)
        self._at = max(self._at, begins + pace * (len(parts) - 1 + last) + lag)

    def _heard(self, at_ms: int, text: str, *, final: bool) -> None:
        at_ms = self._heard_at = max(at_ms, self._heard_at)
        self.steps.append(Step(at_ms, self._turn, "heard", text, final, self._segment))
        self._segment += final

    def _sound(self, at_ms: int, lasts_ms: int) -> None:
        self.steps.append(Step(at_ms, self._turn, "sound", lasts_ms=lasts_ms))
        self._at = at_ms + lasts_ms

    def _written(self, text: str) -> str:
        plain = not text.strip(" .-") or self._rng.random() < 0.5
        return text if plain else soak_words.punctuated(self._rng, text)

    def _pace(self) -> int:
        return self._rng.randint(150, 400)
