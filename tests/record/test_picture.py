"""The picture of a call."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from support.sample_call import sample_call

from jev_turn.record import CallRecord, Record
from jev_turn.record.figure import figure
from jev_turn.record.picture import picture
from jev_turn.record.scene import Scene

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'"


class _Tags(HTMLParser):
    """Collects the tags of a page and what its scripts load."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "srcset")]


def _tags(page: str) -> _Tags:
    parser = _Tags()
    parser.feed(page)
    return parser


def _evil_call() -> list[Record]:
    call = CallRecord(None, words=True)
    call.write("call", 0, name=EVIL, models={EVIL: EVIL}, policy={EVIL: EVIL})
    call.write("bot", 5, state="start")
    call.write("spoken", 10, text=EVIL)
    call.write("partial", 20, segment=0, text=EVIL, user=EVIL)
    call.write("final", 30, segment=0, text=EVIL)
    call.write("ask", 40, ask=1, bundle="listening", quiet_ms=0, text=EVIL)
    scores = {"probabilities": {EVIL: 0.5, "turn_complete": 0.9}, "thresholds": {}}
    call.write("verdict", 50, ask=1, latency_ms=1, model=EVIL, **scores)
    call.write("effect", 60, name="EndTurn", why="complete", text=EVIL, numbers={EVIL: 1})
    call.write("note", 70, note="stale", detail=EVIL)
    call.write("end", 9000)
    return call.records


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return [value] if isinstance(value, str) else []


@pytest.fixture(scope="module")
def page() -> str:
    """The sample call's page."""
    return picture(sample_call())


def test_spoken_markup_is_inert_on_the_page() -> None:
    """Somebody says "<script>": the page has the same tags as for harmless words."""
    evil, plain = _evil_call(), json.loads(json.dumps(_evil_call()).replace("<", "("))
    assert _tags(picture(evil, title=EVIL)).tags == _tags(picture(plain)).tags


def test_spoken_markup_is_inert_inside_the_figure() -> None:
    """The plotting library reads some tags in texts, links among them; ours are all escaped."""
    allowed = re.compile(r"</?b>|<br>|<extra></extra>")
    texts = _strings(figure(Scene.of_call(_evil_call())))
    assert any("&lt;script&gt;" in text for text in texts)
    assert not [text for text in texts if "<" in allowed.sub("", text)]


def test_the_page_loads_nothing(page: str) -> None:
    """One file: it can be mailed and opened without a network."""
    assert _tags(page).loads == []


def test_the_page_is_forbidden_to_use_a_network(page: str) -> None:
    """Words must not leave, whatever the plotting library brings along."""
    policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
    assert policy in page and "form-action 'none'" in page


def test_the_librarys_own_upload_is_off(page: str) -> None:
    """By default its bar has a button that sends the data to its maker."""
    config = json.loads(re.findall(r'\{"displaylogo".*?\]\]\}', page)[-1])
    assert config["showSendToCloud"] is False
    known = {"toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"}
    assert set(config["modeBarButtons"][0]) == known


def test_the_figure_is_one_that_the_library_knows() -> None:
    """Every trace, axis and key is checked against the library's own schema."""
    from plotly.graph_objects import Figure

    drawn = Figure(figure(Scene.of_call(sample_call())))
    assert {trace.yaxis for trace in drawn.data} == {"y", "y2", "y3", "y4"}


def test_all_lanes_share_one_axis_of_seconds() -> None:
    """Zooming one lane zooms all; time counts from the call's beginning."""
    drawn = figure(Scene.of_call(sample_call(start_ms=70_000)))
    assert not [trace for trace in drawn["data"] if trace.get("xaxis", "x") != "x"]
    assert drawn["layout"]["xaxis"]["range"][0] == 0
    assert drawn["data"][0]["x"][:2] == [0.0, 0.05]


def test_a_decision_says_why_when_pointed_at() -> None:
    """Why did it speak at 0:04? Reason, words, numbers, scores against thresholds."""
    texts = _strings(figure(Scene.of_call(sample_call())))
    why = next(text for text in texts if "at 0:04.45" in text)
    assert "<b>answers: the person has finished</b>" in why
    assert "in Postgres" in why and "quiet 550" in why
    assert "complete 0.91\u22650.72" in why


def test_a_degraded_end_shows_no_scores() -> None:
    """It rests on the silence rule: the scores of an earlier verdict would mislead."""
    texts = _strings(figure(Scene.of_call(sample_call())))
    assert "complete" not in next(text for text in texts if "at 0:11.50" in text)


def test_the_decisions_stand_in_a_table_too(page: str) -> None:
    """The answer can be found, read aloud and copied without pointing at anything."""
    assert page.count("<tr><td>0:") == 6
    assert "<td>0:15.90</td>" in page and "leaves it unanswered: not meant for the bot" in page


def test_the_settings_of_the_call_are_on_the_page(page: str) -> None:
    """Thresholds belong to the call that was made with them."""
    assert "<td>turn.eos_threshold</td><td>0.72</td>" in page


def test_without_words_the_picture_counts_them() -> None:
    """A record without words gives a picture without words."""
    shown = picture(sample_call(words=False))
    assert "Postgres" not in shown and "(10 words)" in shown


def test_a_record_that_breaks_off_says_so() -> None:
    """Half a call must not pass for a whole one."""
    assert "the record breaks off" in picture(sample_call()[:-1])


@pytest.mark.parametrize("records", [[], sample_call()[:1]])
def test_an_empty_call_is_a_page_too(records: list[Record]) -> None:
    """A call that crashed at once can still be opened."""
    assert "<h1>" in picture(records)


def test_score_lines_break_where_a_turn_is_over() -> None:
    """A line from one turn's score to the next turn's would show a change that never was."""
    drawn = figure(Scene.of_call(sample_call()))
    complete = [trace for trace in drawn["data"] if trace.get("name") == "complete"][-1]
    assert complete["y"][:5] == [0.31, 0.55, 0.91, None, 0.4]
