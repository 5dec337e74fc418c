"""Asks a classifier without waiting for it: every ask has exactly one end.

A request that is out is not cancelled while the call lasts: cancelling closes its connection, and
the next question pays for a new one. A deadline only ends the waiting; the answer is then ignored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from loguru import logger
from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.metrics.metrics import MetricsData

from jev_turn.errors import JudgeTimeout, Superseded
from jev_turn.judges.answers import Probabilities, read_answers
from jev_turn.judges.breaker import Breaker
from jev_turn.judges.bundles import Bundles
from jev_turn.judges.config import JudgeConfig
from jev_turn.judges.failure import AsksSpent, BreakerOpen, JudgeClosed, RateLimited, kind_of
from jev_turn.judges.fair import Rates
from jev_turn.judges.flight import Flight, count_tokens, current
from jev_turn.judges.lane import Lane
from jev_turn.judges.limiter import limiter_for
from jev_turn.judges.meter import may_ask
from jev_turn.judges.tally import Entry, Stats

CreateTask = Callable[[Coroutine[Any, Any, None], str], "asyncio.Task[Any]"]


_PAUSE_S = 1.0
"""Rest after a 429 that does not say how long to wait, s."""


class Asker:
    """Puts bundles of yes/no questions to any Pipecat classifier.

    The classifier is set up and cleaned up by its owner; several askers may share one.

    Args:
        classifier: Answers the questions.
        bundles: The questions that go together in one request, by the bundle's name.
        limits: How many asks may be out, by the bundle of the one that wants to go.
        config: Deadline and breaker.
        clock_ms: The host's monotonic clock, for latencies; the deadline runs on the event loop's
            own time.
        create_task: Runs a coroutine under a name.
        on_end: Gets the one end of every ask, never from inside ``submit``.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        bundles: Bundles,
        limits: Mapping[str, int],
        config: JudgeConfig,
        *,
        clock_ms: Callable[[], int],
        create_task: CreateTask,
        on_end: Callable[[Entry], None],
    ) -> None:
        self.stats = Stats()
        self._classifier = classifier
        self._bundles = bundles
        self._config = config
        self._clock_ms = clock_ms
        self._create_task = create_task
        self._on_end = on_end
        self._lane: Lane[Flight] = Lane(limits)
        self._breaker = Breaker(config.breaker_failures, config.breaker_reset_ms)
        self._requests: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._may_ask = may_ask.get() or (lambda: True)
        rates = Rates(config.requests_per_minute, config.tokens_per_second)
        self._limiter = limiter_for(classifier, rates)
        self._letters = {
            name: sum(len(f"{one.instructions}{one.yes}{one.no}") for one in asked.values())
            for name, asked in bundles.items()
        }
        self._parked: Flight | None = None
        classifier.add_event_handler("on_metrics", self._count_tokens)

    @property
    def outstanding(self) -> int:
        """Requests still with the classifier, those that nobody waits for included."""
        return len(self._requests)

    def submit(self, ask: int, bundle: str, state: dict[str, Any]) -> None:
        """Take an ask and return at once; its end comes from the event loop.

        Args:
            ask: Its number, which comes back with its end.
            bundle: What to ask.
            state: What the classifier is shown.
        """
        self.stats.asks += 1
        flight = Flight(ask, bundle, state, self.stats, offered_at_ms=self._clock_ms())
        self._supersede_parked()
        send, superseded = self._lane.offer(flight)
        if superseded is not None:
            self._end_soon(superseded, Superseded())
        if send is not None:
            self._send(send)
        if self._parked is None and self._limiter is not None:
            self._limiter.withdraw(self)

    async def close(self) -> None:
        """End every ask as ``closed``; give what is out one deadline to run out by itself."""
        self._closed = True
        for flight in self._lane.open:
            self._end(flight, JudgeClosed())
        if self._requests:
            await asyncio.wait(self._requests, timeout=self._config.deadline_ms / 1000)
        for request in tuple(self._requests):
            request.cancel()
        self._classifier.remove_event_handler("on_metrics", self._count_tokens)
        if self._limiter is not None:
            self._limiter.leave(self)

    def _send(self, flight: Flight) -> None:
        if self._closed:
            self._end_soon(flight, JudgeClosed())
        elif self._breaker.rests(self._clock_ms()):
            self._end_soon(flight, BreakerOpen())
        elif self._limiter is None or self._limiter.offer(self, self._cost(flight), self._unpark):
            self._go(flight)
        else:
            self._parked = flight
            self._wait(flight, RateLimited("no room within the account's rates"))

    def _go(self, flight: Flight) -> None:
        now = self._clock_ms()
        # Only what is really sent may be the breaker's trial: it alone reports how it ended.
        if self._breaker.rests(now):
            self._end_soon(flight, BreakerOpen())
            return
        if not self._may_ask():
            self._end_soon(flight, AsksSpent())
            return
        self._breaker.allow(now)
        flight.sent_at_ms = now
        self.stats.waits_ms.append(flight.sent_at_ms - flight.offered_at_ms)
        self._wait(flight, JudgeTimeout())
        request = self._create_task(self._request(flight), f"ask {flight.ask}")
        self._requests.add(request)
        request.add_done_callback(self._requests.discard)

    def _wait(self, flight: Flight, error: Exception) -> None:
        """End the waiting for ``flight`` with ``error`` at the deadline."""
        if flight.timer is not None:
            flight.timer.cancel()
        flight.timer = asyncio.get_running_loop().call_later(
            self._config.deadline_ms / 1000, self._end, flight, error
        )

    # --- the account's rates ------------------------------------------------------------------

    def _cost(self, flight: Flight) -> int:
        """Estimate an ask's tokens: a quarter of its letters."""
        return (self._letters[flight.bundle] + len(str(flight.state))) // 4

    def _unpark(self) -> None:
        flight, self._parked = self._parked, None
        if flight is not None:
            self._go(flight)

    def _supersede_parked(self) -> None:
        """An ask that waits for the account is older news than the one that has just come."""
        if self._parked is None:
            return
        stale, self._parked = self._parked, None
        following = self._lane.ended(stale)
        for flight in (stale, following):
            if flight is not None:
                self._lane.ended(flight)
                self._end_soon(flight, Superseded())

    async def _request(self, flight: Flight) -> None:
        current.set(flight)
        questions = self._bundles[flight.bundle]
        outcome: Probabilities | Exception
        try:
            answers = await self._classifier.ask(flight.state, questions)
            # One turn of the loop, in which the metrics handler counts the tokens.
            await asyncio.sleep(0)
            outcome = read_answers(answers, questions)
        except asyncio.CancelledError:
            self._end(flight, JudgeClosed())
            raise
        except Exception as error:
            outcome = error
            if isinstance(error, RateLimited) and self._limiter is not None:
                self._limiter.pause(error.retry_after_s or _PAUSE_S)
        if flight.ended:
            self.stats.late += 1
        self._end(flight, outcome)

    def _end_soon(self, flight: Flight, error: Exception) -> None:
        asyncio.get_running_loop().call_soon(self._end, flight, error)

    def _end(self, flight: Flight, outcome: Probabilities | Exception) -> None:
        """Give ``flight`` its one end, and its place to the ask that waits."""
        if flight.ended:
            return
        flight.ended = True
        if flight.timer is not None:
            flight.timer.cancel()
        if flight is self._parked and self._limiter is not None:
            self._parked = None
            self._limiter.withdraw(self)
        end = kind_of(outcome) if isinstance(outcome, Exception) else outcome
        if flight.sent_at_ms is not None:
            self._tell_breaker(end)
        entry = flight.entry(end, self._classifier.model, self._clock_ms())
        self.stats.ended(entry)
        following = self._lane.ended(flight)
        if following is not None:
            self._send(following)
        self._on_end(entry)

    def _tell_breaker(self, end: Probabilities | str) -> None:
        was_closed = self._breaker.state == "closed"
        if not isinstance(end, str):
            self._breaker.succeeded()
        elif end == JudgeClosed.kind or (end == RateLimited.kind and self._limiter is not None):
            self._breaker.abandoned()
        else:
            self._breaker.failed(self._clock_ms())
        if was_closed and self._breaker.state == "open":
            logger.warning(f"{self._classifier}: left to rest; the last failure was {end}")
        elif not was_closed and self._breaker.state == "closed":
            logger.info(f"{self._classifier}: answers again")

    def _count_tokens(self, _: BaseClassifier, data: Sequence[MetricsData]) -> None:
        count_tokens(self.stats, data)
