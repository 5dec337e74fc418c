"""Stand-ins around a judge: time that jumps, a classifier answered by hand, a server in-process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from jevcompat.mock import MockConfig, make_server
from pipecat.classifiers.base_classifier import BaseClassifier, YesNoQuestion, YesNoResult
from pipecat.metrics.metrics import LLMTokenUsage

from jev_turn.judges.config import JudgeConfig
from jev_turn.judges.judge import Judge
from jev_turn.judges.state import Situation
from jev_turn.turn.effects import AskJudge, Bundle
from jev_turn.turn.events import Judged, JudgeFailed

T = TypeVar("T")

LISTENING = ("turn_complete", "holding_floor", "addressed_to_agent")
SPEAKING = (*LISTENING, "taking_floor")
QUESTIONS = {
    name: YesNoQuestion(instructions=f"Is {name} so?", yes="It is.", no="It is not.")
    for name in SPEAKING
}

SITUATION = Situation(agent_last_line="Which platform are you building on?")


def config(**overrides: Any) -> JudgeConfig:
    """Settings with round numbers."""
    values: dict[str, Any] = {
        "deadline_ms": 600,
        "in_flight": 2,
        "in_flight_speaking": 4,
        "breaker_failures": 3,
        "breaker_reset_ms": 5_000,
        "history_messages": 8,
        "history_tokens": 1_000,
        "trajectory_length": 6,
        "transcript_max_chars": 2_000,
        "keepalive_s": 240.0,
        "requests_per_minute": 60_000,
        "tokens_per_second": 1_000_000,
        "warm_connections": 0,
        "agent_name": "Ada",
        "strip_auto_punctuation": False,
    }
    return JudgeConfig(**(values | overrides))


def ask(number: int, bundle: Bundle = "listening", text: str = "what is an index") -> AskJudge:
    """Ask ``number`` about ``text``."""
    return AskJudge(number, bundle, text, 0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer once nothing else is ready."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        ready, timers = self._ready, self._scheduled  # type: ignore[attr-defined]
        if timers and not ready:
            self.now = max(self.now, timers[0].when())
        super()._run_once()  # type: ignore[misc]


def jump(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` to its end without waiting for any timer."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main)


async def settle() -> None:
    """Let everything that is ready run, but no timer."""
    for _ in range(8):
        await asyncio.sleep(0)


class HandClassifier(BaseClassifier):
    """Answers when the test says so, and counts who gave up on a request."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.states: list[Any] = []
        self.asked: list[tuple[str, ...]] = []
        self.cancels = 0
        self._futures: list[asyncio.Future[Any]] = []

    @property
    def model(self) -> str:
        return "by-hand"

    def answer(self, request: int, result: Any = 0.5) -> None:
        """Answer the ``request``-th request: a number for every question, or any object."""
        if isinstance(result, float):
            result = {n: YesNoResult(probability=result) for n in self.asked[request]}
        self._futures[request].set_result(result)

    def fail(self, request: int, error: Exception) -> None:
        """Let the ``request``-th request raise ``error``."""
        self._futures[request].set_exception(error)

    async def _ask(
        self, state: Any, questions: Mapping[str, Any], images: Sequence[Any] = ()
    ) -> tuple[Any, LLMTokenUsage | None]:
        self.states.append(state)
        self.asked.append(tuple(questions))
        self._futures.append(asyncio.get_running_loop().create_future())
        try:
            result = await self._futures[len(self.asked) - 1]
        except asyncio.CancelledError:
            self.cancels += 1
            raise
        return result, LLMTokenUsage(prompt_tokens=100, completion_tokens=4, total_tokens=104)


@dataclass
class Desk:
    """A judge and everything that it said."""

    judge: Judge
    events: list[Judged | JudgeFailed] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)

    def ends(self) -> list[tuple[int, str]]:
        """Each event as (ask, ``judged`` or the kind of failure)."""
        return [(e.ask, "judged" if isinstance(e, Judged) else e.error) for e in self.events]


def desk(classifier: BaseClassifier, **overrides: Any) -> Desk:
    """Put a judge with ``classifier`` on the running loop."""
    loop = asyncio.get_running_loop()
    events: list[Judged | JudgeFailed] = []
    records: list[dict[str, Any]] = []
    judge = Judge(
        classifier,
        QUESTIONS,
        config(**overrides),
        clock_ms=lambda: round(loop.time() * 1000),
        create_task=lambda coro, name: loop.create_task(coro, name=name),
        on_event=events.append,
        on_record=records.append,
    )
    return Desk(judge, events, records)


async def judged_once(
    classifier: BaseClassifier,
    request: AskJudge,
    questions: Mapping[str, YesNoQuestion] = QUESTIONS,
) -> Judged | JudgeFailed:
    """Ask once and return the one event."""
    loop = asyncio.get_running_loop()
    event: asyncio.Future[Judged | JudgeFailed] = loop.create_future()
    judge = Judge(
        classifier,
        questions,
        config(deadline_ms=20_000),
        clock_ms=lambda: round(loop.time() * 1000),
        create_task=lambda coro, name: loop.create_task(coro, name=name),
        on_event=event.set_result,
    )
    judge.submit(request, SITUATION)
    got = await event
    await judge.close()
    return got


class MockJev:
    """The reference server of jevcompat on loopback; ``configure`` changes its behaviour."""

    def __init__(self) -> None:
        self._server = make_server(MockConfig(), host="127.0.0.1", port=0)
        # The mock itself closes every connection after one answer.
        self._server.RequestHandlerClass.protocol_version = "HTTP/1.1"
        self.connections = 0
        accept = self._server.get_request

        def counted() -> Any:
            self.connections += 1
            return accept()

        self._server.get_request = counted
        host, port = self._server.server_address[:2]
        self.url = f"http://{host}:{port}"

    def configure(self, *faults: str, key: str | None = None, busy_every: int = 0) -> MockConfig:
        """Serve with ``faults`` from here on."""
        made = MockConfig(key=key, faults=frozenset(faults), busy_every=busy_every)
        self._server.RequestHandlerClass.cfg = made
        self.connections = 0
        return made

    @contextmanager
    def running(self) -> Iterator[MockJev]:
        """Serve from a thread."""
        thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
