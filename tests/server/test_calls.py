"""What one call may use up, and how it ends: whole bots in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from loguru import logger
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from support.bot import Answers, Bot, Step, final, heard, said

from jev_turn.play.clock import run
from jev_turn.policy import load_policy
from jev_turn.processors._early_reply import Speculations
from jev_turn.processors._record import reason_of
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.reply_list import ReplyList
from jev_turn.record import CallRecord
from jev_turn.server import setup_worker
from jev_turn.server.calls import CallRefused, Calls
from jev_turn.server.config import ServerConfig
from jev_turn.server.tickets import Tickets

SURE = {"turn_complete": 0.95, "holding_floor": 0.0}
TURNS = [step for at in (0, 5, 10) for step in said(at, "what is an index")]


def limits(**values: int) -> ServerConfig:
    """The packaged limits with some of their own."""
    request = {f"server.{key}": value for key, value in values.items()}
    return ServerConfig.of(load_policy(request=request, env={}))


class Served(Bot):
    """A bot that goes on until somebody ends it."""

    async def _end(self) -> None:
        return


@pytest.fixture
def setup_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipecat shows each worker to the call that made it."""
    monkeypatch.setenv("PIPECAT_SETUP_FILES", setup_worker.__file__)


class Outcome:
    """What a served call leaves behind."""

    def __init__(
        self, config: ServerConfig, steps: list[Any], kind: Callable[..., Any] = JevJudge
    ) -> None:
        self.record = CallRecord(None, words=False)
        judge = kind(Answers(lambda name, _: SURE.get(name, 0.9)), record=self.record)
        self.bot = Served(steps, judge, lasts=0)
        self.calls = Calls(config)
        self.call: Any = None
        self.took_s = 0.0

    async def hold(self, meanwhile: Callable[[], Awaitable[None]] | None = None) -> Outcome:
        """Run the call to its end."""
        began = asyncio.get_running_loop().time()
        self.call = self.calls.admit("test")

        async def bot() -> None:
            await self.bot.run()

        task = self.calls.start(self.call, bot)
        if meanwhile is not None:
            await meanwhile()
        await asyncio.wait({task})
        self.took_s = asyncio.get_running_loop().time() - began
        return self

    @property
    def ends(self) -> list[Any]:
        """Why the record says that the call is over."""
        return [line["why"] for line in self.record.records if line["kind"] == "end"]


@pytest.mark.parametrize("kind", [JevJudge, partial(ReplyList, persist=False)])
def test_a_call_lasts_so_long(setup_file: None, kind: Callable[..., Any]) -> None:
    """At the limit the pipeline ends in order, and the record says why, in both ways of turns."""
    call = run(Outcome(limits(call_max_ms=3_000), [], kind).hold())
    assert call.bot.times(EndFrame) and not call.bot.times(CancelFrame)
    assert 3.0 <= call.took_s < 3.5
    assert (call.call.why, call.ends) == ("call_minutes", ["call_minutes"])


def test_the_last_run_of_the_model_is_spoken_to_its_end(setup_file: None) -> None:
    """After the second reply of two the call is over; the third question is never answered."""
    call = run(Outcome(limits(llm_starts_max=2), TURNS).hold())
    assert call.bot.runs == 2
    assert [m["content"] for m in call.bot.messages if m["role"] == "assistant"] == [
        "All right."
    ] * 2
    assert (call.call.why, call.ends) == ("llm_starts", ["llm_starts"])


FIRST = "what is an index"


