"""Texts inside a picture: made inert, wrapped, cut to the room there is."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from jev_turn.record import wording

# A picture is made to be read at 1400 px: this is what remains beside margins, and one letter.
PLOT_WIDTH_PX = 1170
LETTER_PX = 6.6
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Label:
    """A text with its place.

    Attributes:
        index: Which of the texts it is.
        at_s: Where it begins.
        row: Which row it stands in, 0 first.
        text: What fits; inert.
    """

    index: int
    at_s: float
    row: int
    text: str


def inert(text: str) -> str:
    """Return ``text`` so that neither a browser nor the plotting library reads markup in it."""
    return html.escape(wording.printable(text), quote=False)


def wrapped(text: str) -> str:
    """Return ``text`` inert, in lines that fit a hover box."""
    return "<br>".join(map(inert, textwrap.wrap(wording.printable(text), 70)))


def stagger(items: Sequence[tuple[float, str]], seconds: float, rows: int) -> list[Label]:
    """Spread texts over rows so that none covers another, cutting those without room.

    Args:
        items: Where each text begins, and the text; in order of time.
        seconds: The width of the picture.
        rows: How many rows there are.

    Returns:
        The labels; a text with no room for a few letters has none.
    """
    per_letter = seconds * LETTER_PX / PLOT_WIDTH_PX
    free = [float("-inf")] * rows
    labels: list[Label] = []
    for index, (at_s, text) in enumerate(items):
        row = min(range(rows), key=lambda row: (free[row] > at_s, row))
        if free[row] > at_s:
            continue
        until = items[index + rows][0] if index + rows < len(items) else seconds
        room = int((max(until, at_s) - at_s) / per_letter) - 1
        shown = _cut(wording.printable(text), room)
        if shown:
            labels.append(Label(index, at_s, row, inert(shown)))
            free[row] = at_s + (len(shown) + 1) * per_letter
    return labels


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    return text[: room - 1].rstrip() + "\u2026" if room >= _SHORTEST else ""
