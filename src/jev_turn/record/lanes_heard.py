"""The lanes of what was to be heard: the microphone's level, who spoke when, the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jev_turn.record import wording
from jev_turn.record.labels import wrapped
from jev_turn.record.scene import Scene, Trace, marks, texts
from jev_turn.record.schema import Record
from jev_turn.record.spans import Span, bot_spans, gate_spans, turn_spans
from jev_turn.record.waits import flight_spans, held_spans, mute_spans, waits

# Rows of the speech lane from its top; words stand below the bar they belong to.
ROWS = {"gate open": 8.0, "turn open": 7.0, "bot": 6.0, "heard": 3.2}
WAITING_ROWS = {"muted": 11.0, "reply held": 10.0, "list": 9.0}
"""Above the others, in a call in which something can wait."""

BOT_WORDS, HEARD_WORDS = (5.2, 4.4), (2.4, 1.6, 0.8)
FILLS = {
    "open": "#a9d3b2", "stalled": "#e9b8b8", "speaking": "#b3a1de", "thinking": "#e4def3",
    "in flight": "#c9e4cf", "muted": "#d7dbe0", "short": "#f6dfb4", "asking": "#eebb6b",
}  # fmt: skip
_WAIT_FILL, _WAIT_INK = "#a8d5dd", "#0e5a68"
_BOT_INK, _HEARD_INK, _HEARD_FILL = "#4c3391", "#1f3a56", "#b9cbdd"
# A pause in the bot's words that begins a new label.
_PAUSE_S = 1.0


def microphone(scene: Scene) -> list[Trace]:
    """Draw level, noise floor and gate level; the axis is logarithmic."""
    levels = scene.of("level")
    x = [scene.at(record["t"]) for record in levels]

    def curve(name: str, key: str, **line: Any) -> Trace:
        y = [max(record[key], 1e-5) for record in levels]
        return {
            "type": "scatter", "mode": "lines", "x": x, "y": y, "yaxis": "y", "name": name,
            "line": {"width": 1.3, **line}, "hovertemplate": f"{name} %{{y:.4f}}<extra></extra>",
        }  # fmt: skip

    return [
        curve("level", "rms", color="#4b6a88"),
        curve("noise floor", "floor", color="#8a94a0", dash="dot", width=1.8),
        curve("gate level", "gate", color="#d9822b", shape="hv", width=1.8),
    ]


def speech(scene: Scene) -> list[Trace]:
    """Draw gate, turn and bot as bars, and what the bot and the person said."""
    spoken = scene.of("spoken")
    at, row = [scene.at(r["t"]) for r in spoken], ROWS["bot"]
    hover = [wrapped(wording.heard(r)) for r in spoken]
    return [
        *_bars(scene, "gate open", gate_spans(scene.records)),
        *_bars(scene, "turn open", turn_spans(scene.records) + flight_spans(scene.records)),
        *_bars(scene, "bot", bot_spans(scene.records)),
        marks(at, [row] * len(at), hover, "y2", symbol="line-ns-open", size=8, color=_BOT_INK),
        texts(_sentences(scene, spoken), scene, BOT_WORDS, _BOT_INK, "y2"),
        *_segments(scene),
        *(_waiting(scene) if scene.waits else ()),
    ]


def rows(scene: Scene) -> dict[str, float]:
    """Return the rows of the speech lane, by name."""
    if not scene.waits:
        return ROWS
    named = {("turn" if name == "turn open" else name): row for name, row in ROWS.items()}
    return {**WAITING_ROWS, **named}


def _waiting(scene: Scene) -> list[Trace]:
    """Draw the mute, what the mouth held and in which band, the cuts that wait and their drains."""
    found = waits(scene.records)
    cuts = [cut for wait in found for cut in wait.cuts]
    drains = [wait.drained for wait in found if wait.drained is not None]
    row = WAITING_ROWS["list"]
    times = [(scene.at(wait.start_ms), scene.at(wait.end_ms)) for wait in found]
    hover = [f"{len(wait.cuts)} in the list, {end - start:.2f} s" for wait, (start, end)
             in zip(found, times, strict=True)]  # fmt: skip
    at = [scene.at(cut["t"]) for cut in cuts]
    eaten = [scene.at(drain["t"]) for drain in drains]
    return [
        *_bars(scene, "muted", mute_spans(scene.records), WAITING_ROWS["muted"]),
        *_bars(scene, "reply held", held_spans(scene.records), WAITING_ROWS["reply held"]),
        _bar(row, times, [_WAIT_FILL] * len(times), hover),
        marks(at, [row] * len(at), [wrapped(f"cut {wording.heard(cut)}") for cut in cuts], "y2",
              symbol="triangle-right", size=9, color=_WAIT_INK),
        marks(eaten, [row] * len(eaten),
              [wrapped(f"drain {wording.heard(drain)}") for drain in drains], "y2",
              symbol="circle", size=9, color="#1a7f37"),
    ]  # fmt: skip


_STATES = {
    "short": "held, the person has only just stopped: nobody is asked",
    "asking": "held, the judge is asked",
    "muted": "microphone muted",
    "in flight": "turn in flight",
}


def _bars(scene: Scene, row: str, spans: Sequence[Span], at: float | None = None) -> list[Trace]:
    names = [_STATES.get(span.state, f"{row.split()[0]} {span.state}") for span in spans]
    times = [(scene.at(span.start_ms), scene.at(span.end_ms)) for span in spans]
    hover = [
        f"{name}, {end - start:.2f} s from {start:.2f} s"
        for name, (start, end) in zip(names, times, strict=True)
    ]
    height = ROWS[row] if at is None else at
    return [_bar(height, times, [FILLS[span.state] for span in spans], hover)] if spans else []


def _bar(
    row: float, times: Sequence[tuple[float, float]], fills: Sequence[str], hover: Sequence[str]
) -> Trace:
    return {
        "type": "bar", "orientation": "h", "yaxis": "y2", "showlegend": False, "width": 0.72,
        "base": [start for start, _ in times], "x": [end - start for start, end in times],
        "y": [row] * len(times), "marker": {"color": list(fills)},
        "hovertext": list(hover), "hoverinfo": "text",
    }  # fmt: skip


def _sentences(scene: Scene, spoken: Sequence[Record]) -> list[tuple[float, str]]:
    """Join the bot's words to runs without a pause; the label of a run stands at its start."""
    runs: list[tuple[float, str]] = []
    last = float("-inf")
    for record in spoken:
        at_s, text = scene.at(record["t"]), record["text"]
        if text is not None and at_s - last <= _PAUSE_S:
            runs[-1] = (runs[-1][0], f"{runs[-1][1]} {text.strip()}")
        elif text is not None:
            runs.append((at_s, text.strip()))
        last = at_s if text is not None else last
    return runs


