"""The judge: failures have kinds, and too many of them open the breaker."""

from __future__ import annotations

import asyncio

import pytest
from support.fake_judges import (
    SITUATION,
    HandClassifier,
    ask,
    desk,
    jump,
    settle,
)

from jev_turn.errors import UnreadableVerdict
from jev_turn.judges.failure import RateLimited, Unreachable


def test_the_breaker_opens_rests_tries_and_recovers() -> None:
    """Three failures in a row; then refusals at once; one trial after the rest; then as before."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)

        async def submit(number: int) -> None:
            here.judge.submit(ask(number), SITUATION)
            await settle()

        for number in (1, 2, 3):
            await submit(number)
            classifier.fail(number - 1, Unreachable("gone"))
            await settle()
        await submit(4)
        await asyncio.sleep(5)
        await submit(5)
        await submit(6)
        assert len(classifier.asked) == 4
        classifier.answer(3)
        await settle()
        await submit(7)
        classifier.answer(4)
        await settle()
        assert here.ends() == [
            (1, "unavailable"),
            (2, "unavailable"),
            (3, "unavailable"),
            (4, "breaker_open"),
            (6, "breaker_open"),
            (5, "judged"),
            (7, "judged"),
        ]

    jump(main())


def test_superseding_says_nothing_about_the_judge() -> None:
    """Two asks replaced and one failed are one failure, and the breaker opens at two."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier, in_flight=1, breaker_failures=2)
        for number in (1, 2, 3, 4):
            here.judge.submit(ask(number), SITUATION)
        await settle()
        classifier.fail(0, Unreachable("gone"))
        await settle()
        classifier.answer(1)
        await settle()
        ends = [(2, "superseded"), (3, "superseded"), (1, "unavailable"), (4, "judged")]
        assert here.ends() == ends

    jump(main())


def test_a_cancelled_trial_makes_way_for_another() -> None:
    """It says nothing about the judge, so the next ask need not wait for another rest."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier, breaker_failures=1)
        here.judge.submit(ask(1), SITUATION)
        await settle()
        classifier.fail(0, Unreachable("gone"))
        await asyncio.sleep(5)
        here.judge.submit(ask(2), SITUATION)
        await settle()
        trial = next(task for task in asyncio.all_tasks() if task.get_name() == "ask 2")
        trial.cancel()
        await settle()
        here.judge.submit(ask(3), SITUATION)
        await settle()
        classifier.answer(2)
        await settle()
        assert here.ends() == [(1, "unavailable"), (2, "closed"), (3, "judged")]

    jump(main())


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (UnreadableVerdict("?"), "unreadable"),
        (RateLimited("429"), "rate_limited"),
        (TimeoutError(), "timeout"),
        (ConnectionResetError(), "unavailable"),
        (KeyError("a bug"), "error"),
    ],
)
def test_whatever_is_raised_has_a_kind(error: Exception, kind: str) -> None:
    """A classifier may raise anything; the call goes on and the record says what it was."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1), SITUATION)
        await settle()
        classifier.fail(0, error)
        await settle()
        assert here.ends() == [(1, kind)]

    jump(main())
