"""A real browser talks to the bots over WebRTC on this machine, with a file for its microphone.

Everything is judged from outside: by the page's transcript, by what it was told and when, and by the
sound that arrived.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support.browser_call import WATCH, Heard, Microphone, heard, open_page, press, record
from support.chromium import browser
from support.running_bot import ROOT, running_bot

from jev_turn.demo.plan import Noise, Voice

pytestmark = [pytest.mark.browser, pytest.mark.bots, pytest.mark.timeout(300)]

LENGTH_MS = 58_000
DUPLEX = (
    (12_000, Voice("Is the museum open on Sundays?")),
    (24_000, Voice("Could you explain where the museum comes from?")),
    (33_500, Noise("cough", seed=3)),
    (37_000, Voice("Uh-huh!")),
    (42_500, Voice("Wait, stop.")),
)
QUESTION, STORY, COUGH, NOD, STOP = range(5)
FINISH_TURN = (
    (12_000, Voice("Could you explain where the museum comes from?")),
    (19_000, Voice("And how much do tickets cost?")),
)
SENTENCE_PAUSE_MS = 900
"""Between two sentences the bot is not to be heard for up to 0.4 s; a loaded machine adds to it."""
STOPS_WITHIN_MS = 2000
"""The demo's limit is 700 ms (`make demo`); this one holds on a machine that runs a browser too."""


def call(chromium: str, bot: str, microphone: Microphone, folder: Path) -> Heard:
    """Hold a call that is as long as the microphone's file."""
    script = ROOT / "bots" / f"{bot}.py"
    with (
        running_bot(script, folder) as running,
        browser(chromium, folder, *microphone.flags()) as tab,
    ):
        open_page(tab, running.url, WATCH)
        press(tab, "connect")
        tab.until("window.zero", 20)
        time.sleep(LENGTH_MS / 1000)
        return heard(tab)


@pytest.fixture(scope="module")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Microphone:
    """Speak the caller's lines."""
    return record(tmp_path_factory.mktemp("mic") / "duplex.wav", LENGTH_MS, DUPLEX)


@pytest.fixture(scope="module")
def duplex(
    chromium: str, microphone: Microphone, tmp_path_factory: pytest.TempPathFactory
) -> Heard:
    """Hold the call with `bots/duplex.py` that the tests below look at."""
    return call(chromium, "duplex", microphone, tmp_path_factory.mktemp("duplex"))


def test_the_bot_greets(duplex: Heard, microphone: Microphone) -> None:
    """Its first words arrive as text and as sound before the caller has said anything."""
    assert "harbour museum" in duplex.said_by("bot")[0]
    assert max(db for at, db in duplex.levels if at < microphone.spoken[QUESTION][0].onset_ms) > -30


def test_the_first_word_is_not_clipped(duplex: Heard) -> None:
    """The caller's sentence is on the page from its first word on."""
    assert duplex.said_by("you")[0].lower().startswith("is the museum open")


def test_a_question_is_answered(duplex: Heard) -> None:
    """The row after the question is its answer, and all of it was said."""
    rows = [(row["who"], row["text"], row["cut"]) for row in duplex.rows]
    asked = next(at for at, row in enumerate(rows) if row[0] == "you")
    who, text, cut = rows[asked + 1]
    assert who == "bot" and "nine in the morning" in text and not cut


def test_neither_a_cough_nor_a_nod_stops_the_bot(duplex: Heard, microphone: Microphone) -> None:
    """Up to "wait, stop" nothing interrupts, and the story is to be heard all the time."""
    begin, end = microphone.spoken[COUGH][0].onset_ms, microphone.spoken[STOP][0].onset_ms
    assert not [at for at in duplex.when("bot-interrupted") if at < end]
    assert [row for row in duplex.pauses(begin, end) if row[1] > SENTENCE_PAUSE_MS] == []


def test_a_nod_is_noted(duplex: Heard) -> None:
    """It stands on the page in passing, and is no turn."""
    assert len(duplex.said_by("nod")) == 1
    assert not [text for text in duplex.said_by("you") if "uh" in text.lower()]


def test_wait_stop_stops_the_bot(duplex: Heard, microphone: Microphone) -> None:
    """The sound ends soon after the words, and the page strikes out what was not said."""
    end = microphone.spoken[STOP][-1].end_ms
    (interrupted,) = duplex.when("bot-interrupted")
    assert microphone.spoken[STOP][0].onset_ms < interrupted < end + STOPS_WITHIN_MS
    assert [row for row in duplex.pauses(interrupted, end + STOPS_WITHIN_MS) if row[1] >= 200]
    assert [row["cut"] for row in duplex.rows if row["cut"]]


def test_a_bot_without_barge_in_answers_later(
    chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What is said over its story interrupts nothing and is answered when the story is over."""
    folder = tmp_path_factory.mktemp("finish")
    asked = record(folder / "mic.wav", LENGTH_MS, FINISH_TURN)
    heard = call(chromium, "finish_turn", asked, folder)
    assert heard.when("bot-interrupted") == []
    assert not [row["cut"] for row in heard.rows if row["cut"]]
    said = " ".join(heard.said_by("bot"))
    assert said.index("ice breaker") < said.index("eight euros")
