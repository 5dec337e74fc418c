"""Everything the reply list remembers, in one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from jev_turn.replies.effects import Cut
from jev_turn.turn.events import AgentState

__all__ = [
    "Agent",
    "Ask",
    "Buffer",
    "Context",
    "Dropped",
    "Ear",
    "Flight",
    "Judgement",
    "Marked",
    "Mic",
    "Piece",
    "Stt",
    "replace",
    "resumed",
]


@dataclass(frozen=True, slots=True)
class Mic:
    """What the gate or voice detector has said.

    Attributes:
        loud: Between ``Onset`` and ``Quieted``.
        stalled: It has no sound information, or is muted.
        loud_since: Start of the present sound, ms; meaningless while quiet.
        quiet_since: Start of the present quiet, ms; meaningless while loud.
    """

    loud: bool = False
    stalled: bool = False
    loud_since: int = 0
    quiet_since: int = 0

    @property
    def sounds(self) -> bool:
        """True while there is sound from the person."""
        return self.loud and not self.stalled


@dataclass(frozen=True, slots=True)
class Agent:
    """What the agent does, and since when (ms)."""

    state: AgentState = "listening"
    since: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of one segment."""

    segment: int
    text: str


@dataclass(frozen=True, slots=True)
class Buffer:
    """The words that are in no cut yet; white space and punctuation alone are none.

    Attributes:
        finals: Closed segments.
        interim: The open segment's words.
        written: The open segment as the recogniser wrote it, consumed words included.
        text: All words, joined by single spaces.
    """

    finals: tuple[Piece, ...] = ()
    interim: Piece | None = None
    written: Piece | None = None
    text: str = field(init=False, default="")

    def __post_init__(self) -> None:
        words = " ".join(" ".join(piece.text for piece in self.pieces).split())
        object.__setattr__(self, "text", words)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All words by segment, in order."""
        return (*self.finals, self.interim) if self.interim else self.finals


@dataclass(frozen=True, slots=True)
class Ask:
    """A question on its way.

    Attributes:
        number: Its number.
        at: When it was asked, ms.
        text: What it is about.
        void: Its words have left the buffer since.
    """

    number: int
    at: int
    text: str
    void: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on the present words."""

    enough: float
    holding: float


@dataclass(frozen=True, slots=True)
class Ear:
    """How the words in the buffer stand with the judge.

    Attributes:
        asks: Questions without an answer, oldest first.
        next_ask: Number of the next question.
        next_tick: When to look again, ms; ``None`` while the buffer is empty.
        grown_at: When the words last changed, ms.
        sound_at: The first ``Onset`` since then, ms.
        judged: The verdict on the words as they are.
        strikes: Looks at them since they changed that found them insufficient.
        away: The judge gave no verdict when last asked.
    """

    asks: tuple[Ask, ...] = ()
    next_ask: int = 1
    next_tick: int | None = None
    grown_at: int = 0
    sound_at: int | None = None
    judged: Judgement | None = None
    strikes: int = 0
    away: bool = False


@dataclass(frozen=True, slots=True)
class Marked:
    """An open segment of which ``text`` was taken; its final is still to come."""

    segment: int
    text: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """Words dropped by strikes.

    Attributes:
        text: The words.
        at: When they were dropped, ms.
        segment: The segment that the last of them come from.
        open_segment: The same if its final was still to come.
    """

    text: str
    at: int
    segment: int
    open_segment: int | None


@dataclass(frozen=True, slots=True)
class Flight:
    """The turn in flight.

    Attributes:
        turn: Its number.
        cuts: What it ate.
        alive_at: The latest sign of life, ms.
        retry: Some of its cuts have been restored once.
        spoke: Audio of it may have left: nothing answers its cuts again.
        heard: Audio of it has left.
        held: The mouth holds its reply.
        answer: What the model wrote; ``None`` while the run goes on.
        error: How the run failed, if it wrote something before it did.
        due_at: When audio must have left, ms, once the run is over and nothing is held.
    """

    turn: int
    cuts: tuple[Cut, ...]
    alive_at: int
    retry: bool = False
    spoke: bool = False
    heard: bool = False
    held: bool = False
    answer: str | None = None
    error: str = ""
    due_at: int | None = None


@dataclass(frozen=True, slots=True)
class Stt:
    """Whether the recogniser hears.

    Attributes:
        said_at: The latest text, or when it last connected, ms.
        deaf_from: Start of the gap, ms; ``None`` while it hears.
        given_up: It said nothing about the present sound for so long that nobody waits for it.
        attempt: Connections asked for since it last said something.
        retry_at: When to ask for the next one, or to take the last one for failed, ms.
        state: ``waiting`` for ``retry_at``, ``asked`` and without an answer, or neither.
    """

    said_at: int = 0
    deaf_from: int | None = None
    given_up: bool = False
    attempt: int = 0
    retry_at: int | None = None
    state: Literal["", "waiting", "asked"] = ""


@dataclass(frozen=True, slots=True)
class Context:
    """The whole state of one call's reply list.

    Attributes:
        at: Time of the latest event, ms.
        deadline: When the host must send ``Tick``, ms; ``None`` for never.
        buffer: The words that are in no cut yet.
        mark: What was taken of the open segment.
        withheld: An interim too fast for a person; its final decides.
        dropped: Words that new ones may bring back.
        pending: Cuts that wait, in order.
        restored: Ids of pending cuts that a failed turn gave back; the model knows their words.
        forgiven: The same of a process that has died; its model is not this one.
        flight: The turn in flight.
        next_cut: Number of the next cut.
        next_turn: Number of the next turn.
        over: The call has ended.
    """

    at: int = 0
    deadline: int | None = None
    mic: Mic = Mic()
    agent: Agent = Agent()
    buffer: Buffer = Buffer()
    ear: Ear = Ear()
    stt: Stt = Stt()
    mark: Marked | None = None
    withheld: Piece | None = None
    dropped: Dropped | None = None
    pending: tuple[Cut, ...] = ()
    restored: frozenset[int] = frozenset()
    forgiven: frozenset[int] = frozenset()
    flight: Flight | None = None
    next_cut: int = 1
    next_turn: int = 1
    over: bool = False


def resumed(
    pending: tuple[Cut, ...],
    *,
    next_cut: int,
    next_turn: int,
    words: tuple[Piece, ...] = (),
    forgiven: frozenset[int] = frozenset(),
) -> Context:
    """Take a call up again that another process left.

    Marks are not taken over: the recogniser begins anew, and no final of an old segment comes.
    The host sends a ``Tick`` at once, since nothing has armed a deadline yet.

    Args:
        pending: The cuts that nobody has answered, in order.
        next_cut: One more than the highest cut so far.
        next_turn: One more than the highest turn so far.
        words: Closed segments that were in no cut yet, in order.
        forgiven: Ids of cuts that a failed turn gave back: no second failure is forgiven.

    Returns:
        The state to begin with.
    """
    return Context(
        buffer=Buffer(words),
        ear=Ear(next_tick=0 if words else None),
        pending=pending,
        forgiven=forgiven,
        next_cut=next_cut,
        next_turn=next_turn,
    )
