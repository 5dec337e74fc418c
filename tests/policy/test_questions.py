"""Question files: what reaches the judge, and nothing else does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.policy_files import markdown, question, refusal
from typesafe_sdk import Noul

from jev_turn.policy import QUESTION_IDS, QUESTIONS, load_questions
from jev_turn.policy.question import load_question

TURN_BUNDLE = ("turn_complete", "holding_floor", "addressed_to_agent", "taking_floor")

VERSIONS = {
    "turn_complete": (1, "2edc40969db5"),
    "holding_floor": (1, "fad48a5ceb51"),
    "addressed_to_agent": (1, "0304cdb89011"),
    "taking_floor": (1, "5a9975feea4e"),
    "enough_to_answer": (1, "52eb7dc26198"),
    "turn_finished": (1, "e0aa408b29ca"),
}
"""Version and digest: a new digest needs a new version."""


def written(tmp_path: Path, block: object) -> Path:
    """A question file with this block."""
    path = tmp_path / "turn_complete.md"
    path.write_text(markdown(block))
    return path


def test_the_six_questions_load_in_a_fixed_order() -> None:
    """The same request every time, whatever the file system says first."""
    assert tuple(load_questions()) == QUESTION_IDS


@pytest.mark.parametrize("name", QUESTION_IDS)
def test_what_reaches_the_judge_changes_with_its_version(name: str) -> None:
    """A changed question goes with a raised version, and with a new line here."""
    asked = load_questions()[name]
    assert (asked.version, asked.sha256[:12]) == VERSIONS[name]


@pytest.mark.parametrize("name", QUESTION_IDS)
def test_the_sdk_takes_every_question_as_it_is(name: str) -> None:
    """``Noul`` forbids unknown keys, so examples travel inside the instructions."""
    asked = load_questions()[name]
    sent = Noul(**asked.body()).model_dump(mode="json", exclude_none=True)
    assert sent == asked.block
    assert set(asked.block) == {"type", "instructions", "criteria"}


def test_prose_never_reaches_the_judge(folder: Path) -> None:
    """J02: edit everything around the block, and the request is the same byte for byte."""
    for name in QUESTION_IDS:
        path = folder / f"{name}.md"
        text = path.read_text()
        block = text[text.index("```json") :]
        path.write_text(f"Other words altogether, `with` marks and {{braces}}.\n\n{block}\n* end\n")
    before, after = load_questions(), load_questions(folder)
    for name in QUESTION_IDS:
        assert after[name].payload.encode() == before[name].payload.encode()
        assert after[name].sha256 == before[name].sha256


def test_layout_of_the_block_never_reaches_the_judge(tmp_path: Path) -> None:
    """Indentation and line ends are the file's business."""
    path = written(tmp_path, question())
    wide = json.dumps(question(), indent=8)
    (tmp_path / "b").mkdir()
    other = tmp_path / "b" / "turn_complete.md"
    other.write_bytes(f"```json\n{wide}\n```\n".replace("\n", "\r\n").encode())
    assert load_question(other).payload == load_question(path).payload


def test_id_version_and_threshold_never_reach_the_judge(tmp_path: Path) -> None:
    """They are for code and people."""
    before = load_question(written(tmp_path, question())).payload
    changed = question(version=2, threshold="turn.barge_in_threshold")
    assert load_question(written(tmp_path, changed)).payload == before


def test_a_block_cannot_be_changed_through_its_copy() -> None:
    """Each caller gets its own; the next one asks the same question."""
    asked = load_questions()["turn_complete"]
    asked.block["instructions"]["question"] = "Spoilt?"
    assert asked.text != "Spoilt?"


def test_instructions_may_be_text_alone(tmp_path: Path) -> None:
    """The plainest form has no examples."""
    asked = load_question(written(tmp_path, question(instructions="Is it over?")))
    assert (asked.text, asked.examples) == ("Is it over?", ())


