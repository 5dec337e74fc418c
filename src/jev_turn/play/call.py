"""Plays one case through the real processors and gives an account of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import TTSSpeakFrame
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.workers.runner import WorkerRunner

from jev_turn.assembly import Duplex
from jev_turn.play.case import Case
from jev_turn.play.cast import CaseModel, CaseRecogniser, CaseVoice
from jev_turn.play.clock import LoopClock
from jev_turn.play.ft_account import FinishTurnFacts
from jev_turn.play.script import Paced, paces, transcripts
from jev_turn.play.sound import chunks
from jev_turn.play.stage import Stage
from jev_turn.play.witness import Account, Witness
from jev_turn.policy import Policy
from jev_turn.record import CallRecord
from jev_turn.record.oracle import Oracle

REPLY = "Reply"
"""First word of every reply: one that leaves the output transport is a reply let out."""

SETTLE_S = 9.0
"""How long a call goes on after its last event, s: longer than the cap and a reply."""


@dataclass(frozen=True, slots=True)
class Played:
    """A call that was played.

    Attributes:
        case: What was played.
        account: What came to light outside the processors.
        oracle: Words lost and doubled.
        open_at_end: A turn was open when the call ended.
        judge_calls: Questions put to the judge.
        judge_failures: Those of them without an answer.
        records: The call record.
        finish_turn: What else a finish-turn call shows.
    """

    case: Case
    account: Account
    oracle: Oracle
    open_at_end: bool
    judge_calls: int
    judge_failures: int
    records: list[dict[str, Any]]
    finish_turn: FinishTurnFacts | None = None

    @property
    def replies(self) -> int:
        """Runs of the model whose audio was let out."""
        return len(self.replies_at)

    @property
    def replies_at(self) -> list[int]:
        """When their first words could be heard, ms since the call's start."""
        return [at for at, word in self.account.spoken if word == REPLY]

    @property
    def facts(self) -> FinishTurnFacts:
        """``finish_turn`` of a call that is one."""
        assert self.finish_turn is not None
        return self.finish_turn


async def play(
    case: Case,
    classifier: BaseClassifier,
    policy: Policy,
    *,
    lag_s: float = 0.3,
    judge_latency_s: float = 0.15,
) -> Played:
    """Play ``case`` on the running loop.

    Args:
        case: The conversation.
        classifier: Answers; ``judge_latency_s`` and the case decide how slowly.
        policy: Every setting.
        lag_s: The recogniser's lag, s.
        judge_latency_s: The judge's latency unless the case says otherwise, s.
    """
    record = CallRecord(None, words=True)
    duplex = Duplex(Paced(classifier, judge_latency_s, paces(case)), policy=policy, record=record)
    lasts = case.ends_at + SETTLE_S
    stt = CaseRecogniser(transcripts(case, lag_s))
    witness = Witness(stt)
    stage = Stage(chunks(case, lasts, policy.gate().absolute_min), on_start=witness.start)
    voice = CaseVoice({e.say: e.dur for e in case.events if e.who == "agent"})
    pipeline = duplex.pipeline(
        stage.input(),
        stt,
        LLMContextAggregatorPair(LLMContext()),
        _model(),
        voice,
        stage.output(),
    )
    worker = PipelineWorker(
        pipeline, clock=LoopClock(), observers=[witness], idle_timeout_secs=None
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    director = asyncio.ensure_future(_direct(case, worker, stage, lasts))
    await runner.run()
    await director
    return _played(case, duplex, witness.finish(), record)


def _model() -> CaseModel:
    runs = iter(range(1, 1000))
    return CaseModel(lambda _: f"{REPLY} {next(runs)}.")


async def _direct(case: Case, worker: PipelineWorker, stage: Stage, lasts_s: float) -> None:
    """Let the agent speak by itself where the case says so, and end the call."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    for event in sorted(case.events, key=lambda event: event.at):
        if event.who == "agent":
            await asyncio.sleep(max(0.0, began + event.at - loop.time()))
            await worker.queue_frame(TTSSpeakFrame(event.say))
    await asyncio.wait_for(stage.input().finished.wait(), lasts_s + 60)
    await worker.stop_when_done()  # type: ignore[no-untyped-call]


def _played(case: Case, duplex: Duplex, account: Account, record: CallRecord) -> Played:
    dropped = [r for r in record.records if r["kind"] == "effect" and r["name"] == "Discard"]
    pending = [str(r["text"]) for r in dropped if r["why"] == "hung_up"]
    discards = [str(r["text"]) for r in dropped if r["why"] != "hung_up"]
    stats = duplex.judge.judge.stats if duplex.judge.judge else None
    return Played(
        case,
        account,
        account.oracle(discards, pending),
        bool(pending),
        stats.asks if stats else 0,
        sum(r["kind"] == "failed" for r in record.records),
        record.records,
    )
