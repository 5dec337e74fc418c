"""The judge: who goes out, who waits, and how long."""

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

from jev_turn.judges.failure import Unreachable
from jev_turn.turn.events import Judged
from jev_turn.turn.verdict import Verdict


def test_two_are_out_and_a_newer_one_replaces_the_waiting() -> None:
    """Two in flight; ask 3 waits, ask 4 takes its place and goes when a place is free."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        for number in (1, 2, 3, 4):
            here.judge.submit(ask(number), SITUATION)
        await settle()
        assert here.ends() == [(3, "superseded")]
        assert len(classifier.asked) == 2
        classifier.answer(0)
        await settle()
        assert len(classifier.asked) == 3
        classifier.answer(2)
        classifier.answer(1)
        await settle()
        assert here.ends() == [(3, "superseded"), (1, "judged"), (4, "judged"), (2, "judged")]

    jump(main())


def test_answers_may_come_out_of_order() -> None:
    """The later ask's answer first, then the earlier one's: each under its own number (S2-J09)."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1, text="so"), SITUATION)
        here.judge.submit(ask(2, text="so what"), SITUATION)
        await settle()
        classifier.answer(1, 0.9)
        await settle()
        classifier.answer(0, 0.1)
        await settle()
        assert here.events == [
            Judged(0, 2, Verdict(0.9, 0.9, 0.9)),
            Judged(0, 1, Verdict(0.1, 0.1, 0.1)),
        ]

    jump(main())


@pytest.mark.parametrize(("at_ms", "end"), [(599, "judged"), (601, "timeout")])
def test_the_deadline(at_ms: int, end: str) -> None:
    """600 ms from sending; the waiting ends there, on the loop's time."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1), SITUATION)
        await asyncio.sleep(at_ms / 1000)
        classifier.answer(0)
        await settle()
        assert here.ends() == [(1, end)]

    jump(main())


def test_the_deadline_of_a_waiting_ask_begins_when_it_is_sent() -> None:
    """Waiting for a place is not the judge's fault."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier, in_flight=1)
        here.judge.submit(ask(1), SITUATION)
        await asyncio.sleep(0.1)
        here.judge.submit(ask(2), SITUATION)
        await asyncio.sleep(1.05)
        classifier.answer(1)
        await settle()
        assert [(e.at, e.ask) for e in here.events] == [(600, 1), (1_150, 2)]
        assert here.ends()[1] == (2, "judged")

    jump(main())


@pytest.mark.parametrize("error", [None, Unreachable("gone")])
def test_a_late_answer_is_counted_and_ignored(error: Exception | None) -> None:
    """Nothing follows the one event, not even an error; the tokens were spent all the same."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1), SITUATION)
        await asyncio.sleep(0.7)
        assert here.judge.outstanding == 1
        classifier.fail(0, error) if error else classifier.answer(0)
        await settle()
        assert here.ends() == [(1, "timeout")]
        assert here.judge.stats.late == 1
        assert here.judge.stats.input_tokens == (0 if error else 100)
        assert here.judge.outstanding == 0

    jump(main())


def test_no_request_is_cancelled() -> None:
    """Superseding and deadlines end the waiting and leave the wire alone (S2-J08)."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier, breaker_failures=99)
        for number in range(20):
            here.judge.submit(ask(number), SITUATION)
            await asyncio.sleep(0.05)
        await asyncio.sleep(2)
        assert here.judge.stats.superseded > 5
        assert here.judge.stats.failures["timeout"] > 2
        for request in range(len(classifier.asked)):
            classifier.answer(request)
        await settle()
        assert classifier.cancels == 0
        assert here.judge.stats.late == len(classifier.asked)

    jump(main())


def test_submit_never_calls_back() -> None:
    """The host performs effects while it submits; an event in the middle would be re-entrant."""

    async def main() -> None:
        here = desk(HandClassifier(), in_flight=1, breaker_failures=1)
        for number in (1, 2, 3):
            here.judge.submit(ask(number), SITUATION)
            assert here.events == []

    jump(main())
