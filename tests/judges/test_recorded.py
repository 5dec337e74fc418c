"""RecordedClassifier: verdicts from a file, and nothing that the file does not say."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pipecat.classifiers.base_classifier import ClassifierError
from support.fake_judges import QUESTIONS, SPEAKING, ask, judged_once, jump

from jev_turn.errors import PolicyFileError
from jev_turn.judges.recorded import RecordedClassifier, agent_words, normalised
from jev_turn.turn.events import Judged, JudgeFailed

RULES: list[dict[str, Any]] = [
    {"agent": "our plans.*", "user": "uh huh|yeah", "taking_floor": 0.03},
    {"user": "uh huh|yeah", "turn_complete": 0.6},
    {"user": ".*", "turn_complete": 0.1, "holding_floor": 0, "addressed_to_agent": 1},
]


def written(folder: Path, data: object) -> Path:
    """The file, as JSON or as the text given."""
    path = folder / "verdicts.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def recorded(folder: Path, rules: object = RULES) -> RecordedClassifier:
    """A classifier with ``rules``."""
    return RecordedClassifier(written(folder, {"schema": 1, "model": "ideal", "rules": rules}))


def probabilities(folder: Path, state: dict[str, Any], *names: str) -> list[float]:
    """Its answers about ``state``."""
    answers = jump(recorded(folder).yes_no(state, {name: QUESTIONS[name] for name in names}))
    return [answers[name].probability for name in names]


def test_the_first_rule_that_matches_and_knows_answers(tmp_path: Path) -> None:
    """A rule may answer some questions and leave the others to a later one."""
    state = {
        "assistant_last_message": "Hello.",
        "assistant_current_speech": {"heard": "Our plans", "not_heard": "begin at nine."},
        "current_user_transcript": "Uh-huh.",
    }
    assert probabilities(tmp_path, state, *SPEAKING) == [0.6, 0.0, 1.0, 0.03]


def test_the_same_words_get_the_same_verdict_at_any_time(tmp_path: Path) -> None:
    """How much of the speech was heard, silence and history change nothing."""
    heard = [("", "Our plans begin"), ("Our plans", "begin"), ("Our plans begin", "")]
    got = [
        probabilities(
            tmp_path,
            {
                "assistant_current_speech": {"heard": now, "not_heard": later},
                "silence_since_last_word_ms": quiet,
                "current_user_transcript": "yeah",
            },
            "taking_floor",
        )
        for quiet, (now, later) in enumerate(heard)
    ]
    assert got == [[0.03]] * 3


def test_nothing_matched_is_an_error(tmp_path: Path) -> None:
    """Never a default; the message names file and question and not the words."""
    state = {"assistant_last_message": "Hello.", "current_user_transcript": "zanzibar"}
    with pytest.raises(ClassifierError, match=r"verdicts\.json.*'taking_floor'") as caught:
        probabilities(tmp_path, state, "taking_floor")
    assert "zanzibar" not in str(caught.value)


def test_a_rule_matches_whole_texts(tmp_path: Path) -> None:
    """A rule about "yeah" says nothing about "yeah but"."""
    state = {"assistant_last_message": "Hello.", "current_user_transcript": "yeah but"}
    assert probabilities(tmp_path, state, "turn_complete") == [0.1]


def test_it_serves_as_a_judge(tmp_path: Path) -> None:
    """With the model's name from the file; an unanswered question fails the ask."""
    ours = recorded(tmp_path)
    assert ours.model == "ideal"
    assert isinstance(jump(judged_once(ours, ask(1))), Judged)
    assert isinstance(jump(judged_once(ours, ask(2, "speaking"))), JudgeFailed)


def test_an_answer_may_take_time(tmp_path: Path) -> None:
    """The latency is on the loop's own time."""
    path = written(tmp_path, {"schema": 1, "model": "ideal", "rules": RULES})

    async def main() -> float:
        await judged_once(RecordedClassifier(path, latency_ms=275), ask(1))
        return asyncio.get_running_loop().time()

    assert jump(main()) == pytest.approx(0.275)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Uh-huh. Wait\u2026 what's  that?", "uh huh wait whats that"),
        ("don\u2019t", "dont"),
        ("4 1 5, 5.5", "4 1 5 5 5"),
        ("Na\u00efve \u4f60\u597d\u3002", "na\u00efve \u4f60\u597d"),
        (" ?! ", ""),
        (None, ""),
    ],
)
def test_texts_are_compared_normalised(text: str | None, plain: str) -> None:
    """Lower case, no punctuation, single spaces."""
    assert normalised(text) == plain


def test_the_agents_words_are_its_speech_or_its_last_line() -> None:
    """While it speaks, all of its current speech; otherwise its last message."""
    last = {"assistant_last_message": "Which platform?"}
    speech = {"assistant_current_speech": {"heard": "Our plans", "not_heard": "begin."}}
    assert agent_words(last) == "which platform"
    assert agent_words(last | speech) == "our plans begin"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        pytest.param("{", "readable JSON", id="no JSON"),
        pytest.param([], "schema, model and rules", id="list"),
        pytest.param({"schema": 1, "model": "m"}, "schema, model and rules", id="rules missing"),
        pytest.param(
            {"schema": 1, "model": "m", "rules": [], "x": 1}, "schema, model and rules", id="extra"
        ),
        pytest.param({"schema": 2, "model": "m", "rules": []}, "schema: 2", id="schema"),
        pytest.param({"schema": 1, "model": 3, "rules": []}, "model: 3", id="model"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, data: object, told: str) -> None:
    """The file, the key, the value."""
    path = written(tmp_path, data)
    with pytest.raises(PolicyFileError, match=r"verdicts\.json") as caught:
        RecordedClassifier(path)
    assert told in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Like any other wrong one."""
    with pytest.raises(PolicyFileError, match=r"nowhere\.json"):
        RecordedClassifier(tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        pytest.param("yes", "rules[1]: 'str'", id="no object"),
        pytest.param({"turn_complete": 0.5}, "rules[1]: ['turn_complete']", id="no user"),
        pytest.param({"user": "a", "mood": 0.5}, "rules[1].mood", id="no such question"),
        pytest.param({"user": "a", "turn_complete": 1.5}, "rules[1].turn_complete", id="range"),
        pytest.param({"user": "a", "turn_complete": True}, "rules[1].turn_complete", id="bool"),
        pytest.param({"user": "a", "turn_complete": "1"}, "rules[1].turn_complete", id="text"),
        pytest.param({"user": "(", "turn_complete": 1}, "rules[1].user: '('", id="pattern"),
        pytest.param({"user": None, "turn_complete": 1}, "rules[1].user: None", id="no pattern"),
        pytest.param({"user": "a", "agent": 1}, "rules[1].agent: 1", id="agent"),
    ],
)
def test_a_wrong_rule_is_named(tmp_path: Path, rule: object, told: str) -> None:
    """By its place in the list."""
    with pytest.raises(PolicyFileError) as caught:
        recorded(tmp_path, [RULES[0], rule])
    assert told in str(caught.value)
