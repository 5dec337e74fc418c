"""The judge: every ask ends exactly once, whatever happens."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from pipecat.classifiers.base_classifier import BaseClassifier, YesNoResult
from support.fake_judges import (
    QUESTIONS,
    SITUATION,
    HandClassifier,
    ask,
    config,
    desk,
    jump,
    settle,
)

from jev_turn.judges.failure import Unreachable
from jev_turn.judges.judge import Judge
from jev_turn.turn.events import Judged, JudgeFailed


def test_closing_ends_everything_once() -> None:
    """What is out gets one deadline to run out by itself; only then is it cancelled."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        classifier = HandClassifier()
        here = desk(classifier, in_flight=2)
        for number in (1, 2, 3):
            here.judge.submit(ask(number), SITUATION)
        await settle()
        loop.call_later(0.1, classifier.answer, 0)
        await here.judge.close()
        here.judge.submit(ask(4), SITUATION)
        await settle()
        assert sorted(here.ends()) == [(n, "closed") for n in (1, 2, 3, 4)]
        assert (classifier.cancels, loop.time()) == (1, 0.6)
        assert here.judge.outstanding == 0

    jump(main())


def test_a_cancelled_request_still_has_its_event() -> None:
    """Whoever cancels all tasks of a call leaves no ask without an end."""

    async def main() -> None:
        tasks: list[asyncio.Task[Any]] = []
        events: list[Judged | JudgeFailed] = []
        loop = asyncio.get_running_loop()

        def create(coro: Any, name: str) -> asyncio.Task[Any]:
            tasks.append(loop.create_task(coro, name=name))
            return tasks[-1]

        judge = Judge(
            HandClassifier(),
            QUESTIONS,
            config(),
            clock_ms=lambda: 0,
            create_task=create,
            on_event=events.append,
        )
        judge.submit(ask(1), SITUATION)
        await settle()
        tasks[0].cancel()
        await settle()
        assert events == [JudgeFailed(0, 1, "closed")]
        assert tasks[0].get_name() == "ask 1"

    jump(main())


class _Dice(BaseClassifier):
    """Answers after a random time, or fails, or never comes back."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._dice = dice

    async def _ask(self, state: Any, questions: Any, images: Any = ()) -> Any:
        await asyncio.sleep(self._dice.choice((0.01, 0.2, 0.59, 0.61, 3.0)))
        if self._dice.random() < 0.3:
            raise Unreachable("dice")
        return {name: YesNoResult(probability=self._dice.random()) for name in questions}, None


@pytest.mark.parametrize("seed", range(3))
def test_every_ask_ends_exactly_once(seed: int) -> None:
    """Random asks, answers, failures and hang-ups: one event each, and the counters add up."""

    async def main() -> None:
        dice = random.Random(seed)
        here = desk(_Dice(dice), breaker_reset_ms=700)
        for number in range(100):
            here.judge.submit(ask(number, dice.choice(("listening", "speaking"))), SITUATION)
            await asyncio.sleep(dice.choice((0.0, 0.01, 0.15, 0.4)))
        await here.judge.close()
        stats = here.judge.stats
        assert sorted(number for number, _ in here.ends()) == list(range(100))
        assert stats.asks == stats.answers + stats.superseded + stats.failures.total() == 100
        assert len(stats.latencies_ms) == stats.answers > 10
        assert stats.superseded and stats.late and stats.failures["breaker_open"]

    jump(main())