def _segments(scene: Scene) -> list[Trace]:
    """Draw each recognised segment from its first interim to its final, and its words."""
    first: dict[int, Record] = {}
    finals: list[tuple[Record, Record]] = []
    lines = scene.of("partial", "final")
    for record in lines:
        first.setdefault(record["segment"], record)
        if record["kind"] == "final":
            finals.append((first.pop(record["segment"]), record))
    open_ended = {record["segment"]: record for record in lines if record["segment"] in first}
    ends = sorted(
        [*finals, *((first[segment], record) for segment, record in open_ended.items())],
        key=lambda pair: pair[0]["t"],
    )
    times = [(scene.at(start["t"]), scene.at(end["t"])) for start, end in ends]
    hover = [wrapped(_heard(end)) for _, end in ends]
    items = [(start, wording.heard(end)) for (start, _), (_, end) in zip(times, ends, strict=True)]
    return [
        _bar(ROWS["heard"], times, [_HEARD_FILL] * len(times), hover),
        _heard_marks(scene, lines),
        texts(items, scene, HEARD_WORDS, _HEARD_INK, "y2"),
    ]


def _heard_marks(scene: Scene, lines: Sequence[Record]) -> Trace:
    is_final = [record["kind"] == "final" for record in lines]
    return marks(
        [scene.at(record["t"]) for record in lines],
        [ROWS["heard"]] * len(lines),
        [wrapped(_heard(record)) for record in lines],
        "y2",
        symbol=["diamond" if final else "line-ns-open" for final in is_final],
        size=[9 if final else 8 for final in is_final],
        color=_HEARD_INK,
    )


def _heard(record: Record) -> str:
    kind = "final" if record["kind"] == "final" else "interim"
    return f"{kind} {wording.heard(record)}"
