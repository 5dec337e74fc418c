"""Asks of several calls under one account's rates."""

from __future__ import annotations

import asyncio

from support.fake_judges import SITUATION, HandClassifier, ask, desk, jump, settle

from jev_turn.judges.failure import RateLimited
from jev_turn.judges.fair import Rates
from jev_turn.judges.limiter import limiter_for
from jev_turn.judges.shared import SharedClassifier

ONE_A_SECOND = {"requests_per_minute": 60}


class Metered(HandClassifier):
    """Its requests count against an account."""

    account = "ours"


def test_calls_share_an_accounts_rate() -> None:
    """The second call's ask waits for the first one's second to be over."""

    async def main() -> None:
        first, second = Metered(), Metered()
        one, two = desk(first, **ONE_A_SECOND), desk(second, deadline_ms=5000, **ONE_A_SECOND)
        one.judge.submit(ask(1), SITUATION)
        two.judge.submit(ask(1), SITUATION)
        await settle()
        assert (len(first.asked), len(second.asked)) == (1, 0)
        await asyncio.sleep(1.02)
        assert len(second.asked) == 1

    jump(main())


def test_a_classifier_without_an_account_has_no_rates() -> None:
    """The embedded judge is nobody's bill."""

    async def main() -> None:
        classifier = HandClassifier()
        here = desk(classifier, in_flight=9, **ONE_A_SECOND)
        for number in range(5):
            here.judge.submit(ask(number), SITUATION)
        await settle()
        assert len(classifier.asked) == 5

    jump(main())


def test_a_newer_ask_replaces_the_one_that_waits_for_the_account() -> None:
    """Stale words are not worth a request that others need; each ask has one end all the same."""

    async def main() -> None:
        classifier = Metered()
        here = desk(classifier, deadline_ms=5000, **ONE_A_SECOND)
        for number, text in enumerate(("so", "so what", "so what is"), 1):
            here.judge.submit(ask(number, text=text), SITUATION)
        await settle()
        assert here.ends() == [(2, "superseded")]
        await asyncio.sleep(1.02)
        assert [s["current_user_transcript"] for s in classifier.states] == ["so", "so what is"]

    jump(main())


def test_an_ask_without_room_ends_at_its_deadline_and_the_judge_is_not_blamed() -> None:
    """The call goes on by the silence rule; a breaker would keep it there."""

    async def main() -> None:
        classifier = Metered()
        here = desk(classifier, deadline_ms=600, in_flight=1, breaker_failures=1, **ONE_A_SECOND)
        here.judge.submit(ask(1), SITUATION)
        await settle()
        classifier.answer(0)
        await settle()
        here.judge.submit(ask(2), SITUATION)
        await asyncio.sleep(0.61)
        assert here.ends() == [(1, "judged"), (2, "rate_limited")]
        await asyncio.sleep(0.5)
        here.judge.submit(ask(3), SITUATION)
        await settle()
        assert len(classifier.asked) == 2

    jump(main())


def test_the_servers_own_limit_makes_every_call_wait() -> None:
    """429 with three seconds: nobody asks before, and the breaker stays closed."""

    async def main() -> None:
        first, second = Metered(), Metered()
        one = desk(first, breaker_failures=1)
        two = desk(second, deadline_ms=5000)
        one.judge.submit(ask(1), SITUATION)
        await settle()
        first.fail(0, RateLimited("HTTP 429", 3.0))
        await settle()
        two.judge.submit(ask(1), SITUATION)
        await asyncio.sleep(2.9)
        assert (one.ends(), second.asked) == ([(1, "rate_limited")], [])
        await asyncio.sleep(0.2)
        assert len(second.asked) == 1

    jump(main())


def test_an_ask_that_waits_for_its_own_call_leaves_the_accounts_queue() -> None:
    """The account's next request would be spent on nothing."""

    async def main() -> None:
        first, second = Metered(), Metered()
        one = desk(first, in_flight=1, in_flight_speaking=2, deadline_ms=9000, **ONE_A_SECOND)
        two = desk(second, deadline_ms=9000, **ONE_A_SECOND)
        one.judge.submit(ask(1), SITUATION)
        two.judge.submit(ask(1), SITUATION)
        await asyncio.sleep(1.02)
        one.judge.submit(ask(2, bundle="speaking"), SITUATION)
        two.judge.submit(ask(2), SITUATION)
        one.judge.submit(ask(3), SITUATION)
        await asyncio.sleep(1.02)
        assert one.ends() == [(2, "superseded")]
        assert (len(first.asked), len(second.asked)) == (1, 2)

    jump(main())


def test_a_call_that_ends_leaves_the_queue() -> None:
    """Its turn would be nobody's."""

    async def main() -> None:
        first, second, third = Metered(), Metered(), Metered()
        one, two = desk(first, **ONE_A_SECOND), desk(second, deadline_ms=9000, **ONE_A_SECOND)
        three = desk(third, deadline_ms=9000, **ONE_A_SECOND)
        for here in (one, two, three):
            here.judge.submit(ask(1), SITUATION)
        await settle()
        await two.judge.close()
        await asyncio.sleep(1.02)
        assert two.ends() == [(1, "closed")]
        assert (len(second.asked), len(third.asked)) == (0, 1)

    jump(main())


def test_a_shared_classifier_has_its_inner_ones_account() -> None:
    """Ear and mouth of a finish-turn bot pay from the same purse."""
    assert SharedClassifier(Metered()).account == "ours"
    assert SharedClassifier(HandClassifier()).account is None


def test_an_ask_that_never_went_out_is_not_the_breakers_trial() -> None:
    """It reports no end: taken for the trial, it would keep the judge at rest for ever."""

    async def main() -> None:
        classifier = Metered()
        here = desk(
            classifier, deadline_ms=600, in_flight=1, breaker_failures=1, breaker_reset_ms=300
        )
        here.judge.submit(ask(1), SITUATION)
        await settle()
        classifier.fail(0, ConnectionError("away"))
        await settle()
        limiter = limiter_for(classifier, Rates(60_000, 1_000_000))
        assert limiter is not None
        limiter.pause(2.0)
        await asyncio.sleep(0.4)
        here.judge.submit(ask(2), SITUATION)
        await asyncio.sleep(1.7)
        here.judge.submit(ask(3), SITUATION)
        await settle()
        classifier.answer(1)
        await settle()
        assert here.ends() == [(1, "unavailable"), (2, "rate_limited"), (3, "judged")]

    jump(main())
