"""What the reply list and the mouth order. A host translates each one and never decides.

Those in ``STORED`` are written in one transaction per dispatch before any other effect of that
dispatch is carried out, so that a crash at any line loses no word and answers none twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CutWhy = Literal["enough", "degraded"]
DiscardKind = Literal["strikes", "watermark", "rate", "hung_up"]
OpenWhy = Literal["finished", "quiet", "ceiling", "still"]
HoldWhy = Literal["short", "unfinished", "late", "error", "resumed"]

Numbers = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of what a person said that is worth an answer.

    Attributes:
        id: Its number in the call, in order of arrival.
        at: When it was cut, ms.
        text: Its words, joined by single spaces.
        segment: The recogniser's segment that its last words come from.
        score: ``enough_to_answer`` as judged; 0 when nobody judged it.
        why: ``enough`` (judged) or ``degraded`` (the judge or the recogniser was away).
    """

    id: int
    at: int
    text: str
    segment: int
    score: float
    why: CutWhy


@dataclass(frozen=True, slots=True)
class AskEar:
    """Ask the judge whether ``text`` is enough to answer, and whether it asks for time.

    Attributes:
        ask: The ask's number; its answer brings it back.
        text: All words that are in no cut yet.
        quiet_ms: How long the microphone had been quiet when the ask was made.
    """

    ask: int
    text: str
    quiet_ms: int


@dataclass(frozen=True, slots=True)
class KeepCut:
    """Append ``cut`` to the reply list."""

    cut: Cut


@dataclass(frozen=True, slots=True)
class KeepWords:
    """These words of closed segments are in no cut yet; they take the place of earlier ones.

    Attributes:
        pieces: (segment, text) in order; empty when all words are in cuts or dropped.
    """

    pieces: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """``text`` of an open segment has been taken; its final will repeat it.

    Attributes:
        segment: The segment's number.
        text: The whole segment as the recogniser had written it.
    """

    segment: int
    text: str


@dataclass(frozen=True, slots=True)
class Unmark:
    """The segment's final has come, or will not come any more: its mark is void."""

    segment: int


@dataclass(frozen=True, slots=True)
class Discard:
    """``text`` is dropped unanswered; this is its trace.

    Attributes:
        kind: ``strikes`` (judged insufficient again and again), ``watermark`` (a final repeats
            what was taken), ``rate`` (faster than any person), ``hung_up``.
        text: The words.
        numbers: What decided it, by name.
    """

    kind: DiscardKind
    text: str
    numbers: Numbers = ()


@dataclass(frozen=True, slots=True)
class Rejoin:
    """``text``, dropped by strikes shortly before, is back in front of new words."""

    text: str


@dataclass(frozen=True, slots=True)
class StartTurn:
    """Hand the whole list to the model: one user message, one run.

    Attributes:
        turn: The turn's number.
        cuts: What it eats, in order of arrival.
        text: Their texts, joined by single spaces.
        fresh: The part of ``text`` that no earlier run was given; differs from it only in a
            turn that tries failed words again.
    """

    turn: int
    cuts: tuple[Cut, ...]
    text: str
    fresh: str


@dataclass(frozen=True, slots=True)
class TurnSpoke:
    """Audio of the turn leaves: from here on nothing answers its cuts again."""

    turn: int


@dataclass(frozen=True, slots=True)
class EndTurnRecord:
    """The turn is over. Each turn gets this once, or ``RestoreCuts`` once.

    Attributes:
        turn: Its number.
        answer: What the model wrote.
        ok: It was answered and heard, or had nothing to say.
        error: What went wrong otherwise: the run's own error, ``silent`` (text without audio),
            ``unspoken`` (the person never let it in), ``stuck``, ``hung_up``...
    """

    turn: int
    answer: str
    ok: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class RestoreCuts:
    """The turn failed before anybody heard it: its cuts go back to the list's head, once.

    Attributes:
        turn: Its number.
        error: The run's error.
    """

    turn: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class ReconnectStt:
    """Ask the recogniser to connect anew; ``attempt`` counts from 1 until it hears again."""

    attempt: int


@dataclass(frozen=True, slots=True)
class GapMarked:
    """Sound between these times was not recognised, ms."""

    from_ms: int
    to_ms: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something was seen and left without effect, or is worth a line in the record."""

    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AskMouth:
    """Ask the judge whether the person has finished.

    Attributes:
        ask: The ask's number; its answer brings it back.
        text: All that was said since the last reply.
        quiet_ms: How long the person had been quiet when the ask was made.
    """

    ask: int
    text: str
    quiet_ms: int


@dataclass(frozen=True, slots=True)
class Open:
    """Let the held reply out and be transparent for the rest of the turn.

    Attributes:
        turn: The turn whose reply is held.
        why: ``finished`` (judged), ``quiet`` (long enough without a judge), ``ceiling`` (held
            for as long as anything is), ``still`` (the same in a room that is never quiet).
        quiet_ms: How long the person had been quiet.
        score: ``turn_finished``; ``None`` when no verdict decided.
    """

    turn: int
    why: OpenWhy
    quiet_ms: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """The reply stays held; a trace with the same numbers as ``Open``.

    Attributes:
        turn: The turn whose reply is held.
        why: ``short`` (a first chunk has come, and the person is not quiet for long enough),
            ``unfinished``, ``late`` (the verdict is about earlier words, or sound came since),
            ``error``, ``resumed`` (the person spoke again before the first audio left).
        quiet_ms: How long the person has been quiet.
        score: ``turn_finished``; ``None`` without a verdict.
    """

    turn: int
    why: HoldWhy
    quiet_ms: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class LetGo:
    """The first audio may leave: nobody has spoken since the mouth opened."""

    turn: int


@dataclass(frozen=True, slots=True)
class Unspoken:
    """The person never stopped: drop what is held, and keep its text for the next turn."""

    turn: int


@dataclass(frozen=True, slots=True)
class Withdraw:
    """New words came: drop what is held (``on_resume="withdraw"`` only)."""

    turn: int


STORED = (
    KeepCut,
    KeepWords,
    Mark,
    Unmark,
    Discard,
    Rejoin,
    StartTurn,
    TurnSpoke,
    EndTurnRecord,
    RestoreCuts,
    GapMarked,
)

Stored = (
    KeepCut
    | KeepWords
    | Mark
    | Unmark
    | Discard
    | Rejoin
    | StartTurn
    | TurnSpoke
    | EndTurnRecord
    | RestoreCuts
    | GapMarked
)
Effect = Stored | AskEar | ReconnectStt | Note
MouthEffect = AskMouth | Open | Hold | LetGo | Unspoken | Withdraw | Note
