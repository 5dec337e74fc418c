"""Effects for the reply list's database, and a death that is quicker than a process's."""

from __future__ import annotations

from collections.abc import Iterable

from jev_turn.replies.effects import Cut, EndTurnRecord, KeepCut, StartTurn
from jev_turn.replies.store import ReplyStore


def cut(number: int, text: str = "") -> Cut:
    """Return cut ``number``, said in a segment of that number."""
    return Cut(number, 1000 * number, text or f"cut {number}", number, 0.75, "enough")


def keep(*numbers: int) -> list[KeepCut]:
    """Return the effects that keep these cuts."""
    return [KeepCut(cut(number)) for number in numbers]


def start(turn: int, *numbers: int) -> StartTurn:
    """Return the effect that lets a turn eat these cuts."""
    cuts = tuple(map(cut, numbers))
    text = " ".join(one.text for one in cuts)
    return StartTurn(turn, cuts, text, text)


def end(turn: int, answer: str = "an answer") -> EndTurnRecord:
    """Return the effect that ends a turn well."""
    return EndTurnRecord(turn, answer, True)


def ids(cuts: Iterable[Cut]) -> list[int]:
    """Return the cuts' numbers."""
    return [one.id for one in cuts]


async def die(store: ReplyStore) -> None:
    """Let go of the store as the system does for a dead process: nothing is tidied up."""
    assert store._lock is not None
    await store._lock.release()
    await store._database.close()
    store._lock = None
