"""What a person sees."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from support.demo_call import call, line, opened
from support.sample_call import sample_call

from jev_turn.demo.plan import Fate
from jev_turn.demo.promises import promises
from jev_turn.demo.script import QUESTION
from jev_turn.demo.show import Screen
from jev_turn.play.witness import Account
from jev_turn.record import wording


def shown(act: str = "call") -> list[str]:
    """Return the lines of a call, or of a run's end, without styles."""
    out = io.StringIO()
    screen = Screen(Console(file=out, width=120))
    if act == "call":
        screen.heading(QUESTION)
        screen.written(None)
        for word in ("An", " index", " is"):
            screen.written(word)
        screen.sound(line(900, 1400, Fate.ANSWERED, "what is [b]an[/b] index"))
        for record in sample_call():
            screen.record(record)
    else:
        one = call([line(0, 900, Fate.UNANSWERED)], Account(), sample_call())
        screen.closing([one], promises([one]), Path("demo"))
    return [" ".join(text.split()) for text in out.getvalue().splitlines()]


def test_sounds_decisions_and_the_bot_come_as_they_happen() -> None:
    """Markup in what was said is shown as it is."""
    lines = shown()
    assert "0:00.90 microphone \u201cwhat is [b]an[/b] index\u201d" in lines
    assert any(text.startswith("0:04.45 answers") for text in lines)
    assert any("bot speaks \u201cAn index is \u2026" in text for text in lines)
    assert any("bot is silent" in text for text in lines)


def test_the_end_tells_what_was_kept_and_what_was_not() -> None:
    """The tables, then a line for every fault, then where the files are."""
    lines = shown("closing")
    assert "Every voice opens the gate 1 exception in 1 voice broken" in lines
    assert "A click never opens the gate not tested" in lines
    assert any(text.startswith("Every voice opens the gate: x 0:00.00") for text in lines)
    assert "1 of 2 promises kept, 20 not tested." in lines
    assert lines[-1] == "Records (.jsonl) and pictures, for a browser (.html): demo/"


def test_a_run_says_how_to_read_it_and_what_its_time_is() -> None:
    """Every score that a line may name is explained, and virtual time only where it is."""

    def said(*, virtual: bool) -> str:
        out = io.StringIO()
        Screen(Console(file=out, width=120)).opening(virtual=virtual)
        return " ".join(out.getvalue().split())

    told = said(virtual=False)
    assert [name for name in wording.SCORES.values() if f"{name}:" not in told] == []
    assert "virtual" not in told and "Time is virtual" in said(virtual=True)


@pytest.mark.parametrize(("after_ms", "told"), [(110, False), (151, True)])
def test_a_late_time_says_what_else_makes_it_late(after_ms: int, told: bool) -> None:
    """A newcomer's busy machine breaks promises about times, and should be told that it may."""
    out = io.StringIO()
    opening = call(
        [line(0, 900, Fate.CONTINUED)], Account(onsets=[after_ms]), [opened(after_ms, after_ms)]
    )
    Screen(Console(file=out, width=120)).closing([opening], promises([opening]), Path("demo"))
    assert ("busy with other work" in out.getvalue()) is told
