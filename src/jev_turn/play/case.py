"""Case files: a conversation as timed events, and what is right about how it must go.

This is where the format is described. What is marked "finish-turn" is refused in a duplex case.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from jev_turn.errors import CaseFileError

Seconds = Annotated[float, Field(ge=0)]
Within = tuple[float, float]
Mode = Literal["duplex", "finish-turn"]
DiscardKind = Literal["strikes", "watermark", "rate", "hung_up"]
T = TypeVar("T", bound=BaseModel)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Event(_Strict):
    """Something that happens at ``at`` seconds of the call.

    Attributes:
        who: ``agent`` speaks, ``user`` or ``other`` speaks near the microphone, ``noise`` is sound
            without words, ``judge`` sets how long answers take from here on, ``stt`` is a final
            that comes late or out of nowhere. Finish-turn: at ``restart`` the process dies, and
            ``dur`` later another takes the call up from the same store.
        say: The words, spread evenly over ``dur`` seconds.
        dur: In finish-turn the recogniser reports it as the length of its finals, of an ``stt``
            event's too unless it is 0.
        stt: ``final_only`` or ``interim_only``; interims and a final otherwise.
        finals_at: Times of finals in mid-utterance.
        vad: False for a sound too weak for the gate.
        kind: The noise.
        latency: Of the judge, s.
        confidence: The recogniser's, 0 to 1.
    """

    at: Seconds
    who: Literal["agent", "user", "other", "noise", "judge", "stt", "restart"]
    say: str = ""
    dur: Seconds = 0.0
    stt: Literal["", "final_only", "interim_only"] = ""
    finals_at: tuple[Seconds, ...] = ()
    vad: bool = True
    kind: str = ""
    latency: Seconds | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None


class Dropped(_Strict):
    """Words that the reply list must drop.

    Attributes:
        kind: Why; ``watermark`` are words that a final repeated.
        text: Which; any if not given.
    """

    kind: DiscardKind
    text: str | None = None


class Expect(_Strict):
    """What must be true of the call; times in seconds. Exactly one of these is given.

    Attributes:
        turns: How many messages of the user are in the model's context.
        replies: How many replies left the loudspeaker.
        replies_at_most: As ``replies``.
        interrupts: How many interruptions there were.
        backchannels: How many nods were taken for nods.
        interrupt_within: All interruptions, and at least one, lie in this range.
        turn_end_within: All messages, and at least one, were written in this range.
        no_turn_end_before: None was written earlier.
        turn_contains: Words that stand together in the messages, case and punctuation aside.
        said_twice: Words came out twice.
        open_at_end: Words wait when the call ends.
        cuts: Finish-turn: how many cuts the reply list took in.
        discards: Finish-turn: exactly these were dropped, in order.
        errors: Finish-turn: how many errors were reported.
        reply_within: Finish-turn: all replies, and at least one, begin to be heard in this range.
        held_s: Finish-turn: the longest that the mouth held a reply.
        muted_s: Finish-turn: how long the microphone was muted, all in all.
        unheard: Finish-turn: words near the microphone that reached no recogniser, because it
            was muted; all of them, in order.
        never_transcribed: Finish-turn: words that the recogniser must not have written.
    """

    turns: int | None = None
    replies: int | None = None
    replies_at_most: int | None = None
    interrupts: int | None = None
    backchannels: int | None = None
    interrupt_within: Within | None = None
    turn_end_within: Within | None = None
    no_turn_end_before: Seconds | None = None
    turn_contains: tuple[str, ...] | None = None
    said_twice: bool | None = None
    open_at_end: bool | None = None
    cuts: int | None = None
    discards: tuple[Dropped, ...] | None = None
    errors: int | None = None
    reply_within: Within | None = None
    held_s: Within | None = None
    muted_s: Within | None = None
    unheard: str | None = None
    never_transcribed: tuple[str, ...] | None = None

    def given(self) -> tuple[str, Any]:
        """Return the name and value of what is expected."""
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"one expectation was expected, not {len(given)}")
        return given[0], getattr(self, given[0])


class Case(_Strict):
    """One conversation.

    Attributes:
        id: Its name.
        events: What happens.
        expect: What must come of it.
        what: What happens, for people.
        right: What is right about the expectation, for people.
        url: Where it comes from.
        mode: How turns are taken; ``--mode`` by default.
        reply: Finish-turn: what the model says in each reply, behind its number.
        mic_gate: Finish-turn: the microphone is muted while the bot can be heard.
        echo: Finish-turn: the microphone hears the loudspeaker.
    """

    id: str
    events: tuple[Event, ...]
    expect: tuple[Expect, ...]
    what: str = ""
    right: str = ""
    url: str = ""
    mode: Mode | None = None
    reply: str = ""
    mic_gate: bool = False
    echo: bool = False

    @property
    def ends_at(self) -> float:
        """When the last event is over, s."""
        return max((event.at + event.dur for event in self.events), default=0.0)

    def not_duplex(self) -> Iterator[str]:
        """Yield the keys that only finish-turn knows."""
        yield from (name for name in ("reply", "mic_gate", "echo") if getattr(self, name))
        yield from (f"events.{n}" for n, e in enumerate(self.events) if e.who == "restart")
        for number, expect in enumerate(self.expect):
            if (name := expect.given()[0]) in _FINISH_TURN_ONLY:
                yield f"expect.{number}.{name}"


_FINISH_TURN_ONLY = {
    "cuts",
    "discards",
    "errors",
    "reply_within",
    "held_s",
    "muted_s",
    "unheard",
    "never_transcribed",
}


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A file's cases, and where they come from."""

    path: Path
    cases: tuple[Case, ...]


def load(path: Path, mode: Mode = "duplex") -> CaseFile:
    """Read a case file.

    Args:
        path: A JSON object with ``cases``; ``format`` is prose.
        mode: Of the cases that name none.

    Returns:
        The file.

    Raises:
        CaseFileError: It cannot be read, or a case says something that is not known.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CaseFileError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise CaseFileError(f"{path}: not JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("cases"), list):
        raise CaseFileError(f"{path}: cases: a list was expected")
    if not data["cases"]:
        raise CaseFileError(f"{path}: cases: at least one was expected")
    for key in data.keys() - {"format", "cases"}:
        raise CaseFileError(f"{path}: {key}: unknown key")
    cases = (_case(path, raw, n, mode) for n, raw in enumerate(data["cases"]))
    return CaseFile(path, tuple(cases))


def _case(path: Path, raw: object, number: int, mode: Mode) -> Case:
    name = raw.get("id", f"case {number}") if isinstance(raw, dict) else f"case {number}"
    try:
        case = Case.model_validate(raw)
        for expect in case.expect:
            expect.given()
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise CaseFileError(f"{path}: {name}: {key}: {first['input']!r}: {first['msg']}") from None
    except ValueError as error:
        raise CaseFileError(f"{path}: {name}: expect: {error}") from None
    case = case.model_copy(update={"mode": case.mode or mode})
    if case.mode == "duplex" and (wrong := next(case.not_duplex(), None)):
        raise CaseFileError(f"{path}: {name}: {wrong}: only finish-turn knows this")
    return case
