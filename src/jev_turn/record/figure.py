"""The figure of a call: four lanes over one axis of seconds."""

from __future__ import annotations

from math import floor, log10
from typing import Any

from jev_turn.record.lanes_heard import FILLS, microphone, rows, speech
from jev_turn.record.lanes_judged import DECISION_ROWS, decided, scores
from jev_turn.record.scene import Scene
from jev_turn.record.spans import gate_spans

HEIGHT_PX = 900
_INK, _GRID = "#1f2933", "#e4e8ec"
_LANES = {
    "yaxis": (0.79, 1.0),
    "yaxis2": (0.45, 0.765),
    "yaxis3": (0.19, 0.415),
    "yaxis4": (0, 0.15),
}
_TITLES = {
    "yaxis": "microphone, RMS",
    "yaxis2": "who spoke, and the words",
    "yaxis3": "scores (dotted: thresholds)",
    "yaxis4": "decisions",
}
# Lines through all lanes at the moments that are asked about most.
_THROUGH = {"EndTurn": "#1a7f37", "StartTurn": "#1a7f37", "Interrupt": "#c0262d"}


_STYLE: dict[str, Any] = {
    "height": HEIGHT_PX,
    "margin": {"l": 90, "r": 130, "t": 30, "b": 50},
    "font": {"family": "system-ui, sans-serif", "size": 12, "color": _INK},
    "paper_bgcolor": "#ffffff",
    "plot_bgcolor": "#fbfcfd",
    "barmode": "overlay",
    "hovermode": "closest",
    "hoverlabel": {
        "bgcolor": "#ffffff", "bordercolor": "#9aa5b1", "align": "left", "font": {"color": _INK},
    },
    "legend": {"x": 1.01, "y": _LANES["yaxis"][1], "yanchor": "top", "font": {"size": 11}},
    "legend2": {"x": 1.01, "y": _LANES["yaxis3"][1], "yanchor": "top", "font": {"size": 11}},
}  # fmt: skip


def figure(scene: Scene) -> dict[str, Any]:
    """Draw a call.

    Args:
        scene: The call.

    Returns:
        A plotly figure as plain data.
    """
    traces = [*microphone(scene), *speech(scene), *scores(scene), *decided(scene)]
    return {"data": traces, "layout": _layout(scene)}


def _layout(scene: Scene) -> dict[str, Any]:
    names = rows(scene)
    lowest = min((r["floor"] for r in scene.of("level")), default=1e-3)
    axes: dict[str, dict[str, Any]] = {
        "yaxis": {"type": "log", "dtick": 1, "exponentformat": "none", "range": _decades(lowest)},
        "yaxis2": {
            "range": [0.2, max(names.values()) + 0.7], "showgrid": False,
            "tickvals": list(names.values()), "ticktext": list(names),
        },
        "yaxis3": {"range": [-0.05, 1.05], "tickvals": [0, 0.25, 0.5, 0.75, 1]},
        "yaxis4": {
            "range": [DECISION_ROWS[-1] - 0.6, DECISION_ROWS[0] + 0.6],
            "showticklabels": False, "showgrid": False,
        },
    }  # fmt: skip
    return {
        **_STYLE,
        **{name: {**_axis(name), **own} for name, own in axes.items()},
        "xaxis": _seconds(scene),
        "annotations": [_heading(name) for name in _LANES],
        "shapes": [*_shades(scene), *_moments(scene)],
    }


def _axis(name: str) -> dict[str, Any]:
    return {
        "domain": list(_LANES[name]), "fixedrange": True, "anchor": "x", "gridcolor": _GRID,
        "zeroline": False, "linecolor": "#9aa5b1", "showline": True,
    }  # fmt: skip


def _seconds(scene: Scene) -> dict[str, Any]:
    return {
        "title": {"text": "seconds"}, "range": [0, scene.seconds * 1.02], "anchor": "free",
        "position": 0, "gridcolor": _GRID, "zeroline": False, "showspikes": True,
        "spikemode": "across", "spikesnap": "cursor", "spikethickness": 1, "spikecolor": "#9aa5b1",
        "spikedash": "solid", "ticks": "outside",
    }  # fmt: skip


def _decades(lowest: float) -> list[float]:
    """Return the logarithmic range: from below the floor to a full-scale sine."""
    return [max(-5, floor(log10(max(lowest * 0.8, 1e-5)))), 0]


def _heading(lane: str) -> dict[str, Any]:
    return {
        "text": f"<b>{_TITLES[lane]}</b>", "xref": "paper", "yref": "paper", "x": 0,
        "y": _LANES[lane][1], "xanchor": "left", "yanchor": "bottom", "showarrow": False,
        "font": {"size": 11, "color": "#52606d"},
    }  # fmt: skip


def _shades(scene: Scene) -> list[dict[str, Any]]:
    """Shade the microphone's lane while the gate is open or the microphone stalled."""
    return [
        {
            "type": "rect", "xref": "x", "yref": "y domain", "layer": "below", "line": {"width": 0},
            "x0": scene.at(span.start_ms), "x1": scene.at(span.end_ms), "y0": 0, "y1": 1,
            "fillcolor": FILLS[span.state], "opacity": 0.35,
        }
        for span in gate_spans(scene.records)
    ]  # fmt: skip


def _moments(scene: Scene) -> list[dict[str, Any]]:
    return [
        {
            "type": "line", "xref": "x", "yref": "paper", "layer": "below", "y0": 0, "y1": 1,
            "x0": scene.at(record["t"]), "x1": scene.at(record["t"]),
            "line": {"color": _THROUGH[record["name"]], "width": 1, "dash": "dot"},
        }
        for record in scene.of("effect")
        if record["name"] in _THROUGH
    ]  # fmt: skip
