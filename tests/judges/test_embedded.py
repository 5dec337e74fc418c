"""The embedded judge with its real weights."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from loguru import logger
from pipecat.classifiers.base_classifier import ClassifierError, ScoreQuestion, YesNoQuestion

from jev_turn.judges.bundles import as_yes_no
from jev_turn.judges.embedded import DamagedWeights, EmbeddedClassifier, is_english, read_meta
from jev_turn.policy import load_questions

HEADS = (
    "turn_complete",
    "holding_floor",
    "addressed_to_agent",
    "taking_floor",
    "enough_to_answer",
    "turn_finished",
)
QUESTIONS = {name: YesNoQuestion(instructions=f"About {name}?", yes="y") for name in HEADS}


def judge(**settings: Any) -> EmbeddedClassifier:
    """A judge with short question texts in place of the packaged ones."""
    return EmbeddedClassifier(questions=QUESTIONS, **settings)


@pytest.fixture(scope="module")
def shared() -> EmbeddedClassifier:
    """One judge for all cases: loading takes longest."""
    return judge()


def ask(classifier: EmbeddedClassifier, state: Any, *names: str) -> dict[str, float]:
    """Ask some of the questions."""
    asked = {name: QUESTIONS[name] for name in names or HEADS}
    results = asyncio.run(classifier.yes_no(state, asked))
    return {name: result.probability for name, result in results.items()}


def state(agent: str, user: str, heard: str | None = None) -> dict[str, Any]:
    """The keys that the embedded judge reads."""
    speaking = {} if heard is None else {"assistant_current_speech": {"heard": heard}}
    return {"assistant_last_message": agent, **speaking, "current_user_transcript": user}


LONG = "The parcel left our warehouse on Tuesday and the driver will bring it"

CASES = [
    ("What may I do for you?", "How much is a day ticket?", None, {"turn_complete": ">.75"}),
    ("What may I do for you?", "How much is a", None, {"turn_complete": "<.3"}),
    ("Shall I reserve it?", "Yep.", None, {"turn_complete": ">.75", "addressed_to_agent": ">.6"}),
    ("What may I do for you?", "Um", None, {"turn_complete": "<.3"}),
    ("Shall I reserve it?", "Uh", None, {"turn_complete": "<.3"}),
    ("What may I do for you?", "I need a taxi and, uh", None, {"turn_complete": "<.3"}),
    ("What's the claim number?", "Hang on, let me look.", None,
     {"holding_floor": ">.7", "turn_complete": "<.3"}),
    ("Which number can we ring?", "646 220", None, {"turn_complete": "<.4"}),
    ("Which number can we ring?", "646-220-7815", None, {"turn_complete": ">.75"}),
    ("What may I do for you?", "Grandpa, your tea is getting cold.", None,
     {"addressed_to_agent": "<.4"}),
    ("What may I do for you?", "I'd like to talk to somebody about my rent.", None,
     {"addressed_to_agent": ">.6"}),
    ("", "Aha.", LONG, {"taking_floor": "<.3"}),
    ("", "Yeah.", LONG, {"taking_floor": "<.3"}),
    ("", "Stop, stop.", LONG, {"taking_floor": ">.7"}),
    ("", "Yes, but I ordered it in January.", LONG, {"taking_floor": ">.7"}),
    ("Anything else?", "No, that was all, bye.", None,
     {"enough_to_answer": "<.4", "turn_finished": ">.6"}),
]  # fmt: skip


@pytest.mark.parametrize(("agent", "user", "heard", "expected"), CASES)
def test_plain_cases_are_judged_with_a_margin(
    shared: EmbeddedClassifier, agent: str, user: str, heard: str | None, expected: dict[str, str]
) -> None:
    """What a caller would call obvious is judged so, and not narrowly."""
    found = ask(shared, state(agent, user, heard), *expected)
    for name, bound in expected.items():
        limit = float(bound[1:])
        right = found[name] >= limit if bound[0] == ">" else found[name] <= limit
        assert right, f"{name} {found[name]:.2f}, expected {bound}"


def test_every_answer_is_a_probability_under_the_name_that_was_asked(
    shared: EmbeddedClassifier,
) -> None:
    """One pass answers whatever of the six is asked."""
    found = ask(shared, state("Hello?", "Hello."))
    assert tuple(found) == HEADS
    assert all(0.0 <= value <= 1.0 for value in found.values())


def test_words_heard_of_the_current_speech_count_as_the_agents(shared: EmbeddedClassifier) -> None:
    """While the agent speaks, its last message is what has been heard of it so far."""
    spoken = ask(shared, state("Ready?", "Okay.", LONG))
    assert spoken == ask(shared, state(LONG, "Okay."))
    assert ask(shared, state("Ready?", "Okay.", "")) == ask(shared, state("Ready?", "Okay."))


@pytest.mark.parametrize(
    "questions",
    [
        {"is_angry": YesNoQuestion(instructions="Is the user angry?")},
        {"turn_complete": YesNoQuestion(instructions="Is the user angry?")},
        {"turn_complete": YesNoQuestion(instructions="About turn_complete?", yes="other")},
        {"turn_complete": ScoreQuestion(instructions="About?", levels=["no", "yes"])},
        QUESTIONS | {"is_angry": YesNoQuestion(instructions="Is the user angry?")},
    ],
)
def test_any_other_question_is_refused(shared: EmbeddedClassifier, questions: Any) -> None:
    """It answers the questions that it was trained on, word for word, and guesses at no other."""
    with pytest.raises(ClassifierError):
        asyncio.run(shared.ask(state("", "hello"), questions))


@pytest.mark.parametrize(
    "unreadable",
    ["hello", [], {}, {"current_user_transcript": 3}, state("", ""), state("", " ... ")],
)
def test_a_state_without_words_is_an_error(shared: EmbeddedClassifier, unreadable: Any) -> None:
    """Nothing to judge is never a verdict."""
    with pytest.raises(ClassifierError):
        ask(shared, unreadable)


def test_the_packaged_questions_are_the_ones_it_knows() -> None:
    """Built without arguments, it takes the question files as they are, and all six of them."""
    packaged = {name: as_yes_no(question) for name, question in load_questions().items()}
    found = asyncio.run(EmbeddedClassifier().yes_no(state("Hello?", "Hello."), packaged))
    assert set(found) == set(HEADS)


def test_model_says_what_it_is(shared: EmbeddedClassifier) -> None:
    """Nobody can take it for Jev."""
    assert shared.model.startswith("embedded-minilm")


@pytest.mark.parametrize(
    ("language", "english"),
    [("en", True), ("en-GB", True), ("en_US", True), ("EN", True), ("de", False), ("end", False)],
)
def test_every_kind_of_english_is_english(language: str, english: bool) -> None:
    """Recognisers write the language in several ways."""
    assert is_english(language) is english


def test_another_language_warns_once_and_every_ask_fails() -> None:
    """The silence rule applies where the network knows nothing."""
    heard: list[str] = []
    sink = logger.add(lambda message: heard.append(str(message)), level="WARNING")
    try:
        foreign = judge(language="de-DE")
        for _ in range(2):
            with pytest.raises(ClassifierError, match="de-DE"):
                ask(foreign, state("", "hallo"))
    finally:
        logger.remove(sink)
    assert len(heard) == 1 and "de-DE" in heard[0]


@pytest.mark.parametrize("name", ["vocab.txt", "model.onnx", "meta.json"])
@pytest.mark.parametrize("missing", [True, False])
def test_a_changed_or_missing_file_is_named(tmp_path: Path, name: str, missing: bool) -> None:
    """Weights that are not the ones the package was made with are not loaded."""
    sums = {file: hashlib.sha256(file.encode()).hexdigest() for file in ("vocab.txt", "model.onnx")}
    for file in sums:
        (tmp_path / file).write_text(file)
    (tmp_path / "meta.json").write_text(json.dumps({"schema": 1, "sha256": sums}))
    assert read_meta(tmp_path)["sha256"] == sums
    if missing:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text('{"schema": 9, "sha256": {}}')
    with pytest.raises(DamagedWeights, match=name):
        read_meta(tmp_path)
    with pytest.raises(DamagedWeights, match=name):
        judge(weights=tmp_path)
