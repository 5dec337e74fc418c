"""Whole calls in virtual time, with the embedded recogniser, voice and judge."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from jev_turn.demo import command
from jev_turn.demo.command import Options, demo
from jev_turn.demo.plan import FinishTurnSetup, Voice
from jev_turn.demo.script import ECHO
from jev_turn.embedded.recordings import human
from jev_turn.policy import load_policy
from jev_turn.record import read
from jev_turn.turn.words import tokens

pytestmark = pytest.mark.speech


def options(out: Path, **changes: object) -> Options:
    """Return options for a quick run without a key."""
    fields = {"fast": True, "judge": "embedded", "json_file": out / "calls.json", **changes}
    return Options(load_policy(env={}), out, **fields)  # type: ignore[arg-type]


def test_two_questions_are_answered(tmp_path: Path) -> None:
    """The first call of the demo, with everything that it leaves behind."""
    console = Console(quiet=True)
    demo(options(tmp_path, only="question"), console)
    (told,) = map(json.loads, (tmp_path / "calls.json").read_text().splitlines())
    assert told["name"] == "question" and told["replies"] >= 2
    assert (told["words_lost"], told["words_doubled"], told["false_openings"]) == (0, 0, 0)
    assert all(opening["opened_after_ms"] <= 150 for opening in told["onsets"])
    said = " ".join(turn["text"] for turn in told["turns"]).lower()
    assert "open on sundays" in said and "tickets" in said
    kinds = {record["kind"] for record in read(tmp_path / "question.jsonl")}
    assert kinds >= {"call", "level", "gate", "bot", "spoken", "final", "verdict", "effect", "end"}
    page = tmp_path / "question.html"
    assert "Sundays" in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_a_real_recording_goes_through_the_pipeline(tmp_path: Path) -> None:
    """A man reads for 44 s: nothing is lost or doubled, and what needs labels is unknown."""
    demo(options(tmp_path, wav=human().path), Console(quiet=True))
    (told,) = map(json.loads, (tmp_path / "calls.json").read_text().splitlines())
    assert (told["words_lost"], told["words_doubled"]) == (0, 0)
    assert told["false_openings"] is None and told["onsets"]
    assert "foolishness" in " ".join(turn["text"] for turn in told["turns"]).lower()


def words(record: Path, kind: str) -> set[str]:
    """Return the words of all lines of that kind."""
    return {word for r in read(record) if r["kind"] == kind for word in tokens(r["text"] or "")}


WITHOUT_BARGE_IN = ("queue", "echo", "invented", "restart")


@pytest.mark.bots
@pytest.mark.parametrize("name", WITHOUT_BARGE_IN)
def test_a_call_without_barge_in_keeps_its_promises(name: str, tmp_path: Path) -> None:
    """Words that wait, an echo, an invented sentence, a process that is killed in mid-call."""
    assert demo(options(tmp_path, only=name), Console(quiet=True))
    parts = [f"{name}-killed", name] if name == "restart" else [name]
    assert sorted(path.stem for path in tmp_path.glob("*.html")) == sorted(parts)


@pytest.mark.bots
def test_without_the_mute_the_echo_is_transcribed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The echo's call would prove nothing if the recogniser heard nothing in it anyway."""
    unmuted = replace(ECHO, finish_turn=FinishTurnSetup(mic_gate=False, echo=True))
    monkeypatch.setattr(command, "CONVERSATIONS", (unmuted,))
    assert not demo(options(tmp_path), Console(quiet=True))
    heard = words(tmp_path / "echo.jsonl", "partial")
    lines = [step.sound.text for step in ECHO.steps if isinstance(step.sound, Voice)]
    bots = words(tmp_path / "echo.jsonl", "spoken") - set(tokens(" ".join(lines)))
    # A recogniser on a busy machine hears other parts of a long reply than on a quick one.
    assert len(heard & bots) >= 5
