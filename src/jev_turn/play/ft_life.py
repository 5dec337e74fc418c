"""One process of a soaked finish-turn call: it takes the call up, and may be killed at any moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.workers.runner import WorkerRunner

from jev_turn.assembly import FinishTurn
from jev_turn.play import clock
from jev_turn.play.ft_cast import ListJudge, LoggedModel, Loudspeaker, TaggedVoice
from jev_turn.play.ft_log import Log
from jev_turn.play.ft_person import Person
from jev_turn.play.ft_talk import utterance
from jev_turn.play.soak_cast import Mood, Mute
from jev_turn.play.stage import Stage
from jev_turn.policy import load_policy
from jev_turn.replies.store import CallInUse, ReplyStore

STILL_S = 3
"""Seconds in a row without anything that waits, after which nothing waits any more."""

GIVEN_UP_S = 300
"""Longer than every ceiling one after the other, s."""

_PATIENCE_S = 20


@dataclass(frozen=True, slots=True)
class Life:
    """What a process is given to do.

    Attributes:
        place: The store.
        call: The call to take up.
        seed: Of the whole run.
        number: Of this process in the call, from 1.
        talk: Number of the call in the run.
        first: Its first utterance.
        last: The last one of the call, not included.
        log: The file for what is seen from outside.
        dies_behind: See ``Log``.
    """

    place: str
    call: str
    seed: int
    number: int
    talk: int
    first: int
    last: int
    log: Path
    dies_behind: tuple[str, int] | None = None


def live(life: Life) -> None:
    """Hold the call from this process to its end, in virtual time."""
    asyncio.run(_call_is_free(life))
    with Log(life.log, life.number, life.dies_behind) as log:
        clock.run(_Bot(life, log).run())


async def _call_is_free(life: Life) -> None:
    """Wait until a server has seen that the process before this one is dead."""
    patience = time.monotonic() + _PATIENCE_S
    while True:
        try:
            async with await ReplyStore.open(life.place, life.call):
                return
        except CallInUse:
            if time.monotonic() > patience:
                raise
            await asyncio.sleep(0.02)


class _Bot:
    def __init__(self, life: Life, log: Log) -> None:
        self._log = log
        name = f"{life.seed}/{life.talk}"
        mood, speaker = Mood(), Loudspeaker(log)
        model = LoggedModel(mood, log, self._handed)
        self.bot = FinishTurn(
            ListJudge(mood, f"{name}/{life.number}"),
            llm=model,
            policy=load_policy(env={}),
            place=life.place,
            call=life.call,
            mic_gate=Random(f"{name}/mic").random() < 0.3,
        )
        self._person = Person(
            [utterance(life.seed, life.talk, n) for n in range(life.first, life.last)],
            log,
            mood,
            self.bot.replies.drain,
            self._muted,
        )
        stage = Stage(iter(()), on_audio=speaker.played, chunk_ms=100)
        params = LLMUserAggregatorParams(user_mute_strategies=[Mute(mood)])
        pair = LLMContextAggregatorPair(LLMContext(), user_params=params)
        self._person.aggregator = pair.user()
        pipeline = self.bot.pipeline(
            stage.input(),
            self._person,
            pair,
            model,
            TaggedVoice(mood),
            stage.output(),
        )
        self._worker = PipelineWorker(
            pipeline,
            clock=clock.LoopClock(),
            idle_timeout_secs=None,
            enable_rtvi=False,
            enable_turn_tracking=False,
        )

    def _handed(self) -> str:
        flight = self.bot.replies.context.flight
        return " ".join(cut.text for cut in flight.cuts) if flight else ""

    def _muted(self) -> bool:
        return self.bot.mic_gate is not None and self.bot.mic_gate.muted

    async def run(self) -> None:
        """Hold the call until nothing of it waits."""
        runner, started = WorkerRunner(handle_sigint=False), asyncio.Event()

        async def on_started(*_: object) -> None:
            started.set()

        self._worker.add_event_handler("on_pipeline_started", on_started)
        await runner.add_workers(self._worker)
        running = asyncio.ensure_future(runner.run())
        await started.wait()
        self._log.write("began")
        await self._person.finished.wait()
        waits = await self._settled()
        self._log.write("busy" if waits else "idle", waits=waits)
        await self._worker.stop_when_done()  # type: ignore[no-untyped-call]
        await running

    async def _settled(self) -> list[str]:
        """Wait until nothing waits; return what never ends to."""
        still = 0
        for _ in range(GIVEN_UP_S):
            still = 0 if self._waiting() else still + 1
            if still >= STILL_S:
                return []
            await asyncio.sleep(1)
        return self._waiting()

    def _waiting(self) -> list[str]:
        ctx, sink = self.bot.replies.context, self.bot.sink
        found: dict[str, Callable[[], bool]] = {
            "words in no cut": lambda: bool(ctx.buffer.text),
            "cuts": lambda: bool(ctx.pending),
            "a turn in flight": lambda: ctx.flight is not None,
            "the agent": lambda: ctx.agent.state != "listening",
            "the mouth": lambda: sink.mouth.phase in ("holding", "open"),
        }
        return [name for name, waits in found.items() if waits()]