@pytest.mark.parametrize("key", question())
def test_a_missing_key_is_named(tmp_path: Path, key: str) -> None:
    """No key has a default."""
    path = written(tmp_path, question(**{key: None}))
    error = refusal(lambda: load_question(path))
    assert (error.source, error.key, error.reason) == (str(path), key, "missing key")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"examples": []}, "examples"),
        ({"id": "other"}, "id"),
        ({"type": "score"}, "type"),
        ({"version": 0}, "version"),
        ({"version": True}, "version"),
        ({"version": "1"}, "version"),
        ({"version": 1.5}, "version"),
        ({"threshold": 0.72}, "threshold"),
        ({"threshold": ""}, "threshold"),
        ({"instructions": ""}, "instructions"),
        ({"instructions": ["Is it over?"]}, "instructions"),
        ({"instructions": {"examples": []}}, "instructions.question"),
        ({"instructions": {"question": " "}}, "instructions.question"),
        ({"instructions": {"question": "?", "notes": ""}}, "instructions.notes"),
        ({"instructions": {"question": "?", "examples": {}}}, "instructions.examples"),
        ({"instructions": {"question": "?", "examples": ["a"]}}, "instructions.examples.0"),
        ({"instructions": {"question": "?", "examples": [{"a": "b"}]}},
         "instructions.examples.0.answer"),
        ({"instructions": {"question": "?", "examples": [{"a": "b", "answer": True}]}},
         "instructions.examples.0.answer"),
        ({"instructions": {"question": "?", "examples": [{"a": 1, "answer": "no"}]}},
         "instructions.examples.0.a"),
        ({"criteria": {"true": "Yes."}}, "criteria.false"),
        ({"criteria": {"true": "Yes.", "false": ""}}, "criteria.false"),
        ({"criteria": {"true": "a", "false": "b", "maybe": "c"}}, "criteria.maybe"),
        ({"criteria": {"yes": "a", "no": "b"}}, "criteria.yes"),
        ({"criteria": "Yes."}, "criteria"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named(tmp_path: Path, changes: dict[str, Any], key: str) -> None:
    """Unknown key or wrong type, at any depth: file, key and value."""
    path = written(tmp_path, question(**changes))
    error = refusal(lambda: load_question(path))
    assert (error.source, error.key) == (str(path), key)


def test_two_blocks_are_refused(tmp_path: Path) -> None:
    """Nobody can say which one is asked."""
    path = written(tmp_path, question())
    path.write_text(path.read_text() * 2)
    assert refusal(lambda: load_question(path)).value == 2


def test_a_missing_or_unknown_question_is_named(folder: Path) -> None:
    """A bundle with a hole fails at the start, and so does a file that nobody would ask."""
    (folder / "turn_over.md").write_text("x")
    assert refusal(lambda: load_questions(folder)).value == "turn_over"
    (folder / "turn_over.md").unlink()
    (folder / "taking_floor.md").unlink()
    assert refusal(lambda: load_questions(folder)).value == "taking_floor.md"


def example_answers(name: str) -> dict[str, str]:
    """What each example's words are answered with."""
    return {
        example["current_user_transcript"]: example["answer"]
        for example in load_questions()[name].examples
    }


@pytest.mark.parametrize(
    ("name", "words", "answer"),
    [
        ("turn_complete", "I don't know.", "yes"),
        ("turn_complete", "the blue one is nice but", "no"),
        ("turn_complete", "I have a question.", "no"),
        ("turn_complete", "So the thing is.", "no"),
        ("holding_floor", "hmm let me think", "yes"),
        ("holding_floor", "Let me think. Okay, please continue.", "no"),
        ("addressed_to_agent", "Not now, Tom. Sorry, say the price again?", "yes"),
        ("addressed_to_agent", "Say the price again? Tom, get off the sofa.", "no"),
        ("taking_floor", "Uh-huh.", "no"),
        ("taking_floor", "Uh-huh. Wait.", "yes"),
        ("taking_floor", "the old harbour", "no"),
        ("enough_to_answer", "Two things, really. First, parking near the museum.", "yes"),
        ("enough_to_answer", "forget it", "no"),
        ("turn_finished", "Two things, really. First, parking near the museum.", "no"),
        ("turn_finished", "forget it", "yes"),
    ],
)
def test_the_anchors_of_each_question(name: str, words: str, answer: str) -> None:
    """J12 to J15 and E07: the cases that each question is about are among its examples."""
    assert example_answers(name)[words] == answer


@pytest.mark.parametrize("name", QUESTION_IDS)
def test_examples_show_both_answers_with_and_without_a_full_stop(name: str) -> None:
    """Punctuation must not tell the answers apart."""
    shown = {(words[-1].isalnum(), answer) for words, answer in example_answers(name).items()}
    assert shown == {(True, "yes"), (True, "no"), (False, "yes"), (False, "no")}


def test_taking_floor_gets_what_the_agent_has_and_has_not_said() -> None:
    """J15: the question names the field, and every example fills both halves."""
    asked = load_questions()["taking_floor"]
    assert "`assistant_current_speech`" in asked.text
    for example in asked.examples:
        assert set(example["assistant_current_speech"]) == {"heard", "not_heard"}


@pytest.mark.parametrize("name", ["turn_complete", "enough_to_answer", "turn_finished"])
def test_short_answers_are_read_against_the_agents_line(name: str) -> None:
    """J19: the question names the field, and an example depends on it."""
    asked = load_questions()[name]
    assert "`assistant_last_message`" in asked.text
    assert any(example["assistant_last_message"] for example in asked.examples)


@pytest.mark.parametrize("name", QUESTION_IDS)
def test_every_question_says_that_only_words_are_known(name: str) -> None:
    """J16: tone, hums and breaths are invisible to the judge."""
    assert "Only written words are visible" in load_questions()[name].text


def test_the_packaged_folder_holds_nothing_else() -> None:
    """Six questions, the policy and the README."""
    names = {path.name for path in QUESTIONS.iterdir()}
    assert names == {f"{name}.md" for name in (*QUESTION_IDS, "policy", "README")}
