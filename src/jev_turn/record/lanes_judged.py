"""The lanes of what was made of it: scores against their thresholds, and decisions."""

from __future__ import annotations

from collections.abc import Sequence

from jev_turn.record import wording
from jev_turn.record.decided import Decision, closes, decisions
from jev_turn.record.labels import inert, stagger, wrapped
from jev_turn.record.scene import Scene, Trace, marks
from jev_turn.record.schema import Record

DECISION_ROWS = (2.0, 1.0, 0.0)
MARKS = {
    "EndTurn": ("#1a7f37", "circle"),
    "Interrupt": ("#c0262d", "x"),
    "Backchannel": ("#0e7490", "diamond"),
    "Discard": ("#b7791f", "square"),
    "Retract": ("#8a94a0", "triangle-up"),
    "KeepCut": ("#0e7490", "triangle-right"),
    "StartTurn": ("#1a7f37", "circle"),
    "Hold": ("#c98a2b", "line-ns-open"),
    "Open": ("#2f9e6e", "triangle-up-open"),
    "Unspoken": ("#b7791f", "square-open"),
    "RestoreCuts": ("#b7791f", "triangle-left"),
    "Rejoin": ("#0e7490", "triangle-left-open"),
    "Failed": ("#86198f", "cross"),
}
_INKS = {
    "turn_complete": "#1a7f37",
    "holding_floor": "#b7791f",
    "addressed_to_agent": "#2563eb",
    "taking_floor": "#c0262d",
    "enough_to_answer": "#0e7490",
    "turn_finished": "#6d4c9f",
}


def scores(scene: Scene) -> list[Trace]:
    """Draw each score over time, and its threshold in force as a dashed line."""
    lines = [r for r in scene.records if r["kind"] == "verdict" or closes(r)]
    asked = {question for r in lines for question in r.get("probabilities", ())}
    traces: list[Trace] = []
    for question in filter(asked.__contains__, _INKS):
        traces += _score(scene, lines, question)
    return traces


def decided(scene: Scene) -> list[Trace]:
    """Draw every decision with its reason; failures of the judge are among them."""
    shown = decisions(scene.records)
    items = [(scene.at(decision.record["t"]), decision.title) for decision in shown]
    labels = {label.index: label for label in stagger(items, scene.seconds, len(DECISION_ROWS))}
    placed = [labels.get(index) for index in range(len(items))]
    inks = [MARKS[decision.name] for decision in shown]
    dots = marks(
        [at_s for at_s, _ in items],
        [DECISION_ROWS[label.row if label else 0] for label in placed],
        [explained(scene, decision) for decision in shown],
        "y4",
        size=10,
        color=[color for color, _ in inks],
        symbol=[symbol for _, symbol in inks],
    )
    written = [label.text if label else "" for label in placed]
    beside = {"mode": "markers+text", "text": written, "textposition": "middle right"}
    return [dots | beside | {"textfont": {"size": 11}}]


def explained(scene: Scene, decision: Decision) -> str:
    """Say why a decision was made: reason, words, numbers and the scores it rests on."""
    record, verdict = decision.record, decision.verdict
    at = wording.clock(record["t"] - scene.start_ms)
    lines = [decision.words, wording.numbers(record, verdict), verdict and wording.judged(verdict)]
    head = f"<b>{inert(decision.title)}</b> at {at}"
    return "<br>".join([head, *(wrapped(line) for line in lines if line)])


def _score(scene: Scene, lines: Sequence[Record], question: str) -> list[Trace]:
    name, ink = wording.SCORES[question], _INKS[question]
    hover = [wrapped(wording.judged(r)) if r["kind"] == "verdict" else "" for r in lines]
    x = [scene.at(record["t"]) for record in lines]

    def curve(key: str, **style: object) -> Trace:
        # Where a turn is over the line breaks: the next score is about other words.
        y = [record.get(key, {}).get(question) for record in lines]
        common = {"type": "scatter", "mode": "lines+markers", "yaxis": "y3", "x": x, "y": y}
        return common | {"legend": "legend2", "legendgroup": name, "name": name} | style

    return [
        curve(
            "thresholds", line={"color": ink, "width": 1, "dash": "dot"}, hoverinfo="skip",
            marker={"symbol": "line-ew-open", "size": 12, "color": ink}, showlegend=False,
        ),
        curve(
            "probabilities", line={"color": ink, "width": 1.6}, hovertext=hover, hoverinfo="text",
            marker={"size": 7, "color": ink},
        ),
    ]  # fmt: skip
