"""Case files are read strictly, turned into sound and words, played and checked."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from jev_turn.errors import CaseFileError, ConfigError
from jev_turn.play.case import Case, load
from jev_turn.play.command import Options, judge_named, play_file
from jev_turn.play.script import transcripts
from jev_turn.play.sound import ROOM, VOICE, envelope
from jev_turn.policy import load_policy

HERE = Path(__file__).parent
COMPLAINTS = Path(__file__).parents[2].parent / "shared/cases/complaints.json"


def options(**changes: Any) -> Options:
    """Return options for the recorded judge."""
    base = Options(f"recorded:{HERE / 'verdicts.json'}", 0.3, 0.15, "", False, load_policy(env={}))
    return replace(base, **changes)


def case(*events: dict[str, Any]) -> Case:
    """Return a case of these events."""
    return Case.model_validate({"id": "x", "events": events, "expect": []})


def played(path: Path, **changes: Any) -> tuple[int, str]:
    """Play a file; return how many cases failed and what was printed."""
    out = io.StringIO()
    failed = play_file(path, options(**changes), Console(file=out, width=200))
    return failed, out.getvalue()


@pytest.mark.bots
def test_our_own_cases_pass() -> None:
    """A pause is not cut and a nod does not interrupt, through gate, judge and aggregator."""
    failed, printed = played(HERE / "cases.json")
    assert failed == 0, printed
    assert "2 cases: 2 passed, 0 failed" in printed


@pytest.mark.bots
def test_a_broken_expectation_fails_its_case(tmp_path: Path) -> None:
    """A case whose expectation does not hold is counted, with what came instead."""
    data = json.loads((HERE / "cases.json").read_text())
    data["cases"] = [data["cases"][1] | {"expect": [{"interrupts": 0}]}]
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(data))
    failed, printed = played(file)
    assert failed == 1
    assert "interrupts: expected 0, got 1" in printed


@pytest.mark.bots
def test_json_has_one_object_a_case() -> None:
    """Machines read the same result, with the times of the turns."""
    _, printed = played(HERE / "cases.json", as_json=True, only="pause")
    result = json.loads(printed)
    assert result["ok"] is True
    assert result["turns"][0]["text"] == "the parcel that I sent you has not arrived"
    assert (result["words_lost"], result["words_doubled"]) == ([], [])


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"expect": [{"turns": 1, "replies": 1}]}, "expect"),
        ({"expect": [{"silence": 1}]}, "expect.0.silence"),
        ({"events": [{"at": -1, "who": "user"}]}, "events.0.at"),
        ({"events": [{"at": 0, "who": "dog"}]}, "events.0.who"),
        ({"events": [{"at": 0, "who": "user", "loud": True}]}, "events.0.loud"),
        ({"wat": 1}, "wat"),
    ],
)
def test_a_wrong_case_names_file_case_and_key(
    tmp_path: Path, change: dict[str, Any], names: str
) -> None:
    """A typing error in a case is found before anything is played."""
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"cases": [{"id": "odd", "events": [], "expect": []} | change]}))
    with pytest.raises(CaseFileError, match=rf"cases\.json: odd: {names}"):
        load(file)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"cases": 1}', '{"cases": []}', '{"cases": [1], "more": 1}']
)
def test_a_file_that_is_no_case_file_is_refused(tmp_path: Path, text: str) -> None:
    """Anything but an object with a list of some cases is an error that names the file."""
    file = tmp_path / "cases.json"
    file.write_text(text)
    with pytest.raises(CaseFileError, match=r"cases\.json"):
        load(file)


def test_cases_that_are_not_there_are_an_error() -> None:
    """A typing error in ``--only`` must not look like cases that passed."""
    with pytest.raises(ConfigError, match=r"--only: 'paws': a part of one of pause"):
        played(HERE / "cases.json", only="paws")


def test_an_unknown_judge_is_an_error() -> None:
    """A judge that does not exist is not replaced by another."""
    with pytest.raises(ConfigError, match="--judge: 'oracle'"):
        judge_named("oracle")


def test_words_are_spread_evenly_and_the_last_one_is_final() -> None:
    """Each word's interim comes a lag after its end; the final is the whole utterance."""
    lines = transcripts(case({"at": 1, "who": "user", "say": "one two three", "dur": 0.9}), 0.3)
    assert [(round(at, 3), text, final) for at, text, final in lines] == [
        (1.6, "one", False),
        (1.9, "one two", False),
        (2.2, "one two three", True),
    ]


def test_an_interim_only_utterance_has_no_final() -> None:
    """A recogniser that keeps its final back still shows the last word."""
    event = {"at": 0, "who": "user", "say": "billing", "dur": 0.3, "stt": "interim_only"}
    assert transcripts(case(event), 0.3) == [(0.6, "billing", False)]


def test_finals_in_mid_utterance_start_a_new_segment() -> None:
    """Behind such a final, interims begin anew."""
    event = {"at": 0, "who": "user", "say": "a b c d", "dur": 2.0, "finals_at": [1.0]}
    lines = [(text, final) for _, text, final in transcripts(case(event), 0.1)]
    assert lines == [("a", False), ("a b", False), ("a b", True), ("c", False), ("c d", True)]


def test_sound_lasts_as_long_as_the_words() -> None:
    """The microphone is at voice level exactly while somebody speaks."""
    levels = envelope(case({"at": 0.5, "who": "user", "say": "hi", "dur": 0.2}), 1.0, 0.006)
    loud = np.flatnonzero(levels > 0.01)
    assert (loud[0], loud[-1], len(levels)) == (50, 69, 100)
    assert levels[60] == pytest.approx(np.hypot(ROOM, VOICE))


def test_a_sound_without_voice_activity_is_six_decibels_under_the_gate() -> None:
    """``vad: false`` is half of the gate's level."""
    event = {"at": 0, "who": "user", "say": "yep", "dur": 0.2, "vad": False}
    assert envelope(case(event), 0.2, 0.006)[0] == pytest.approx(np.hypot(ROOM, 0.003))


@pytest.mark.skipif(not COMPLAINTS.exists(), reason="the complaints are not beside the project")
def test_every_complaint_is_understood() -> None:
    """The public complaints are in the format that is documented."""
    assert len(load(COMPLAINTS).cases) == 14
