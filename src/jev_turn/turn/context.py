"""Everything the machine remembers, in one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from jev_turn.turn.effects import Bundle, Segment
from jev_turn.turn.events import AgentState
from jev_turn.turn.verdict import Verdict
from jev_turn.turn.words import tokens


class Phase(StrEnum):
    """Where a turn stands."""

    ARMED = "armed"
    OPENING = "opening"
    OPEN_EMPTY = "open_empty"
    OPEN_TEXT = "open_text"
    JUDGING = "judging"
    WAITING = "waiting"
    CONFIRMING = "confirming"
    HELD = "held"
    ENDING = "ending"


Hold = Literal["backchannel", "undecided", "side_talk", "unheard"]


@dataclass(frozen=True, slots=True)
class Mic:
    """What the gate or voice detector has said.

    Attributes:
        seen: It has said something in this call.
        loud: Between ``Onset`` and ``Quieted``.
        stalled: It has no sound information.
        quiet_since: Start of the present quiet, ms; meaningless while loud.
    """

    seen: bool = False
    loud: bool = False
    stalled: bool = False
    quiet_since: int = 0


@dataclass(frozen=True, slots=True)
class AgentView:
    """What the agent does.

    Attributes:
        state: As the host last said, or ``thinking`` from the machine's own ``EndTurn``.
        since: When that began, ms.
        interrupted: The machine has stopped this reply already.
    """

    state: AgentState = "listening"
    since: int = 0
    interrupted: bool = False

    @property
    def speaks(self) -> bool:
        """True while words would fall over the agent's speech."""
        return self.state == "speaking" and not self.interrupted

    @property
    def thinks(self) -> bool:
        """True while a reply is being made that nobody has stopped."""
        return self.state == "thinking" and not self.interrupted


@dataclass(frozen=True, slots=True)
class Ask:
    """A question on its way."""

    number: int
    bundle: Bundle
    text: str
    quiet_ms: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """The latest verdict on this turn and when it was made."""

    verdict: Verdict
    at: int
    bar: float


@dataclass(frozen=True, slots=True)
class Turn:
    """The words of the open turn and what has become of them.

    Attributes:
        opened_at: When it was opened, ms.
        sounded: There was sound since the last turn was dealt with.
        finals: Closed segments.
        interim: The open segment, if it has words.
        word_at: When the latest new word came, ms.
        ask_from: When the debounce of the latest change began, ms.
        claimed: The words are accepted as a turn.
        hold: Why the turn is held, in phase ``HELD``.
        judged: Latest verdict on any of its words.
        failed_at: When the judge failed on its present words, ms.
        false_open: It has been noted as a false opening.
        accepted_before: Its words were claimed before the agent began to speak over them.
    """

    opened_at: int = 0
    sounded: bool = False
    finals: tuple[Segment, ...] = ()
    interim: Segment | None = None
    word_at: int = 0
    ask_from: int = 0
    claimed: bool = False
    hold: Hold | None = None
    judged: Judgement | None = None
    failed_at: int | None = None
    false_open: bool = False
    accepted_before: bool = False

    @property
    def segments(self) -> tuple[Segment, ...]:
        """All segments with words, in order."""
        return (*self.finals, self.interim) if self.interim else self.finals

    @property
    def text(self) -> str:
        """All words, joined by single spaces."""
        return " ".join(" ".join(s.text for s in self.segments).split())

    @property
    def has_words(self) -> bool:
        """True when at least one segment holds more than white space and punctuation."""
        return any(tokens(s.text) for s in self.segments)


@dataclass(frozen=True, slots=True)
class Late:
    """A segment whose words were taken from an interim; its final is still to come.

    Attributes:
        segment: The segment and the words taken.
        sounded: There has been an ``Onset`` since.
    """

    segment: Segment
    sounded: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """The whole state of one call's turn-taking.

    Attributes:
        at: Time of the latest event, ms.
        phase: Where the turn stands.
        deadline: When the host must send ``Tick``, ms; ``None`` for never.
        asks: Questions without an answer, oldest first.
        next_ask: Number of the next question.
        degraded: The judge gave no verdict when last asked.
        streak: Turns dropped as side-talk in a row.
        over: The call has ended.
    """

    at: int = 0
    phase: Phase = Phase.ARMED
    deadline: int | None = None
    mic: Mic = Mic()
    agent: AgentView = AgentView()
    turn: Turn = Turn()
    asks: tuple[Ask, ...] = ()
    next_ask: int = 1
    late: Late | None = None
    degraded: bool = False
    streak: int = 0
    over: bool = False

    @property
    def mirrored(self) -> bool:
        """True while the pipeline's own idea of a user turn should be kept open."""
        return self.turn.claimed and self.phase is not Phase.HELD
