"""Everything the machine remembers, in one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from jev_turn.turn.effects import Bundle, Segment
from jev_turn.turn.events import AgentState
from jev_turn.turn.verdict import Verdict


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
    """A question on its way, and when it was asked (ms)."""

    at: int
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
class Words:
    """The words of a turn; white space and punctuation alone are none.

    Attributes:
        finals: Closed segments.
        interim: The open segment.
        written: The open segment as the recogniser wrote it, an earlier turn's words included.
        text: All words, joined by single spaces.
    """

    finals: tuple[Segment, ...] = ()
    interim: Segment | None = None
    written: str = ""
    text: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", " ".join(" ".join(s.text for s in self.segments).split()))

    @property
    def segments(self) -> tuple[Segment, ...]:
        """All segments, in order."""
        return (*self.finals, self.interim) if self.interim else self.finals


@dataclass(frozen=True, slots=True)
class Turn:
    """The open turn and what has become of its words.

    Attributes:
        opened_at: When it was opened, ms.
        sounded: There was sound that its first words can come from.
        words: What was heard.
        word_at: When the latest new word came, ms.
        sound_at: The first ``Onset`` since then, ms.
        quiet_from: Words came without sound at this time, ms; quiet counts from there.
        ask_from: When the debounce of the latest change began, ms.
        claimed: The words are accepted as a turn.
        hold: Why the turn is held, in phase ``HELD``.
        freed_at: When it was last let go of without new words, ms.
        judged: Latest verdict on any of its words.
        failed_at: When the judge failed on its present words, ms.
        false_open: It has been noted as a false opening.
        accepted_before: Its words were claimed before the agent began to speak over them.
        before_agent: Its words when the agent began to speak.
        guessed: The words that a reply was begun to before the end, oldest first.
    """

    opened_at: int = 0
    sounded: bool = False
    words: Words = Words()
    word_at: int = 0
    sound_at: int | None = None
    quiet_from: int = 0
    ask_from: int = 0
    claimed: bool = False
    hold: Hold | None = None
    freed_at: int = 0
    judged: Judgement | None = None
    failed_at: int | None = None
    false_open: bool = False
    accepted_before: bool = False
    before_agent: str = ""
    guessed: tuple[str, ...] = ()

    @property
    def finals(self) -> tuple[Segment, ...]:
        """Closed segments."""
        return self.words.finals

    @property
    def interim(self) -> Segment | None:
        """The open segment, if it has words."""
        return self.words.interim

    @property
    def text(self) -> str:
        """All words, joined by single spaces."""
        return self.words.text

    @property
    def has_words(self) -> bool:
        """True when there is more than white space and punctuation."""
        return bool(self.words.text)


@dataclass(frozen=True, slots=True)
class Late:
    """A segment whose words were taken from an interim; its final is still to come.

    Attributes:
        number: The segment's number.
        text: All that was taken from it.
        sounded: There has been an ``Onset`` since.
    """

    number: int
    text: str
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
        guess: The words that a held reply answers; ``None`` without one.
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
    guess: str | None = None
    degraded: bool = False
    streak: int = 0
    over: bool = False

    @property
    def mirrored(self) -> bool:
        """True while the pipeline's own idea of a user turn should be kept open."""
        return self.turn.claimed and self.phase is not Phase.HELD


if TYPE_CHECKING:
    from dataclasses import replace as replace
else:
    _VALUES = {cls: attrgetter(*cls.__slots__) for cls in (Mic, AgentView, Turn, Late, Context)}

    def replace(state: Any, /, **changes: Any) -> Any:
        """Copy one of the values above with some fields changed.

        ``dataclasses.replace`` does the same at three times the cost, which is most of what a
        dispatch takes.
        """
        cls = type(state)
        copy, put = object.__new__(cls), object.__setattr__
        for name, value in zip(cls.__slots__, _VALUES[cls](state), strict=True):
            put(copy, name, value)
        for name, value in changes.items():
            put(copy, name, value)
        return copy
