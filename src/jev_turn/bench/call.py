"""A call in virtual time, with our processors and without them; the rest of it is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierQuestion,
    ClassifierResult,
    YesNoResult,
)
from pipecat.frames.frames import TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies
from pipecat.workers.runner import WorkerRunner

from jev_turn.play.cast import CaseModel, CaseRecogniser, CaseVoice
from jev_turn.play.clock import LoopClock, run
from jev_turn.play.stage import CHUNK_MS, RATE, Stage
from jev_turn.policy import Policy
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_gate import SnrGate

CALL_S = 14
_TALKS = ((1.0, 3.4), (8.5, 9.7))
_LINES = ((4.5, "A line of the agent's."), (11.0, "Another one."))
_LINE_S = 2.5
_WORDS = ("what is an index in a database", "and a key")
_ROOM, _VOICE = 30.0, 3_000.0


class AtOnce(BaseClassifier):
    """Answers yes to everything, a tenth of a second later and at no cost."""

    @property
    def model(self) -> str:
        """No model."""
        return "at-once"

    async def _ask(
        self,
        state: Any,
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[Any] = (),
    ) -> tuple[dict[str, ClassifierResult], None]:
        await asyncio.sleep(0.1)
        return {name: YesNoResult(probability=0.9) for name in questions}, None


def hold(policy: Policy, *, ours: bool) -> None:
    """Hold the call: microphone, recogniser and voice are busy as in an ordinary one.

    The model writes nothing, and the agent's lines are the application's, so that both calls are
    alike whoever takes the turns.

    Args:
        policy: Every setting.
        ours: With ``SnrGate`` and ``JevJudge`` in it.
    """
    run(_hold(policy, ours))


async def _hold(policy: Policy, ours: bool) -> None:
    stage = Stage(sound())
    strategies = ExternalUserTurnStrategies(enable_interruptions=False)
    params = LLMUserAggregatorParams(user_turn_strategies=None if ours else strategies)
    pair = LLMContextAggregatorPair(LLMContext(), user_params=params)
    gate: list[FrameProcessor] = [SnrGate(policy.gate())] if ours else []
    at_once = AtOnce()  # type: ignore[no-untyped-call]
    judge: list[FrameProcessor] = [JevJudge(at_once, policy=policy)] if ours else []
    voice = CaseVoice({line: _LINE_S for _, line in _LINES})
    ears = [stage.input(), *gate, CaseRecogniser(_transcripts()), *judge, pair.user()]
    mouth = [CaseModel(lambda _: ""), voice, stage.output(), pair.assistant()]
    worker = PipelineWorker(Pipeline([*ears, *mouth]), clock=LoopClock(), idle_timeout_secs=None)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    speaking = asyncio.ensure_future(_speak(worker))
    await runner.run()
    await speaking


async def _speak(worker: PipelineWorker) -> None:
    began = asyncio.get_running_loop().time()
    for at, line in _LINES:
        await asyncio.sleep(began + at - asyncio.get_running_loop().time())
        await worker.queue_frame(TTSSpeakFrame(line))
    await asyncio.sleep(began + CALL_S - asyncio.get_running_loop().time())
    await worker.stop_when_done()  # type: ignore[no-untyped-call]


def sound() -> Iterator[bytes]:
    """Yield the microphone's chunks: a room, and a loud voice in it while the person talks."""
    noise = np.random.default_rng(1).normal(0.0, 1.0, (50, RATE * CHUNK_MS // 1000))
    for number in range(CALL_S * 1000 // CHUNK_MS):
        at = number * CHUNK_MS / 1000
        talks = any(begin <= at < end for begin, end in _TALKS)
        level = _VOICE if talks else _ROOM
        yield (noise[number % 50] * level).astype(np.int16).tobytes()


def _transcripts() -> list[tuple[float, str, bool]]:
    script = []
    for (begin, end), text in zip(_TALKS, _WORDS, strict=True):
        words = text.split()
        for said in range(1, len(words) + 1):
            at = begin + (end - begin) * said / len(words) + 0.15
            script.append((at, " ".join(words[:said]), False))
        script.append((end + 0.4, text, True))
    return script
