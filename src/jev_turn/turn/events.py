"""What has happened: past facts, ``at`` (whole ms of one monotonic clock) first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jev_turn.turn.verdict import Verdict

AgentState = Literal["listening", "thinking", "speaking"]


@dataclass(frozen=True, slots=True)
class Onset:
    """The level has been above the gate long enough: somebody may be speaking."""

    at: int


@dataclass(frozen=True, slots=True)
class Quieted:
    """The level has been under the gate for ``quiet_ms``: silence since ``at - quiet_ms``."""

    at: int
    quiet_ms: int


@dataclass(frozen=True, slots=True)
class Stalled:
    """The microphone delivers no sound information (``stalled``), or delivers again."""

    at: int
    stalled: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """The transport has opened the turn that ``OpenTurn`` asked for."""

    at: int


@dataclass(frozen=True, slots=True)
class OpenRefused:
    """The transport would not open the turn."""

    at: int
    reason: str


@dataclass(frozen=True, slots=True)
class Heard:
    """The recogniser's text of one segment, whole: an interim replaces, a final closes it.

    Attributes:
        text: The segment's text so far.
        final: True when the recogniser will not change it again.
        segment: Number of the segment; the host counts up at each final.
    """

    at: int
    text: str
    final: bool
    segment: int


@dataclass(frozen=True, slots=True)
class Judged:
    """The answer to ask number ``ask``."""

    at: int
    ask: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class JudgeFailed:
    """Ask number ``ask`` will have no answer; ``error`` is a ``JudgeError.kind``."""

    at: int
    ask: int
    error: str


@dataclass(frozen=True, slots=True)
class Agent:
    """What the agent does from this moment on."""

    at: int
    state: AgentState


@dataclass(frozen=True, slots=True)
class Ended:
    """The transport has ended the turn that ``EndTurn`` asked for."""

    at: int


@dataclass(frozen=True, slots=True)
class EndRefused:
    """The transport would not end the turn."""

    at: int
    reason: str


@dataclass(frozen=True, slots=True)
class EndedElsewhere:
    """Somebody else ended the open turn (a server's limit, the bot's own strategy)."""

    at: int
    reason: str


@dataclass(frozen=True, slots=True)
class SpeculationLost:
    """The reply that ``Speculate`` began will not come.

    Attributes:
        reason: ``pipeline`` when whoever holds the reply has withdrawn it already (it wants a
            tool), else what went wrong.
    """

    at: int
    reason: str


@dataclass(frozen=True, slots=True)
class HungUp:
    """The call is over."""

    at: int


@dataclass(frozen=True, slots=True)
class Tick:
    """``ctx.deadline`` has come."""

    at: int


Event = (
    Onset
    | Quieted
    | Stalled
    | Opened
    | OpenRefused
    | Heard
    | Judged
    | JudgeFailed
    | Agent
    | Ended
    | EndRefused
    | EndedElsewhere
    | SpeculationLost
    | HungUp
    | Tick
)
