"""What a person sees."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from support.demo_call import call, line
from support.sample_call import sample_call

from jev_turn.demo.plan import Fate
from jev_turn.demo.promises import promises
from jev_turn.demo.script import QUESTION
from jev_turn.demo.show import Screen
from jev_turn.play.witness import Account


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
    assert any(text.startswith("voices that did not open it 1 0 1 broken") for text in lines)
    assert any(text.startswith("clicks that opened it 0 0 0 not tested") for text in lines)
    assert any(text.startswith("voices that did not open it: x 0:00.00") for text in lines)
    assert lines[-1] == "Records and pictures: demo/"
