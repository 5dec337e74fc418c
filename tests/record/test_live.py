"""The terminal line of a decision."""

from __future__ import annotations

import pytest
from rich.text import Text
from support.sample_call import sample_call

from jev_turn.record import CallRecord, Record
from jev_turn.record.live import Live, line


def _lines(records: list[Record]) -> list[str]:
    live = Live()
    return [Text.from_markup(text).plain for record in records for text in live.feed(record)]


def test_each_decision_is_one_line() -> None:
    """Time, decision, words, reason, scores against thresholds; the verdicts between them too."""
    shown = [" ".join(text.split()) for text in _lines(sample_call())]
    assert shown == [
        "0:01.99 listens on \u201cwhat is an index\u201d the person is thinking judge took 130 ms "
        "complete 0.31<0.72 \u00b7 holding 0.62\u22650.50 \u00b7 addressed 0.93\u22650.50",
        "0:02.50 listens on \u201cWhat is an index?\u201d not finished judge took 130 ms "
        "complete 0.55<0.72 \u00b7 holding 0.40<0.50 \u00b7 addressed 0.94\u22650.50",
        "0:04.45 answers \u201cWhat is an index? in Postgres, for a large table\u201d "
        "the person has finished (quiet 550) "
        "complete 0.91\u22650.72 \u00b7 holding 0.05<0.50 \u00b7 addressed 0.95\u22650.50",
        "0:07.64 nod, bot goes on \u201cuh-huh\u201d complete 0.40<0.72 \u00b7 holding 0.10<0.50 "
        "\u00b7 addressed 0.90\u22650.50 \u00b7 taking floor 0.03<0.50",
        "0:09.02 stops the bot \u201cwait stop\u201d complete 0.50<0.72 \u00b7 holding 0.10<0.50 "
        "\u00b7 addressed 0.90\u22650.50 \u00b7 taking floor 0.88\u22650.50",
        "0:10.60 no verdict the judge took too long",
        "0:11.50 answers \u201cWait, stop.\u201d silence rule, judge away",
        "0:14.95 listens on \u201cHey Mark, dinner is ready in five minutes.\u201d "
        "not meant for the bot judge took 130 ms "
        "complete 0.90\u22650.72 \u00b7 holding 0.02<0.50 \u00b7 addressed 0.05<0.50",
        "0:15.90 leaves it unanswered \u201cHey Mark, dinner is ready in five minutes.\u201d "
        "not meant for the bot "
        "complete 0.90\u22650.72 \u00b7 holding 0.02<0.50 \u00b7 addressed 0.05<0.50",
    ]


def test_an_interruption_without_a_verdict_shows_what_was_heard() -> None:
    """A stop word stops the bot before the judge is asked; the line says which words it were."""
    call = CallRecord(None, words=True)
    call.write("final", 5, segment=0, text="Wait, stop.")
    call.write("effect", 5, name="Interrupt")
    (shown,) = _lines(call.records)
    told = "stops the bot \u201cWait, stop.\u201d by its words alone"
    assert " ".join(shown.split()).endswith(told)


def test_a_judge_that_takes_no_time_has_no_time() -> None:
    """In virtual time one in this process answers at once, which measures nothing."""
    call = CallRecord(None, words=True)
    scores = {"probabilities": {"turn_complete": 0.3}, "thresholds": {"turn_complete": 0.7}}
    call.write("verdict", 5, ask=1, latency_ms=0, **scores)
    call.write("end", 9)
    (shown,) = _lines(call.records)
    assert "not finished" in shown and " ms" not in shown


def test_without_words_the_lines_count_them() -> None:
    """A terminal is no place for words that the record does not keep."""
    shown = "\n".join(_lines(sample_call(words=False)))
    assert "index" not in shown and "(10 words)" in shown


@pytest.mark.parametrize("kind", ["level", "gate", "partial", "final", "spoken", "tokens", "call"])
def test_other_lines_are_silent(kind: str) -> None:
    """One line per decision, and none for what led to it."""
    assert [line(record) for record in sample_call() if record["kind"] == kind].count(None) > 0
    assert not any(line(record) for record in sample_call() if record["kind"] == kind)


def test_a_superseded_ask_is_no_news() -> None:
    """A newer ask took its place: nothing has failed."""
    call = CallRecord(None, words=True)
    call.write("failed", 0, ask=1, error="superseded")
    assert line(call.records[0]) is None


def test_what_was_said_is_no_markup_and_no_escape_sequence() -> None:
    """A spoken "[red]" or a terminal's escape character is shown or dropped, never obeyed."""
    call = CallRecord(None, words=True)
    call.write("effect", 0, name="EndTurn", why="complete", text="[red]hi[/] \x1b[31mthere\x07")
    shown = line(call.records[0])
    assert shown is not None and "\x1b" not in shown and "\x07" not in shown
    assert "\u201c[red]hi[/] [31mthere\u201d" in Text.from_markup(shown).plain
