"""One bot of ``jev-turn bench --latency``: scripted parts and a stopwatch."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from pipecat.frames.frames import (
    Frame,
    LLMContextFrame,
    LLMFullResponseStartFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    TranscriptionFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies
from pipecat.workers.runner import WorkerRunner

from jev_turn.bench.talk import FINAL_S, Listener, Utterance, sound, talk
from jev_turn.play.cast import CaseModel, CaseRecogniser, CaseVoice
from jev_turn.play.clock import LoopClock
from jev_turn.play.stage import Stage
from jev_turn.policy import Policy
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_gate import SnrGate

Kind = Literal["plain", "duplex", "early"]

TTFT_S = 0.6


@dataclass(slots=True)
class Heard:
    """What a bot made of the turns.

    Attributes:
        turns: How many there were.
        to_model_ms: From the end of each turn to the first frame that the model lets out, ms.
        to_audio_ms: From the end of each turn to the first audio of the reply, ms.
        answered: What the context holds that the person said and that was replied to.
        runs: Runs of the model.
        wasted: By turn, the runs whose reply was thrown away.
    """

    turns: int
    to_model_ms: list[float] = field(default_factory=list)
    to_audio_ms: list[float] = field(default_factory=list)
    answered: int = 0
    runs: int = 0
    wasted: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Stopwatch:
    """Moments on the loop's clock, s. As a recorder it learns of an end as it is decided.

    Attributes:
        ends: Ends of turns.
        early: Runs of the model that began before one.
        late: Other runs.
        model: First frames of replies behind the model.
        audio: Chunks of sound as they begin to play.
    """

    ends: list[float] = field(default_factory=list)
    early: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    model: list[float] = field(default_factory=list)
    audio: list[float] = field(default_factory=list)

    def write(self, kind: str, at_ms: int, **fields: Any) -> None:
        """Take note of the end of a turn."""
        if kind == "effect" and fields["name"] == "EndTurn":
            self.ends.append(_now())

    def played(self, at: float, audio: bytes) -> None:
        """Take note of sound."""
        if any(audio):
            self.audio.append(at)

    def summary(self, turns: int, answered: int) -> Heard:
        """Put the moments together, each between the end of its turn and the next one's."""
        found = Heard(turns, answered=answered, runs=len(self.early) + len(self.late))
        since = float("-inf")
        for end, following in pairwise([*self.ends, float("inf")]):
            for moments, times in (
                (self.model, found.to_model_ms),
                (self.audio, found.to_audio_ms),
            ):
                times += [(at - end) * 1000 for at in moments if end <= at < following][:1]
            kept = not any(end <= at < following for at in self.late)
            found.wasted.append(sum(since < at <= end for at in self.early) - kept)
            since = end
        return found


class Model(CaseModel):
    """A model of 600 ms to its first token whose runs are timed."""

    def __init__(self, watch: Stopwatch) -> None:
        super().__init__(ttft_s=TTFT_S)
        self._watch = watch

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Take note of a run."""
        if isinstance(frame, LLMContextFrame):
            (self._watch.early if frame.speculation else self._watch.late).append(_now())
        await super().process_frame(frame, direction)


class BehindModel(FrameProcessor):
    """Times the first frame of each reply."""

    def __init__(self, watch: Stopwatch) -> None:
        super().__init__(name="BehindModel")
        self._watch = watch

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Take note of a reply and pass everything on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMFullResponseStartFrame):
            self._watch.model.append(_now())
        await self.push_frame(frame, direction)


class EndsTurns(FrameProcessor):
    """Proposes turns as a recogniser with turn detection does: each last final ends one."""

    def __init__(self, watch: Stopwatch, last: set[str]) -> None:
        super().__init__(name="EndsTurns")
        self._watch, self._last = watch, last

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Put a proposal before and behind a final."""
        await super().process_frame(frame, direction)
        final = isinstance(frame, TranscriptionFrame)
        if final:
            await self.push_frame(ProposedUserStartedSpeakingFrame())
        ends = isinstance(frame, TranscriptionFrame) and frame.timestamp in self._last
        if ends:
            self._watch.ends.append(_now())
        await self.push_frame(frame, direction)
        if ends:
            await self.push_frame(ProposedUserStoppedSpeakingFrame())


async def converse(policy: Policy, kind: Kind, turns: int) -> Heard:
    """Hold the turns with one bot, on the running loop.

    Args:
        policy: Every setting.
        kind: Which bot.
        turns: Number of turns, >= 1.
    """
    said, watch, context = talk(turns), Stopwatch(), LLMContext()
    stage = Stage(sound(said), on_audio=watch.played)
    ears, params = _ears(policy, kind, said, watch)
    pair = LLMContextAggregatorPair(context, user_params=params)
    mouth = [Model(watch), BehindModel(watch), CaseVoice(), stage.output(), pair.assistant()]
    pipeline = Pipeline([stage.input(), *ears, pair.user(), *mouth])
    worker = PipelineWorker(pipeline, clock=LoopClock(), idle_timeout_secs=None)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    ending = asyncio.ensure_future(_hang_up(worker, stage))
    await runner.run()
    await ending
    roles = [message["role"] for message in context.messages if isinstance(message, dict)]
    answered = sum(pair == ("user", "assistant") for pair in pairwise(roles))
    return watch.summary(turns, answered if len(roles) == 2 * answered else -1)


def _ears(
    policy: Policy, kind: Kind, said: list[Utterance], watch: Stopwatch
) -> tuple[list[FrameProcessor], LLMUserAggregatorParams | None]:
    recogniser = CaseRecogniser(sorted(line for one in said for line in one.transcripts()))
    if kind == "plain":
        last = {one.turn: f"{one.until + FINAL_S:.3f}" for one in said}
        strategies = ExternalUserTurnStrategies(enable_interruptions=False)
        params = LLMUserAggregatorParams(user_turn_strategies=strategies)
        return [recogniser, EndsTurns(watch, set(last.values()))], params
    listener = Listener()  # type: ignore[no-untyped-call]
    judge = JevJudge(listener, policy=policy, record=watch, speculate=kind == "early")
    return [SnrGate(policy.gate()), recogniser, judge], None


async def _hang_up(worker: PipelineWorker, stage: Stage) -> None:
    await stage.input().finished.wait()
    await worker.stop_when_done()  # type: ignore[no-untyped-call]


def _now() -> float:
    return asyncio.get_running_loop().time()
