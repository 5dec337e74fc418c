"""What waited in a call: cuts, replies and the microphone."""

from __future__ import annotations

from typing import Any

import pytest
from support.sample_call import sample_call
from support.sample_waiting_call import sample_waiting_call

from jev_turn.record.decided import decisions
from jev_turn.record.figure import figure
from jev_turn.record.lanes_heard import ROWS, WAITING_ROWS
from jev_turn.record.live import Live
from jev_turn.record.picture import picture
from jev_turn.record.scene import Scene
from jev_turn.record.spans import Span
from jev_turn.record.waits import flight_spans, held_spans, mute_spans, waits


def bars(row: float) -> list[tuple[float, float, str]]:
    """Return begin, end and hover of the sample's bars in a row."""
    traces = figure(Scene.of_call(sample_waiting_call()))["data"]
    return [
        (start, round(start + width, 3), hover)
        for trace in traces
        if trace["type"] == "bar" and trace["y"][0] == row
        for start, width, hover in zip(trace["base"], trace["x"], trace["hovertext"], strict=True)
    ]


def test_cuts_wait_from_the_first_to_the_drain() -> None:
    """How long was it in the list, and with what?"""
    found = [(w.start_ms, w.end_ms, len(w.cuts)) for w in waits(sample_waiting_call())]
    assert found == [(2900, 2900, 1), (5000, 8400, 1)]


def test_cuts_that_nobody_ate_wait_to_the_end() -> None:
    """A call that ended first is seen to have left them."""
    cut = {"kind": "effect", "name": "KeepCut", "t": 5, "text": "x"}
    (wait,) = waits([cut, {"kind": "end", "t": 900}])
    assert (wait.start_ms, wait.end_ms, wait.drained) == (5, 900, None)


def test_a_turn_is_in_flight_until_its_ending() -> None:
    """The second one never got one."""
    assert flight_spans(sample_waiting_call()) == [
        Span(2900, 8000, "in flight"), Span(8400, 16_000, "in flight"),
    ]  # fmt: skip


def test_a_hold_is_cut_where_the_band_changes() -> None:
    """Quiet since 2000: nobody is asked until 3000; loud from 3610 on; asked again from 5500."""
    assert held_spans(sample_waiting_call()) == [
        Span(2900, 3000, "short"),
        Span(3000, 3610, "asking"),
        Span(3610, 5500, "short"),
        Span(5500, 5600, "asking"),
    ]


def test_the_mute_is_from_edge_to_edge() -> None:
    """What was said in it was not heard."""
    assert mute_spans(sample_waiting_call()) == [Span(5700, 8400, "muted")]


def test_the_picture_has_lanes_for_what_waits() -> None:
    """Mute, held reply with its bands, list, and the turn in flight."""
    assert bars(WAITING_ROWS["muted"]) == [(5.7, 8.4, "microphone muted, 2.70 s from 5.70 s")]
    assert [
        hover.split(":")[0].split(",")[0] for _, _, hover in bars(WAITING_ROWS["reply held"])
    ] == ["held"] * 4
    assert [(start, end) for start, end, _ in bars(WAITING_ROWS["list"])] == [
        (2.9, 2.9),
        (5.0, 8.4),
    ]
    assert [(start, end) for start, end, _ in bars(ROWS["turn open"])] == [(2.9, 8.0), (8.4, 16.0)]


def test_the_lanes_of_a_call_with_barge_in_stay_as_they_are() -> None:
    """Nothing waits in it, so no row is empty."""
    records = [r for r in sample_call() if r["kind"] != "mute"]
    assert figure(Scene.of_call(records))["layout"]["yaxis2"]["ticktext"] == list(ROWS)


def test_each_step_of_the_list_and_the_mouth_is_a_decision() -> None:
    """With the verdict that it rests on: the ear's for a cut, the mouth's for a reply."""
    found = [
        (d.name, next(iter(d.verdict["probabilities"]), "") if d.verdict else "")
        for d in decisions(sample_waiting_call())
    ]
    assert found == [
        ("KeepCut", "enough_to_answer"), ("StartTurn", ""), ("Hold", ""), ("Hold", "turn_finished"),
        ("KeepCut", "enough_to_answer"), ("Open", "turn_finished"), ("StartTurn", ""), ("Discard", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "keeps it in the list", "answers the list", "the person has only just stopped",
        "the person has not finished", "lets the reply go", "(19.8 words or syllables a second,",
    ],
)  # fmt: skip
def test_the_terminal_tells_of_it(line: str) -> None:
    """One line each while the call goes on, an invented sentence with its rate."""
    live = Live()
    assert line in "\n".join(text for r in sample_waiting_call() for text in live.feed(r))


def test_the_page_is_drawn_without_words_too() -> None:
    """A record may hold numbers only."""
    page: Any = picture(sample_waiting_call(words=False))
    assert "3 words" in page or "(4 words)" in page
