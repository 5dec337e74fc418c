"""The picture of a call: one page that shows why the bot spoke, or did not.

The page needs no network and is forbidden to use one. What was said is data on it and never
markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import Template

from plotly.io import to_html

from jev_turn.record import wording
from jev_turn.record.decided import Decision, decisions
from jev_turn.record.figure import figure
from jev_turn.record.lanes_judged import MARKS
from jev_turn.record.scene import Scene
from jev_turn.record.schema import Record
from jev_turn.record.summary import summarise

_PAGE = Template(
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; form-action 'none'; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
body { margin: 1.2rem 1.6rem; font: 14px/1.45 system-ui, sans-serif; color: #1f2933; }
h1 { font-size: 1.25rem; margin: 0; }
p, summary { color: #52606d; margin: .15rem 0 .6rem; }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; }
th { color: #52606d; font-weight: 600; border-bottom: 1px solid #9aa5b1; }
td { border-bottom: 1px solid #e4e8ec; }
td:first-child { font-variant-numeric: tabular-nums; white-space: nowrap; }
.dot { display: inline-block; width: .65em; height: .65em; border-radius: 50%; margin-right: .5em; }
</style>
</head>
<body>
<h1>$title</h1>
<p>$facts</p>
$figure
<table>
<tr><th>at</th><th>decision</th><th>words</th><th>scores against thresholds</th><th>numbers</th></tr>
$rows
</table>
<details><summary>Settings of this call</summary><table>$settings</table></details>
</body>
</html>
"""
)
# The library's own bar has a button that sends what it draws to its maker.
_CONFIG = {
    "displaylogo": False,
    "responsive": True,
    "showSendToCloud": False,
    "modeBarButtons": [["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
}


def picture(records: Sequence[Record], *, title: str | None = None) -> str:
    """Draw a call as one self-contained page.

    Lanes over one axis of seconds: the microphone's level with noise floor and gate level; gate,
    turn, bot and recognised segments with their words; scores against the thresholds in force;
    decisions with their reasons. A table below repeats the decisions.

    Args:
        records: The lines of the call's record.
        title: Heading; the call's name without it.

    Returns:
        HTML.
    """
    scene = Scene.of_call(records)
    heading = title or summarise(records).name or "call"
    return _PAGE.substitute(
        title=escape(wording.printable(heading)),
        facts=escape(_facts(records, scene)),
        figure=to_html(
            figure(scene), config=_CONFIG, div_id="call", full_html=False, validate=False
        ),
        rows="\n".join(_row(scene, decision) for decision in decisions(scene.records)),
        settings="\n".join(_settings(records)),
    )


def _facts(records: Sequence[Record], scene: Scene) -> str:
    counted = summarise(records)
    call: Record = next((r for r in records if r["kind"] == "call"), {})
    models = [f"{role}: {name}" for role, name in call.get("models", {}).items()]
    counts = [
        f"{scene.seconds:.1f} s",
        f"{sum(counted.ends.values())} turns",
        f"{counted.effects['Interrupt']} interruptions",
        f"{counted.effects['Backchannel']} nods",
        f"{counted.effects['Discard']} left unanswered",
        f"{counted.asks} asks",
        f"{sum(counted.failed.values())} failed",
    ]
    if begun := counted.effects["Speculate"]:
        counts.append(f"{begun} begun early, {counted.effects['Commit']} of them kept")
    torn = [] if counted.complete else ["the record breaks off"]
    return wording.printable(" \u00b7 ".join([*counts, *models, *torn]))


def _row(scene: Scene, decision: Decision) -> str:
    record, verdict = decision.record, decision.verdict
    cells = (
        decision.words,
        wording.judged(verdict) if verdict is not None else "",
        wording.numbers(record, verdict),
    )
    dot = f'<span class="dot" style="background:{MARKS[decision.name][0]}"></span>'
    at = wording.clock(record["t"] - scene.start_ms)
    shown = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f"<tr><td>{at}</td><td>{dot}{escape(decision.title)}</td>{shown}</tr>"


def _settings(records: Sequence[Record]) -> list[str]:
    call: Record = next((r for r in records if r["kind"] == "call"), {})
    return [
        f"<tr><td>{escape(wording.printable(key))}</td>"
        f"<td>{escape(wording.printable(str(value)))}</td></tr>"
        for key, value in sorted(call.get("policy", {}).items())
    ]
