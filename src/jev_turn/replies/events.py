"""What has happened, for the reply list and the mouth; sound, agent and time as in ``turn``.

``Stalled`` also stands for a microphone that the agent's own speech mutes: there is no sound
information then, and quiet counts anew from its end.
"""

from __future__ import annotations

from dataclasses import dataclass

from jev_turn.turn.events import Agent, HungUp, Onset, Quieted, Stalled, Tick
from jev_turn.turn.verdict import probability

__all__ = [
    "DROPPED",
    "AboutToSpeak",
    "Agent",
    "Dropped",
    "EarFailed",
    "EarJudged",
    "Event",
    "FirstChunk",
    "HeardFor",
    "HungUp",
    "Leaving",
    "MouthEvent",
    "MouthFailed",
    "MouthJudged",
    "OfTurn",
    "Onset",
    "Quieted",
    "ReplyHeld",
    "ReplyOpened",
    "ReplyUnspoken",
    "RunEnded",
    "SpokeFirst",
    "Stalled",
    "SttDown",
    "SttUp",
    "Tick",
    "TurnOver",
    "Words",
]

DROPPED = "dropped"
"""``RunEnded.error`` of a run that the application stopped; its cuts are not tried again."""


@dataclass(frozen=True, slots=True)
class HeardFor:
    """The recogniser's text of one segment, whole: an interim replaces, a final closes it.

    Attributes:
        text: The segment's text so far.
        final: True when the recogniser will not change it again.
        segment: Number of the segment; the host counts up at each final.
        duration_ms: How long the words took, by the recogniser or else by the gate's open time;
            ``None`` when nobody knows.
    """

    at: int
    text: str
    final: bool
    segment: int
    duration_ms: float | None = None


@dataclass(frozen=True, slots=True)
class EarJudged:
    """The answer to ``AskEar`` number ``ask``.

    Attributes:
        enough: ``enough_to_answer``, 0 to 1.
        holding: ``holding_floor``, 0 to 1.
    """

    at: int
    ask: int
    enough: float
    holding: float = 0.0

    def __post_init__(self) -> None:
        probability(self.enough, "enough_to_answer")
        probability(self.holding, "holding_floor")


@dataclass(frozen=True, slots=True)
class EarFailed:
    """``AskEar`` number ``ask`` will have no answer; ``error`` is a ``JudgeError.kind``."""

    at: int
    ask: int
    error: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The model's run for a turn is over, whether or not its words have been spoken.

    Attributes:
        turn: The turn, as in ``StartTurn``.
        answer: All that it wrote.
        ok: It came to its own end.
        error: Otherwise, what went wrong; ``DROPPED`` when the application stopped it.
    """

    at: int
    turn: int
    answer: str
    ok: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class AboutToSpeak:
    """The first audio of a turn will leave as soon as this is stored."""

    at: int
    turn: int


@dataclass(frozen=True, slots=True)
class SpokeFirst:
    """The first audio of a turn has left the output transport."""

    at: int
    turn: int


@dataclass(frozen=True, slots=True)
class ReplyHeld:
    """The mouth holds the turn's first chunk: that no audio leaves is no failure."""

    at: int
    turn: int


@dataclass(frozen=True, slots=True)
class ReplyOpened:
    """The mouth has opened for the turn."""

    at: int
    turn: int


@dataclass(frozen=True, slots=True)
class ReplyUnspoken:
    """The mouth gave the turn's reply up; ``answer`` is what it had of it."""

    at: int
    turn: int
    answer: str


@dataclass(frozen=True, slots=True)
class SttUp:
    """The recogniser has connected anew, as ``ReconnectStt`` asked."""

    at: int


@dataclass(frozen=True, slots=True)
class SttDown:
    """The recogniser could not connect."""

    at: int
    error: str


OfTurn = RunEnded | AboutToSpeak | SpokeFirst | ReplyHeld | ReplyOpened | ReplyUnspoken
Event = (
    Onset
    | Quieted
    | Stalled
    | HeardFor
    | EarJudged
    | EarFailed
    | Agent
    | OfTurn
    | SttUp
    | SttDown
    | HungUp
    | Tick
)


@dataclass(frozen=True, slots=True)
class FirstChunk:
    """A reply begins: its first chunk is at the mouth.

    Attributes:
        turn: The person's turn that it answers; a tool's follow-up reply has the same one.
    """

    at: int
    turn: int


@dataclass(frozen=True, slots=True)
class Words:
    """What was said since the last reply is now ``text``, whole.

    Attributes:
        heard: There are new words in it; otherwise some were only taken away.
    """

    at: int
    text: str
    heard: bool = True


@dataclass(frozen=True, slots=True)
class MouthJudged:
    """The answer to ``AskMouth`` number ``ask``; ``finished`` is ``turn_finished``, 0 to 1."""

    at: int
    ask: int
    finished: float

    def __post_init__(self) -> None:
        probability(self.finished, "turn_finished")


@dataclass(frozen=True, slots=True)
class MouthFailed:
    """``AskMouth`` number ``ask`` will have no answer; ``error`` is a ``JudgeError.kind``."""

    at: int
    ask: int
    error: str


@dataclass(frozen=True, slots=True)
class Leaving:
    """The first audio of an opened reply is about to leave."""

    at: int


@dataclass(frozen=True, slots=True)
class TurnOver:
    """The reply's stream has ended; what is held of it stays held."""

    at: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """The application dropped the reply, or the call is over: nothing is held any more."""

    at: int


MouthEvent = (
    Onset
    | Quieted
    | Stalled
    | FirstChunk
    | Words
    | MouthJudged
    | MouthFailed
    | Leaving
    | TurnOver
    | Dropped
    | Tick
)
