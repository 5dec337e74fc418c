"""``jev-turn lint``: everything that is wrong with a folder, at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jev_turn.judges.state import Situation, build_state
from jev_turn.policy import lint, load_policy
from jev_turn.policy.block import read_block
from jev_turn.policy.wording import STATE_FIELDS, question_problems, wording_problems
from jev_turn.turn.effects import AskJudge


def change(path: Path, *keys: str, to: Any) -> None:
    """Set one value inside a file's block; ``None`` takes it away."""
    block: Any = read_block(path)
    inner = block
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = to
    if to is None:
        del inner[keys[-1]]
    path.write_text(f"```json\n{json.dumps(block)}\n```\n")


def test_the_packaged_files_are_clean() -> None:
    """What we ship passes our own rules."""
    assert lint() == []


def test_a_copied_folder_is_clean(folder: Path) -> None:
    """The files carry all they need."""
    assert lint(folder) == []


def test_every_problem_is_found_at_once(folder: Path) -> None:
    """One run names them all, with file and key."""
    change(folder / "policy.md", "values", "turn.cap_ms", "provenance", to=None)
    change(folder / "policy.md", "values", "gate.hold_ms", "unit", to="s")
    change(folder / "turn_complete.md", "version", to=0)
    (folder / "taking_floor.md").unlink()
    (folder / "extra.md").write_text("x")
    found = {(Path(problem.file).name, problem.key) for problem in lint(folder)}
    assert found == {
        ("policy.md", "turn.cap_ms.provenance"),
        ("policy.md", "gate.hold_ms.unit"),
        ("turn_complete.md", "version"),
        ("taking_floor.md", ""),
        ("extra.md", ""),
    }


@pytest.mark.parametrize(
    ("keys", "to", "key", "message"),
    [
        (("values", "turn.cap_ms"), None, "turn.cap_ms", "missing key"),
        (("values", "ear.tick_ms"), None, "ear.tick_ms", "missing key"),
        (("values", "replies.tick_mss"), {"value": 1, "unit": "count", "min": 0, "max": 2,
          "provenance": "guess: x"}, "replies.tick_mss", "unknown key"),
        (("values", "turn.cup_ms"), {"value": 1, "unit": "ms", "min": 0, "max": 2,
          "provenance": "guess: x"}, "turn.cup_ms", "unknown key"),
        (("values", "loose"), {"value": 1, "unit": "count", "min": 0, "max": 2,
          "provenance": "guess: x"}, "loose", "unknown key"),
        (("presets", "telephone", "turn.cup_ms"), {"value": 1, "provenance": "guess: x"},
         "presets.telephone.turn.cup_ms", "unknown key"),
        (("overrides", "local"), {"turn.eos_threshold": {"value": 0.1, "provenance": "guess: x"}},
         "turn.eos_threshold_floor", "is above"),
        (("values",), 5, "values", "JSON object"),
    ],
)  # fmt: skip
def test_a_wrong_policy_is_found(
    folder: Path, keys: tuple[str, ...], to: Any, key: str, message: str
) -> None:
    """Keys without a field, fields without a key, tables that do not fit."""
    change(folder / "policy.md", *keys, to=to)
    assert any(problem.key == key and message in problem.message for problem in lint(folder))


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ("turn.eos", "is no key of policy.md"),
        ("turn.cap_ms", "is no probability"),
        ("ear.answer_threshold", "belongs to enough_to_answer"),
    ],
)
def test_a_question_has_a_threshold_of_its_own(folder: Path, threshold: str, message: str) -> None:
    """It exists, is a probability, and no other question is measured with it."""
    change(folder / "turn_finished.md", "threshold", to=threshold)
    (problem,) = lint(folder)
    assert problem.key == "threshold"
    assert message in problem.message


def test_the_ear_and_the_turn_never_share_a_threshold(folder: Path) -> None:
    """Whether words can be answered and whether a turn is over are different questions."""
    change(folder / "enough_to_answer.md", "threshold", to="turn.eos_threshold")
    (problem,) = lint(folder)
    assert "belongs to turn_complete" in problem.message


def test_the_fields_of_the_state_are_those_that_a_judge_gets() -> None:
    """The rule about field names knows what is really sent."""
    state = build_state(AskJudge(1, "speaking", "hi", 0), Situation(), load_policy(env={}).judge())
    assert set(state) == STATE_FIELDS


def test_an_example_uses_fields_of_the_state(folder: Path) -> None:
    """A field that the judge never sees teaches it nothing."""
    change(folder / "turn_complete.md", "instructions", "examples",
           to=[{"user_said": "bye", "answer": "yes"}])  # fmt: skip
    (problem,) = lint(folder)
    assert problem.key == "instructions.examples.0.user_said"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Is it not true that nobody spoke in `current_user_transcript`?", "double negation"),
        ("Does `current_user_transcript` never end without a request?", "double negation"),
        ("Doesn't `current_user_transcript` say no?", "double negation"),
        ("How many words are in `current_user_transcript`?", "counting"),
        ("Are there at least two requests in `current_user_transcript`?", "counting"),
        ("Does `current_user_transcript` hold 10 digits?", "counting"),
        ("Is there a long silence after `current_user_transcript`?", "timing"),
        ("Did `current_user_transcript` end two seconds ago?", "timing"),
        ("Does the user pause in `current_user_transcript`?", "timing"),
        ("Has the user finished?", "names no field"),
        ("Has the user finished in `user_said`?", "no field of the state"),
        ("Has current_user_transcript ended?", "in backticks"),
        ("Is `current_user_transcript` complete? Is it meant for us?", "asks 2 things"),
        ("Judge `current_user_transcript`.", "asks 0 things"),
    ],
)
def test_a_question_that_judges_read_badly_is_flagged(text: str, message: str) -> None:
    """Negations stacked, counting, time, unnamed or unknown fields, more than one question."""
    assert any(message in problem for problem in question_problems(text))


@pytest.mark.parametrize(
    "text",
    [
        "Does `current_user_transcript` ask for a moment? It is not about `silence_since_last_word_ms`.",
        "Is `current_user_transcript` no answer? Nobody else has spoken.",
        "Does the other speaker in `current_user_transcript` agree?",
    ],
)
def test_plain_questions_pass(text: str) -> None:
    """One negation in a sentence is plain, and a field in backticks may be named after time."""
    assert list(question_problems(text)) == []


def test_criteria_are_held_to_the_same_wording(folder: Path) -> None:
    """They reach the judge too; they need not be questions."""
    assert list(wording_problems("The latest words ask for time.")) == []
    change(folder / "turn_complete.md", "criteria", "false", to="The user pauses.")
    (problem,) = lint(folder)
    assert (problem.key, "timing" in problem.message) == ("criteria.false", True)
    assert str(problem).startswith(f"{folder}")
