"""Plays one finish-turn case through the real processors, in one process or in several."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import TTSSpeakFrame
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.workers.runner import WorkerRunner

from jev_turn.assembly import FinishTurn
from jev_turn.play.call import REPLY, SETTLE_S, Played
from jev_turn.play.case import Case, Event
from jev_turn.play.cast import CaseModel, CaseVoice
from jev_turn.play.clock import LoopClock
from jev_turn.play.ft_account import FinishTurnFacts, FinishTurnWitness
from jev_turn.play.ft_recogniser import HearingRecogniser
from jev_turn.play.ft_room import Room
from jev_turn.play.ft_time import CallTime
from jev_turn.play.script import Paced, paces
from jev_turn.play.stage import Stage
from jev_turn.play.witness import Account
from jev_turn.policy import Policy
from jev_turn.record import CallRecord
from jev_turn.record.oracle import left_unanswered

CALL = "case"


async def play_finish_turn(
    case: Case,
    classifier: BaseClassifier,
    policy: Policy,
    *,
    lag_s: float = 0.3,
    judge_latency_s: float = 0.15,
) -> Played:
    """Play ``case`` on the running loop; arguments as for ``play``."""
    call = _Call(case, classifier, policy, lag_s, judge_latency_s)
    with _store(case) as place:
        await call.run(place)
    return call.played()


@contextmanager
def _store(case: Case) -> Iterator[Path | None]:
    """Give a call that outlives its process a folder, and any other one memory."""
    if not _restarts(case):
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="jev-turn-play-") as folder:
        yield Path(folder)


def _restarts(case: Case) -> list[Event]:
    return sorted((e for e in case.events if e.who == "restart"), key=lambda event: event.at)


class _Call:
    """A call, and what all of its processes leave behind."""

    def __init__(
        self,
        case: Case,
        classifier: BaseClassifier,
        policy: Policy,
        lag_s: float,
        judge_latency_s: float,
    ) -> None:
        self.case, self.policy, self.lag_s = case, policy, lag_s
        self.time = CallTime()
        self.ends_at = case.ends_at + SETTLE_S
        self.room = Room(case, self.ends_at, policy.gate().absolute_min, self.time)
        self.facts = FinishTurnFacts()
        self.account = Account()
        self.records: list[dict[str, Any]] = []
        self.pending: list[str] = []
        self.asks = 0
        self._classifier = classifier
        self._latency_s = judge_latency_s
        self._numbers = count(1)

    async def run(self, place: Path | None) -> None:
        """Hold the call, in a new process after each restart."""
        for restart in _restarts(self.case):
            await _Life(self, place).run(until=restart.at)
            await self.time.until(restart.at + restart.dur)
        await _Life(self, place).run()

    def judge(self) -> BaseClassifier:
        """Make a process's judge."""
        now = self.time.now()
        changes = [(at - now, latency) for at, latency in paces(self.case)]
        return Paced(self._classifier, self._latency_s, changes)

    def model(self) -> CaseModel:
        """Make a process's model."""
        return CaseModel(lambda _: f"{REPLY} {next(self._numbers)}. {self.case.reply}".strip())

    def voice(self) -> CaseVoice:
        """Make a process's voice."""
        return CaseVoice({e.say: e.dur for e in self.case.events if e.who == "agent"})

    def played(self) -> Played:
        """Account for the words."""
        self.facts.read(self.records)
        hung_up = [text for _, why, text in self.facts.discards if why == "hung_up"]
        pending = [*hung_up, *self.pending]
        return Played(
            self.case,
            self.account,
            self.account.oracle(left_unanswered(self.records), pending),
            bool(pending),
            self.asks,
            sum(r["kind"] == "failed" for r in self.records),
            self.records,
            self.facts,
        )


class _Life:
    """One process that holds the call."""

    def __init__(self, call: _Call, place: Path | None) -> None:
        self._call = call
        self._began = call.time.now()
        self._record = CallRecord(None, words=True)
        self._turns_before = len(call.account.turns)
        self._model = call.model()
        self._bot = FinishTurn(
            call.judge(),
            llm=self._model,
            policy=call.policy,
            record=self._record,
            place=place,
            call=CALL,
            persist=place is not None,
            mic_gate=call.case.mic_gate,
        )
        self._stt = HearingRecogniser(call.case, call.lag_s, call.room, call.time)
        self._witness = FinishTurnWitness(self._stt, None, call.facts, self._stt.overhear)
        self._witness.account = call.account
        self._stage = Stage(call.room.from_now(), on_start=self._started, on_audio=call.room.played)
        self._worker = self._work()

    def _work(self) -> PipelineWorker:
        pipeline = self._bot.pipeline(
            self._stage.input(),
            self._stt,
            LLMContextAggregatorPair(LLMContext()),
            self._model,
            self._call.voice(),
            self._stage.output(),
        )
        return PipelineWorker(
            pipeline,
            clock=LoopClock(),
            observers=[self._witness],
            idle_timeout_secs=None,
            enable_rtvi=False,
        )

    def _started(self, at: float) -> None:
        self._call.time.begin(at)
        self._witness.start(self._call.time.began)

    async def run(self, until: float | None = None) -> None:
        """Hold the call to its end, or die at ``until`` seconds of it."""
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self._worker)
        running = asyncio.ensure_future(runner.run())
        speaking = asyncio.ensure_future(self._speak())
        if until is None:
            await self._stage.input().finished.wait()
            await self._worker.stop_when_done()  # type: ignore[no-untyped-call]
            await running
            self._leave()
            self._call.pending += [cut.text for cut in self._bot.replies.context.pending]
        else:
            await self._call.time.until(until)
            await self._die(running)
        speaking.cancel()

    async def _die(self, running: asyncio.Future[None]) -> None:
        """End as a killed process does: nothing is seen, said or stored any more."""
        self._leave()
        self._forget_unheard()
        replies = self._bot.replies
        replies.context = replace(replies.context, over=True)
        if replies.store is not None:
            await replies.store.close()
        await self._worker.cancel()
        await running

    def _leave(self) -> None:
        """Keep what this process has left behind."""
        call, began_ms = self._call, round(self._began * 1000)
        self._witness.gone = True
        self._witness.finish()
        call.facts.unheard += self._stt.unheard
        call.records += [{**line, "t": line["t"] + began_ms} for line in self._record.records]
        call.asks += self._bot.replies.asker.stats.asks if self._bot.replies.asker else 0

    def _forget_unheard(self) -> None:
        """Take back the last message if its reply was never heard: it died with its context."""
        turns, bot = self._call.account.turns, self._call.account.bot
        if len(turns) > self._turns_before and (not bot or bot[-1][0] < turns[-1][0]):
            turns.pop()

    async def _speak(self) -> None:
        """Let the agent speak by itself where the case says so."""
        for event in sorted(self._call.case.events, key=lambda event: event.at):
            if event.who == "agent" and event.at >= self._began:
                await self._call.time.until(event.at)
                await self._worker.queue_frame(TTSSpeakFrame(event.say))
