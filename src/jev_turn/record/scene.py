"""A call as the lanes of its picture see it, and what every lane draws with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jev_turn.record.labels import stagger
from jev_turn.record.schema import Record
from jev_turn.record.spans import last_ms, start_ms
from jev_turn.record.waits import is_finish_turn

Trace = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """A call and its clock.

    Attributes:
        records: The lines of its record.
        start_ms: The moment that counts as zero.
        seconds: How long the call is.
    """

    records: Sequence[Record]
    start_ms: int
    seconds: float

    @classmethod
    def of_call(cls, records: Sequence[Record]) -> Scene:
        """Build the scene of a call from its record."""
        start, ordered = start_ms(records), sorted(records, key=lambda record: int(record["t"]))
        return cls(ordered, start, max(1.0, (last_ms(records) - start) / 1000))

    @property
    def waits(self) -> bool:
        """True for a call in which words, replies or the microphone can wait."""
        return is_finish_turn(self.records)

    def at(self, at_ms: int) -> float:
        """Return a moment in seconds from the call's beginning."""
        return round((at_ms - self.start_ms) / 1000, 3)

    def of(self, *kinds: str) -> list[Record]:
        """Return the lines of these kinds."""
        return [record for record in self.records if record["kind"] in kinds]


def texts(
    items: Sequence[tuple[float, str]],
    scene: Scene,
    rows: Sequence[float],
    color: str,
    axis: str,
) -> Trace:
    """Write texts into rows of a lane, each to the right of its moment.

    Args:
        items: Moment in seconds, and text.
        scene: The call.
        rows: Heights of the rows on the lane's axis, the first one filled first.
        color: The letters' colour.
        axis: The lane's axis.

    Returns:
        One trace.
    """
    labels = stagger(items, scene.seconds, len(rows))
    return {
        "type": "scatter", "mode": "text", "yaxis": axis, "showlegend": False, "hoverinfo": "skip",
        "x": [label.at_s for label in labels], "y": [rows[label.row] for label in labels],
        "text": [f" {label.text}" for label in labels], "textposition": "middle right",
        "textfont": {"color": color, "size": 11}, "cliponaxis": True,
    }  # fmt: skip


def marks(
    x: Sequence[float], y: Sequence[float], hover: Sequence[str], axis: str, **marker: Any
) -> Trace:
    """Set marks with hover texts."""
    return {
        "type": "scatter", "mode": "markers", "yaxis": axis, "showlegend": False,
        "x": list(x), "y": list(y), "hovertext": list(hover), "hoverinfo": "text",
        "marker": marker,
    }  # fmt: skip
