"""Case files: a conversation as timed events, and what is right about how it must go."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from jev_turn.errors import CaseFileError

Seconds = Annotated[float, Field(ge=0)]
Within = tuple[float, float]
T = TypeVar("T", bound=BaseModel)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Event(_Strict):
    """Something that happens at ``at`` seconds of the call.

    Attributes:
        who: ``agent`` speaks, ``user`` or ``other`` speaks near the microphone, ``noise`` is sound
            without words, ``judge`` sets how long answers take from here on, ``stt`` is a late
            final.
        say: The words, spread evenly over ``dur`` seconds.
        stt: ``final_only`` or ``interim_only``; interims and a final otherwise.
        finals_at: Times of finals in mid-utterance.
        vad: False for a sound too weak for the gate.
        kind: The noise.
        latency: Of the judge, s.
        confidence: The recogniser's, 0 to 1.
    """

    at: Seconds
    who: Literal["agent", "user", "other", "noise", "judge", "stt"]
    say: str = ""
    dur: Seconds = 0.0
    stt: Literal["", "final_only", "interim_only"] = ""
    finals_at: tuple[Seconds, ...] = ()
    vad: bool = True
    kind: str = ""
    latency: Seconds | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None


class Expect(_Strict):
    """What must be true of the call; times in seconds. Exactly one of these is given."""

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

    def given(self) -> tuple[str, Any]:
        """Return the name and value of what is expected."""
        given = self.model_dump(exclude_none=True)
        if len(given) != 1:
            raise ValueError(f"one expectation was expected, not {len(given)}")
        return next(iter(given.items()))


class Case(_Strict):
    """One conversation."""

    id: str
    events: tuple[Event, ...]
    expect: tuple[Expect, ...]
    what: str = ""
    right: str = ""
    url: str = ""
    mode: Literal["duplex"] = "duplex"

    @property
    def ends_at(self) -> float:
        """When the last event is over, s."""
        return max((event.at + event.dur for event in self.events), default=0.0)


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A file's cases, and where they come from."""

    path: Path
    cases: tuple[Case, ...]


def load(path: Path) -> CaseFile:
    """Read a case file.

    Args:
        path: A JSON object with ``cases``; ``format`` is prose.

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
    for key in data.keys() - {"format", "cases"}:
        raise CaseFileError(f"{path}: {key}: unknown key")
    return CaseFile(path, tuple(_case(path, raw, n) for n, raw in enumerate(data["cases"])))


def _case(path: Path, raw: object, number: int) -> Case:
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
    return case
