"""Words for random calls, and the ways in which a recogniser writes them.

"And", "zero" and "hundred" are kept out: the oracle leaves them out of an overlap, so that numbers
compare however they are written, and the machine does not.
"""

from __future__ import annotations

from random import Random

from jev_turn.record.heard import overlap, words
from jev_turn.record.oracle import LATE_OVERLAP

_SENTENCES = (
    "what is an index", "how long does delivery take", "I would like to change my order",
    "can you repeat that please", "we moved in May", "it arrived broken", "no not that one",
    "my name is Ann", "yes", "no", "okay thanks", "tell me about the warranty", "but then",
    "I don't know", "because the old one stopped working", "the blue one", "never mind",
    "could you send it to my office instead", "is it open on Sunday", "right so the thing is",
    "two tickets for Saturday evening", "where did I put it", "how much is that in total",
)  # fmt: skip
ASIDES = (
    "hey mark dinner is ready", "put it on the table please", "mum is on the phone",
    "did you feed the cat", "turn the radio down",
)  # fmt: skip
NODS = ("uh-huh", "yeah", "mm", "right", "i see", "okay")
_STOPS = ("stop", "wait stop", "hold on", "no no that is wrong", "wait what is that", "uh-huh wait")
_LOOSE = ("yes", "no", "wait", "one", "two", "so", "then", "the", "red", "blue", "it", "is")
_DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def sentence(rng: Random) -> str:
    """Return something that a person may say to an agent."""
    kind = rng.random()
    if kind < 0.1:
        return "my number is " + " ".join(rng.choices(_DIGITS, k=rng.randint(3, 7)))
    if kind < 0.2:
        return " ".join(rng.choices(_LOOSE, k=rng.randint(1, 6)))
    if kind < 0.25:
        return " ".join(rng.choices(_SENTENCES, k=rng.randint(6, 12)))
    return rng.choice(_SENTENCES)


def aside(rng: Random) -> str:
    """Return something that is said to somebody else."""
    return rng.choice(ASIDES)


def nod(rng: Random) -> str:
    """Return a backchannel."""
    return rng.choice(NODS)


def stop(rng: Random) -> str:
    """Return an interruption."""
    return rng.choice(_STOPS)


def another(rng: Random, text: str) -> str:
    """Return a sentence that begins with another word than ``text``."""
    while True:
        found = sentence(rng)
        if words(found)[0] != words(text)[0]:
            return found


def punctuated(rng: Random, text: str) -> str:
    """Return the same words as a final has them: capital, full stop, digits."""
    spelled = {word: str(value) for value, word in enumerate(_DIGITS, 1)}
    parts = text.split()
    if rng.random() < 0.5:
        parts = [spelled.get(part, part) for part in parts]
    if rng.random() < 0.3 and len(parts) > 2:
        parts[rng.randrange(len(parts) - 1)] += ","
    written = " ".join(parts)
    return written[0].upper() + written[1:] + rng.choice((".", "?", "!", "..."))


def misheard(rng: Random, text: str) -> str:
    """Return the words with one of them heard as something else."""
    parts = text.split()
    at = rng.randrange(len(parts))
    parts[at] = rng.choice((parts[at] + "s", parts[at][:-1] or "a", rng.choice(_LOOSE)))
    return " ".join(parts)


def corrected(rng: Random, text: str) -> str:
    """Return a final of nearly the same letters; the same words where none is found."""
    for _ in range(10):
        found = misheard(rng, text)
        if overlap(words(text), words(found)) > LATE_OVERLAP + 0.1:
            return found
    return text
