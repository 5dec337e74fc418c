"""The judge: what an ask leaves in record and counters."""

from __future__ import annotations

import asyncio

from support.fake_judges import (
    LISTENING,
    SITUATION,
    HandClassifier,
    ask,
    desk,
    jump,
    settle,
)

from jev_turn.judges.state import Situation


def test_the_record_has_numbers_and_no_words() -> None:
    """One line per ask: bundle, latency, model, probabilities, error, tokens."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier)
        here.judge.submit(ask(1, text="zanzibar"), Situation(agent_last_line="zanzibar"))
        await asyncio.sleep(0.3)
        classifier.answer(0, 0.25)
        here.judge.submit(ask(2, "speaking"), SITUATION)
        await asyncio.sleep(1)
        assert here.records == [
            {
                "ask": 1,
                "bundle": "listening",
                "model": "by-hand",
                "latency_ms": 300,
                "probabilities": {name: 0.25 for name in LISTENING},
                "error": None,
                "input_tokens": 100,
                "output_tokens": 4,
            },
            {
                "ask": 2,
                "bundle": "speaking",
                "model": "by-hand",
                "latency_ms": 600,
                "probabilities": None,
                "error": "timeout",
                "input_tokens": None,
                "output_tokens": None,
            },
        ]
        assert here.judge.stats.latencies_ms == [300]

    jump(main())


def test_two_calls_may_share_a_classifier() -> None:
    """Each judge counts the tokens of its own asks only (S1-C02)."""

    async def main() -> None:
        classifier = HandClassifier()
        one, two = desk(classifier), desk(classifier)
        one.judge.submit(ask(1), SITUATION)
        one.judge.submit(ask(2), SITUATION)
        two.judge.submit(ask(1), SITUATION)
        await settle()
        for request in range(3):
            classifier.answer(request)
        await settle()
        assert one.judge.stats.input_tokens == 200
        assert two.judge.stats.input_tokens == 100
        assert two.records[0]["output_tokens"] == 4

    jump(main())
