"""What the person has said since the last reply, as the list kept it: the mouth asks about it.

Words that the list drops are in no cut and leave the buffer, so that they are not in here either;
words that come back to the buffer are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jev_turn.replies.context import Buffer
from jev_turn.replies.effects import Effect, KeepCut
from jev_turn.replies.ledger import split


@dataclass(frozen=True, slots=True)
class Said:
    """The words since the last reply, but for those in the buffer.

    Attributes:
        cuts: Texts of the cuts since then, without what was said before it.
        answered: What the buffer held when the reply left.
    """

    cuts: tuple[str, ...] = ()
    answered: str = ""


def restarted(buffer: Buffer) -> Said:
    """Begin anew: a reply leaves.

    Args:
        buffer: The list's, whose words will come again, at least in their cut.
    """
    return Said(answered=buffer.text)


def followed(said: Said, buffer: Buffer, effects: Iterable[Effect], *, coverage: float) -> Said:
    """Take in one step of the list.

    Args:
        said: The words before it.
        buffer: The list's buffer after it.
        effects: What the step ordered.
        coverage: Share of ``answered`` that a text must repeat for it to be cut off, 0 to 1.
    """
    for effect in effects:
        if isinstance(effect, KeepCut):
            new = _behind(said, effect.cut.text, coverage)
            said = Said((*said.cuts, new) if new else said.cuts)
    return said if buffer.text else Said(said.cuts)


def words(said: Said, buffer: Buffer, *, coverage: float) -> str:
    """Return all that was said since the last reply and is not dropped; arguments as above."""
    return " ".join([*said.cuts, _behind(said, buffer.text, coverage)]).strip()


def _behind(said: Said, text: str, coverage: float) -> str:
    return split(said.answered, text, coverage=coverage).rest if said.answered else text