def asked_early(at: float, *later: str) -> list[Step]:
    """Return a question whose words stand in an interim well before its end, and then grow."""
    texts = [FIRST, *(f"{FIRST} {more}" for more in later)]
    last = at + 1.2 + 0.4 * len(later)
    return [
        (at, VADUserStartedSpeakingFrame(start_secs=0.1)),
        *[(at + 0.8 + 0.4 * number, heard(text)) for number, text in enumerate(texts)],
        (last, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
        (last + 0.2, final(texts[-1])),
    ]


def test_a_run_that_is_thrown_away_is_counted(setup_file: None) -> None:
    """A reply begun early costs as much as any; one that is let out is one run."""
    steps = asked_early(1) + asked_early(6, "in a book") + asked_early(11)
    call = Outcome(limits(llm_starts_max=4), steps, partial(JevJudge, speculate=True))
    call.bot.ttft_s = 0.6
    run(call.hold())
    judge = call.bot.judge
    assert isinstance(judge, JevJudge) and judge.speculations == Speculations(begun=3, kept=2)
    assert (call.bot.runs, call.call.why) == (4, "llm_starts")


def test_a_request_beyond_the_limit_is_not_sent(setup_file: None) -> None:
    """The judge is asked exactly so often; the ask after that fails as spent, and ends the call."""
    call = run(Outcome(limits(judge_calls_max=2), TURNS).hold())
    judge = call.bot.judge
    assert isinstance(judge, JevJudge) and isinstance(judge._classifier, Answers)
    assert len(judge._classifier.asked) == 2
    assert "spent" in [line["error"] for line in call.record.records if line["kind"] == "failed"]
    assert (call.call.why, call.ends) == ("judge_calls", ["judge_calls"])


def test_draining_waits_and_then_ends(setup_file: None) -> None:
    """A call that does not end by itself is ended in order after drain_ms."""
    call = Outcome(limits(drain_ms=2_000), [])

    async def drain() -> None:
        await asyncio.sleep(1)
        await call.calls.drain()

    run(call.hold(drain))
    assert 3.0 <= call.took_s < 3.5
    assert (call.call.why, call.ends) == ("drain", ["drain"])


def test_nobody_is_admitted_while_calls_drain() -> None:
    """The next caller is told to come back."""

    async def main() -> None:
        calls = Calls(limits())
        await calls.drain()
        with pytest.raises(CallRefused) as caught:
            calls.admit("test")
        assert (caught.value.status, caught.value.retry_s) == (503, 5)

    run(main())


def test_a_bot_that_ignores_its_end_is_cut_off() -> None:
    """A bot without a pipeline is cancelled; draining is over in its bounded time whatever it does."""

    async def main() -> float:
        calls = Calls(limits(drain_ms=4_000, end_ms=2_500))
        call = calls.admit("test")
        calls.start(call, asyncio.Event().wait)  # type: ignore[arg-type]
        began = asyncio.get_running_loop().time()
        await calls.drain()
        assert len(calls) == 0
        return asyncio.get_running_loop().time() - began

    assert run(main()) <= 9.0


def test_a_bot_that_ignores_its_cancellation_does_not_hold_up_the_process() -> None:
    """After drain_ms, twice end_ms and half a second the process goes, whoever is left."""

    async def deaf() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.sleep(60)

    async def main() -> float:
        calls = Calls(limits(drain_ms=1_000, end_ms=500))
        calls.start(calls.admit("test"), deaf)
        began = asyncio.get_running_loop().time()
        await asyncio.wait_for(calls.drain(), 30)
        return asyncio.get_running_loop().time() - began

    assert run(main()) == pytest.approx(2.5)


def test_a_stuck_pipeline_is_cancelled_in_time(setup_file: None) -> None:
    """A pipeline whose end does not arrive is cancelled after end_ms."""

    class Stuck(Served):
        async def run(self) -> Bot:
            asyncio.get_running_loop().call_later(0.5, self._stick)
            return await super().run()

        def _stick(self) -> None:
            queue = self.worker.queue_frame

            async def keep(frame: Any, *args: Any) -> None:
                if not isinstance(frame, EndFrame):
                    await queue(frame, *args)

            self.worker.queue_frame = keep  # type: ignore[method-assign,assignment]

    call = Outcome(limits(call_max_ms=2_000, end_ms=1_000), [])
    call.bot = Stuck([], call.bot.judge, lasts=0)
    run(call.hold())
    assert 3.0 <= call.took_s < 3.5
    assert call.ends == ["call_minutes"]


def test_a_bot_that_exits_ends_its_call_alone() -> None:
    """`sys.exit` in a bot fails its call; the server and all other calls go on."""

    async def exits() -> None:
        raise SystemExit("no key")

    async def main() -> str:
        calls = Calls(limits())
        call = calls.admit("test")
        await calls.start(call, exits)
        return call.why

    assert run(main()) == "failed"


def test_a_bots_error_is_told_without_its_text() -> None:
    """What a bot raises may hold words or a key: the log has the kind of error alone."""
    lines: list[str] = []
    sink = logger.add(lines.append, level=0, format="{message} {exception}")

    async def broken() -> None:
        raise ValueError("my card number is 4111")

    async def main() -> str:
        calls = Calls(limits())
        call = calls.admit("test")
        await calls.start(call, broken)
        return call.why

    try:
        assert run(main()) == "failed"
    finally:
        logger.remove(sink)
    assert any("ValueError" in line for line in lines)
    assert not any("4111" in line for line in lines)


def test_a_ticket_is_good_once_and_not_for_long() -> None:
    """Used or older than pending_ms, it opens nothing; old ones make room."""
    now = [0.0]
    tickets = Tickets(limits(pending_ms=1_000, pending_max=1), lambda: now[0])
    first = tickets.issue({"name": "Ada"})
    assert tickets.take(first) == {"name": "Ada"}
    assert tickets.take(first) is None
    second = tickets.issue()
    with pytest.raises(CallRefused) as caught:
        tickets.issue()
    assert caught.value.status == 429
    now[0] = 1.0
    assert tickets.take(second) is None
    tickets.issue()


@pytest.mark.parametrize("reason", [None, "", "she said goodbye", 4, "bye!", {"text": "goodbye"}])
def test_only_a_single_word_is_a_reason(reason: Any) -> None:
    """What an application gives as its reason may be somebody's words; the record does not take it."""
    assert reason_of(EndFrame(reason=reason)) is None
    assert reason_of(EndFrame(reason="goodbye")) == "goodbye"
