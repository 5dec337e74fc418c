"""A call that outlives a process: where it is kept, and what a killed process left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jev_turn.record import Record


@dataclass(frozen=True, slots=True)
class Before:
    """What a process that was killed has left of a call.

    Attributes:
        exit_code: Of the process; less than 0 for the signal that ended it.
        records: Its part of the call record.
    """

    exit_code: int
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a call is kept that outlives a process.

    Attributes:
        place: The store's folder.
        call: Its id.
        before: What a killed process left; ``None`` in that process itself.
    """

    place: Path
    call: str
    before: Before | None = None
