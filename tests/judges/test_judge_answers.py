"""The judge: what is asked, and which answers are a verdict."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pipecat.classifiers.base_classifier import YesNoResult
from support.fake_judges import (
    LISTENING,
    QUESTIONS,
    SITUATION,
    SPEAKING,
    HandClassifier,
    ask,
    config,
    desk,
    jump,
    settle,
)

from jev_turn.errors import ConfigError
from jev_turn.judges.bundles import SPECULATING, TURN, as_yes_no
from jev_turn.judges.judge import Judge
from jev_turn.turn.events import Judged
from jev_turn.turn.verdict import Verdict


def test_one_ask_brings_one_verdict() -> None:
    """The answer returns under the ask's number, with every question's own probability."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(7, "speaking"), SITUATION)
        await asyncio.sleep(0.2)
        values = dict(zip(SPEAKING, (0.9, 0.1, 0.8, 0.7), strict=True))
        classifier.answer(0, {n: YesNoResult(probability=p) for n, p in values.items()})
        await settle()
        assert here.events == [Judged(200, 7, Verdict(0.9, 0.1, 0.8, 0.7))]

    jump(main())


@pytest.mark.parametrize(("bundle", "asked"), [("listening", LISTENING), ("speaking", SPEAKING)])
def test_a_bundle_is_one_request(bundle: Any, asked: tuple[str, ...]) -> None:
    """Three questions while the agent is silent, four over its speech, in one call (S1-J05)."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1, bundle), SITUATION)
        await settle()
        classifier.answer(0, 0.5)
        await settle()
        assert classifier.asked == [asked]
        (event,) = here.events
        assert isinstance(event, Judged)
        assert (event.verdict.taking_floor is None) == (bundle == "listening")

    jump(main())


def test_a_verdict_is_made_of_what_was_asked() -> None:
    """An answer that nobody asked for changes nothing, and does not fail the rest."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1), SITUATION)
        await settle()
        classifier.answer(0, {n: YesNoResult(probability=0.3) for n in (*SPEAKING, "mood")})
        await settle()
        assert here.events == [Judged(0, 1, Verdict(0.3, 0.3, 0.3))]

    jump(main())


def _unchecked(value: object) -> YesNoResult:
    return YesNoResult.model_construct(probability=value)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="null"),
        pytest.param("0.9", id="text"),
        pytest.param(True, id="bool"),
        pytest.param(float("nan"), id="nan"),
        pytest.param(float("inf"), id="infinity"),
        pytest.param(1.0000001, id="above"),
        pytest.param(-0.0000001, id="below"),
        pytest.param([0.5], id="list"),
    ],
)
def test_a_value_that_is_no_probability_is_no_verdict(answer: object) -> None:
    """Unreadable fails; it is never read as a no (S2-J05)."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1), SITUATION)
        await settle()
        good = {n: YesNoResult(probability=0.5) for n in LISTENING}
        classifier.answer(0, good | {"holding_floor": _unchecked(answer)})
        await settle()
        assert here.ends() == [(1, "unreadable")]

    jump(main())


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param({}, id="empty"),
        pytest.param(None, id="nothing"),
        pytest.param([0.5, 0.5, 0.5], id="list"),
        pytest.param({"turn_complete": YesNoResult(probability=0.5)}, id="two missing"),
        pytest.param({n.upper(): YesNoResult(probability=0.5) for n in LISTENING}, id="other ids"),
        pytest.param({n: 0.5 for n in LISTENING}, id="bare numbers"),
    ],
)
def test_answers_of_another_shape_are_no_verdict(answers: object) -> None:
    """Missing answers, other ids and other types fail the ask."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1), SITUATION)
        await settle()
        classifier.answer(0, answers)
        await settle()
        assert here.ends() == [(1, "unreadable")]

    jump(main())


def test_a_bundle_without_its_question_is_refused() -> None:
    """A question file that is missing is found when the bot is built."""
    classifier = HandClassifier()
    with pytest.raises(ConfigError, match="taking_floor"):
        Judge(
            classifier,
            {name: QUESTIONS[name] for name in LISTENING},
            config(),
            clock_ms=lambda: 0,
            create_task=lambda coro, name: asyncio.ensure_future(coro),
            on_event=lambda event: None,
        )


def test_a_question_file_reaches_the_classifier_untouched() -> None:
    """Only the form changes: instructions, what counts as yes, what counts as no."""

    class Packaged:
        def body(self) -> dict[str, Any]:
            return {
                "instructions": {"question": "Done?", "examples": [{"answer": "yes"}]},
                "criteria": {"true": "Done.", "false": "Not done."},
            }

    question = as_yes_no(Packaged())
    assert question.instructions == {"question": "Done?", "examples": [{"answer": "yes"}]}
    assert (question.yes, question.no) == ("Done.", "Not done.")


def test_the_bundles_are_a_whole_verdict() -> None:
    """Every field of a verdict has its question, in the verdict's order."""
    fields = tuple(Verdict.__dataclass_fields__)
    assert TURN["speaking"] == fields[:4]
    assert SPECULATING["listening"] == (*fields[:3], fields[4])
    assert TURN["listening"] == TURN["speaking"][:3]
