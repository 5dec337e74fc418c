"""What the machine orders. A host translates each one and never decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Bundle = Literal["listening", "speaking"]
Why = Literal["complete", "timeout", "still", "degraded"]
DiscardKind = Literal["side_talk", "hung_up"]
WithdrawWhy = Literal["words", "held", "agent", "turn_gone", "lost"]


@dataclass(frozen=True, slots=True)
class Segment:
    """One recognised segment's words inside a turn.

    Attributes:
        number: The segment's number, as in ``Heard``.
        text: Its words that belong to this turn (a late final may have been trimmed).
        final: False when the words come from an interim whose final has not arrived.
    """

    number: int
    text: str
    final: bool


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """Open a turn at the transport (Agora: manualSOS; Pipecat: nothing)."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The words are accepted as a turn of the person's."""


@dataclass(frozen=True, slots=True)
class AskJudge:
    """Ask the judge about ``text``.

    Attributes:
        ask: The ask's number; its answer brings it back.
        bundle: ``speaking`` asks four questions, ``listening`` three (no ``taking_floor``).
        text: All words of the turn so far.
        quiet_ms: How long the microphone had been quiet when the ask was made.
    """

    ask: int
    bundle: Bundle
    text: str
    quiet_ms: int


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Stop the agent: it speaks, or is about to, and the person has taken the floor."""


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The person has finished; hand ``text`` to the model.

    Attributes:
        text: All words of the turn, joined by single spaces.
        why: ``complete`` (judged), ``timeout`` (quiet for a cap), ``still`` (no new word for a
            cap in a room that is never quiet), ``degraded`` (silence rule, judge down).
        segments: The same words by segment.
    """

    text: str
    why: Why
    segments: tuple[Segment, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Backchannel:
    """``text`` was a nod; the agent goes on and the words leave the turn."""

    text: str
    segments: tuple[Segment, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Discard:
    """``text`` leaves the turn unanswered, with this trace.

    Attributes:
        kind: Why.
        text: The words.
        numbers: What decided it, by name (probabilities, milliseconds).
    """

    kind: DiscardKind
    text: str
    numbers: tuple[tuple[str, float], ...] = ()
    segments: tuple[Segment, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Retract:
    """The opened turn came to nothing."""


@dataclass(frozen=True, slots=True)
class Speculate:
    """Begin the reply to ``text`` and hold it: the turn is probably over."""

    text: str


@dataclass(frozen=True, slots=True)
class Commit:
    """Let the held reply out: the turn that ``EndTurn`` ends here has the words it answers."""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Throw the held reply away, unheard.

    Attributes:
        why: ``words`` (they have changed), ``held`` (not for the agent after all), ``agent`` (it
            speaks or thinks about something else), ``turn_gone`` (the turn came to nothing) or
            ``lost`` (the reply failed).
    """

    why: WithdrawWhy


@dataclass(frozen=True, slots=True)
class Note:
    """Something was seen and left without effect, or is worth a line in the record."""

    kind: str
    detail: str = ""


Effect = (
    OpenTurn
    | Claim
    | AskJudge
    | Interrupt
    | EndTurn
    | Backchannel
    | Discard
    | Retract
    | Speculate
    | Commit
    | Withdraw
    | Note
)
