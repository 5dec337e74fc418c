"""Plays one random call through the real processors and tells what was lost, doubled or stuck."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.turns.user_mute import (
    AlwaysUserMuteStrategy,
    BaseUserMuteStrategy,
    MuteUntilFirstBotCompleteUserMuteStrategy,
)
from pipecat.workers.runner import WorkerRunner

from jev_turn.assembly import Duplex
from jev_turn.play.case import Case, Event
from jev_turn.play.clock import LoopClock
from jev_turn.play.soak_ambush import Ambush
from jev_turn.play.soak_cast import Mood, Mute, SoakModel, SoakVoice
from jev_turn.play.soak_judge import SoakJudge
from jev_turn.play.soak_outcome import Outcome, held_up, unanswered
from jev_turn.play.soak_script import Script, said
from jev_turn.play.soak_source import SoakSource
from jev_turn.play.soak_watch import Watch
from jev_turn.play.sound import chunks
from jev_turn.play.stage import CHUNK_MS, Stage
from jev_turn.play.witness import Witness
from jev_turn.policy import Policy, load_policy
from jev_turn.record import CallRecord
from jev_turn.record.oracle import words_lost

ENDS_WITHIN_S = 60
"""A worker that takes longer to end is stuck, s."""


async def play_script(script: Script) -> Outcome:
    """Play ``script`` on the running loop."""
    call = _Call(script, load_policy(env={}, sets=script.sets))
    await call.run()
    return call.outcome()


class _Call:
    def __init__(self, script: Script, policy: Policy) -> None:
        self._script = script
        self._mood = Mood()
        self._record = CallRecord(None, words=True)
        self._duplex = Duplex(
            SoakJudge(self._mood, f"{script.seed}/{script.call}"),
            policy=policy,
            record=self._record,
        )
        self._source = SoakSource(script, self._mood)
        self._witness = Witness(self._source)
        self._stage = Stage(_sound(script, policy), on_start=self._witness.start)
        self._pair = LLMContextAggregatorPair(LLMContext(), user_params=_params(script, self._mood))
        self._model = SoakModel(self._mood)
        self._source.aggregator, self._source.model = self._pair.user(), self._model
        self._source.ambush = self._ambush = Ambush(self._duplex.judge)
        self._worker = self._work()
        self._watch = Watch(self._duplex.judge, self._pair.user(), self._witness.account)
        self._began = 0.0
        self._stuck: list[str] = []

    def _work(self) -> PipelineWorker:
        pipeline = self._duplex.pipeline(
            self._stage.input(),
            self._source,
            self._pair,
            self._model,
            SoakVoice(self._mood),
            self._stage.output(),
        )
        return PipelineWorker(
            pipeline,
            clock=LoopClock(),
            observers=[self._witness, self._ambush],
            idle_timeout_secs=None,
            enable_rtvi=False,
        )

    async def run(self) -> None:
        """Run the call to its end, or give it up."""
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self._worker)
        running = asyncio.ensure_future(runner.run())
        self._began = asyncio.get_running_loop().time()
        looking = asyncio.ensure_future(self._watch.look())
        await asyncio.wait([running], timeout=self._script.ends_ms / 1000)
        looking.cancel()
        if not self._script.cut_off:
            self._stuck += held_up(self._duplex.judge, self._pair.user())
        if self._script.cancelled:
            await self._worker.cancel()
        else:
            await self._worker.stop_when_done()  # type: ignore[no-untyped-call]
        await self._gone(running)

    async def _gone(self, running: asyncio.Future[None]) -> None:
        await asyncio.wait([running], timeout=ENDS_WITHIN_S)
        if not running.done():
            self._stuck.append("the worker does not end")
            await self._worker.cancel()
            await asyncio.wait([running], timeout=ENDS_WITHIN_S)
            running.cancel()

    def outcome(self) -> Outcome:
        """Account for the words and for the model's runs."""
        account = self._witness.account
        dropped = [r for r in self._record.records if r.get("name") == "Discard"]
        oracle = words_lost(
            said(self._source.heard),
            [text for _, text in account.turns],
            [str(r["text"]) for r in dropped if r["why"] != "hung_up"],
            [text for _, text in account.backchannels],
            [str(r["text"]) for r in dropped if r["why"] == "hung_up"],
        )
        runs = [round((at - self._began) * 1000) for at in self._mood.ran_at]
        stuck = [*self._watch.stuck, *self._stuck]
        if not self._script.cancelled:
            stuck += unanswered(account, runs, self._script.ends_ms)
        return Outcome(self._script, account, oracle, stuck, self._record.records)


def _params(script: Script, mood: Mood) -> LLMUserAggregatorParams | None:
    """Return nothing but a mute, and that only where the script has one."""
    match script.mute:
        case "speaking":
            mute: BaseUserMuteStrategy = AlwaysUserMuteStrategy()  # type: ignore[no-untyped-call]
        case "greeting":
            mute = MuteUntilFirstBotCompleteUserMuteStrategy()  # type: ignore[no-untyped-call]
        case _ if any(step.kind == "mute" for step in script.steps):
            mute = Mute(mood)
        case _:
            return None
    return LLMUserAggregatorParams(user_mute_strategies=[mute])


def _sound(script: Script, policy: Policy) -> Iterator[bytes | None]:
    """Return the microphone's sound; nothing in a call without."""
    if not script.audio:
        return
    events = [Event(at=a / 1000, who="user", dur=(b - a) / 1000) for a, b in script.sounds]
    case = Case(id="soak", events=tuple(events), expect=())
    heard = chunks(case, script.ends_ms / 1000, policy.gate().absolute_min, script.call)
    stalls = script.stalls
    for number, chunk in enumerate(heard):
        at_ms = number * CHUNK_MS
        yield None if any(begin <= at_ms < end for begin, end in stalls) else chunk
