"""What a demo conversation is made of: who makes which sound when, and what must become of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Literal

from jev_turn.errors import ConfigError

Who = Literal["caller", "other"]
NoiseName = Literal["cough", "click", "door slam", "keyboard", "music"]
After = Literal["start", "sound", "bot starts", "bot stops"]

SETTLE_MS = 1200
"""Quiet that what became of a sound needs to show before the next one begins."""


class Fate(StrEnum):
    """What must become of a sound."""

    ANSWERED = "answered"
    """It ends a turn, which gets a reply; nothing ends the turn or replies before."""
    CONTINUED = "continued"
    """A pause in mid-thought: the next line belongs to the same turn."""
    STOPS = "stops the bot"
    """It interrupts the bot; the words may end a turn of their own or join the next line."""
    QUEUED = "queued"
    """It waits while the bot speaks and is answered next, once; the bot goes on."""
    NODDED = "nodded"
    """The bot goes on, and no turn comes of it."""
    UNANSWERED = "unanswered"
    """No turn and no interruption come of it."""
    UNHEARD = "unheard"
    """Neither do words; the gate may open."""
    INVENTED = "invented"
    """The recogniser writes a sentence for it that nobody said; it is dropped by its rate."""
    UNOPENED = "unopened"
    """The gate does not open either."""
    ANY = "anything"
    """Nothing is known about it."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A line that somebody says.

    Attributes:
        text: The words.
        who: ``other`` is a second, deeper voice.
        level_db: Loudness at the microphone, dBFS.
    """

    text: str
    who: Who = "caller"
    level_db: float = -24.0

    @property
    def title(self) -> str:
        """What a person who watches is told."""
        speaker = "" if self.who == "caller" else "another voice: "
        return f"{speaker}\u201c{self.text}\u201d"


@dataclass(frozen=True, slots=True)
class Noise:
    """A sound that is no speech.

    Attributes:
        name: Which one.
        ms: Length, for sounds without an end of their own.
        level_db: Loudness at the microphone, dBFS.
        seed: Picks the very sound.
    """

    name: NoiseName
    ms: int = 0
    level_db: float = -22.0
    seed: int = 0

    @property
    def title(self) -> str:
        """What a person who watches is told."""
        return self.name


@dataclass(frozen=True, slots=True)
class Recording:
    """Sound from a file, whatever it holds.

    Attributes:
        title: The file's name.
    """

    title: str


Sounding = Voice | Noise | Recording


@dataclass(frozen=True, slots=True)
class Cue:
    """When a sound begins.

    Attributes:
        after: The event that it follows: the ``start`` of the call, the end of the ``sound``
            before it, or that the bot starts or stops speaking in answer to the caller's latest
            words.
        ms: How long after it; never before the end of the sound before.
    """

    after: After
    ms: int


@dataclass(frozen=True, slots=True)
class Step:
    """One sound of a conversation.

    Attributes:
        cue: When it begins.
        sound: What it is.
        fate: What must become of it.
        invents: What the recogniser writes for it without having heard it.
    """

    cue: Cue
    sound: Sounding
    fate: Fate
    invents: str = ""


@dataclass(frozen=True, slots=True)
class FinishTurnSetup:
    """A call without barge-in.

    Attributes:
        mic_gate: The microphone is muted while the bot is audible.
        echo: The microphone hears the bot's loudspeaker.
    """

    mic_gate: bool = False
    echo: bool = False


@dataclass(frozen=True, slots=True)
class Killed:
    """The part of a call after which its process is killed.

    Attributes:
        steps: Its sounds.
        after_ms: How long after the last of them it is killed.
    """

    steps: tuple[Step, ...]
    after_ms: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """One call of the demo.

    Attributes:
        name: One word; names its files.
        shows: What to look for.
        steps: The sounds in order.
        finish_turn: Set for a call without barge-in.
        killed: What another process held of the call before it was killed.
    """

    name: str
    shows: str
    steps: tuple[Step, ...]
    finish_turn: FinishTurnSetup | None = None
    killed: Killed | None = None

    def __post_init__(self) -> None:
        for fault in _faults(self.steps):
            raise ConfigError(f"conversation {self.name!r}: {fault}")


TAKES_THE_FLOOR = (Fate.ANSWERED, Fate.QUEUED, Fate.STOPS)
"""The bot speaks after these."""

_NOISE_FATES = (Fate.INVENTED, Fate.UNHEARD, Fate.UNOPENED)


def _faults(steps: tuple[Step, ...]) -> Iterator[str]:
    """Yield what makes a script unplayable or its outcome ambiguous."""
    if not steps or steps[0].cue.after != "start":
        yield "the first sound must follow the start of the call"
    if steps and steps[-1].fate is Fate.CONTINUED:
        yield "the last thought is never finished"
    spoken_to = False
    for number, step in enumerate(steps):
        if step.cue.ms < 0 or (number and step.cue.after == "start"):
            yield f"sound {number}: {step.cue} would lie over the sound before it"
        if step.cue.after.startswith("bot") and not spoken_to:
            yield f"sound {number}: nothing makes the bot speak before it"
        if isinstance(step.sound, Noise) and step.fate not in _NOISE_FATES:
            yield f"sound {number}: a noise cannot be {step.fate}"
        spoken_to = spoken_to or step.fate in TAKES_THE_FLOOR
    for number, (before, after) in enumerate(pairwise(steps), 1):
        yield from _faults_between(number, before, after)


def _faults_between(number: int, before: Step, after: Step) -> Iterator[str]:
    if before.fate is Fate.CONTINUED:
        if after.cue.after != "sound" or not isinstance(after.sound, Voice):
            yield f"sound {number}: a thought goes on after a pause, and in words"
    elif before.fate in (Fate.ANSWERED, Fate.QUEUED) and after.cue.after == "sound":
        yield f"sound {number}: the bot's reply comes before it"
    elif before.fate is not Fate.STOPS and after.cue.after == "sound":
        if after.cue.ms < SETTLE_MS:
            yield f"sound {number}: less than {SETTLE_MS} ms after one that must come to nothing"
