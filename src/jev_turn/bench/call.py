"""A call in virtual time, with our processors and without them; the rest of it is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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

from jev_turn.bench.room import microphone
from jev_turn.judges.tally import Stats
from jev_turn.play.cast import CaseModel, CaseRecogniser, CaseVoice
from jev_turn.play.clock import LoopClock, run
from jev_turn.play.stage import Stage
from jev_turn.policy import Policy
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_gate import SnrGate

CALL_S = 14
_TALKS = ((1.0, 3.4), (8.5, 9.7))
_LINES = ((4.5, "A line of the agent's."), (11.0, "Another one."))
_LINE_S = 2.5
_WORDS = ("what is an index in a database", "and a key")


class AtOnce(BaseClassifier):
    """Answers yes to everything, a tenth of a second later and at no cost."""

    latency_s = 0.1

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
        await asyncio.sleep(self.latency_s)
        return {name: YesNoResult(probability=0.9) for name in questions}, None


def hold(policy: Policy, *, ours: bool) -> None:
    """Hold the call: microphone, recogniser and voice are busy as in an ordinary one.

    The model writes nothing, and the agent's lines are the application's, so that both calls are
    alike whoever takes the turns.

    Args:
        policy: Every setting.
        ours: With ``SnrGate`` and ``JevJudge`` in it.
    """
    at_once = AtOnce() if ours else None  # type: ignore[no-untyped-call]
    run(hold_on_loop(policy, at_once))


@dataclass(frozen=True, slots=True)
class Part:
    """What is held of a conversation that goes round.

    Attributes:
        phase_s: Where in it the call begins, s.
        rounds: How often it goes round, >= 1.
    """

    phase_s: float = 0.0
    rounds: int = 1

    @property
    def seconds(self) -> int:
        """Length of the call, s."""
        return CALL_S * self.rounds

    def moments(self, times: Iterable[float]) -> list[tuple[float, int]]:
        """Return each moment of a round at each time that it comes, with its number; in order."""
        found = [
            (at + CALL_S * turn - self.phase_s, number)
            for number, at in enumerate(times)
            for turn in range(self.rounds + 1)
        ]
        return sorted(one for one in found if 0 <= one[0] < self.seconds)


_WHOLE = Part()


async def hold_on_loop(
    policy: Policy, classifier: BaseClassifier | None, part: Part = _WHOLE
) -> Stats | None:
    """Hold the call on the running loop.

    Args:
        policy: Every setting.
        classifier: Its judge; ``None`` holds it without our processors.
        part: What is held.

    Returns:
        What its judge counted.
    """
    ours = classifier is not None
    stage = Stage(sound(part))
    strategies = ExternalUserTurnStrategies(enable_interruptions=False)
    params = LLMUserAggregatorParams(user_turn_strategies=None if ours else strategies)
    pair = LLMContextAggregatorPair(LLMContext(), user_params=params)
    gate: list[FrameProcessor] = [SnrGate(policy.gate())] if ours else []
    judge = [JevJudge(classifier, policy=policy)] if classifier is not None else []
    voice = CaseVoice({line: _LINE_S for _, line in _LINES})
    ears = [stage.input(), *gate, CaseRecogniser(_transcripts(part)), *judge, pair.user()]
    mouth = [CaseModel(lambda _: ""), voice, stage.output(), pair.assistant()]
    worker = PipelineWorker(Pipeline([*ears, *mouth]), clock=LoopClock(), idle_timeout_secs=None)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    speaking = asyncio.ensure_future(_speak(worker, part))
    await runner.run()
    await speaking
    return judge[0].judge.stats if judge and judge[0].judge is not None else None


async def _speak(worker: PipelineWorker, part: Part) -> None:
    began = asyncio.get_running_loop().time()
    for at, number in part.moments(at for at, _ in _LINES):
        await asyncio.sleep(began + at - asyncio.get_running_loop().time())
        await worker.queue_frame(TTSSpeakFrame(_LINES[number][1]))
    await asyncio.sleep(began + part.seconds - asyncio.get_running_loop().time())
    await worker.stop_when_done()  # type: ignore[no-untyped-call]


def sound(part: Part = _WHOLE) -> Iterator[bytes]:
    """Yield the microphone's chunks: a room, and a loud voice in it while the person talks."""

    def talks(at: float) -> bool:
        return any(begin <= (at + part.phase_s) % CALL_S < end for begin, end in _TALKS)

    return microphone(part.seconds * 1000, talks)


def _transcripts(part: Part) -> list[tuple[float, str, bool]]:
    script = []
    for (begin, end), text in zip(_TALKS, _WORDS, strict=True):
        words = text.split()
        for said in range(1, len(words) + 1):
            at = begin + (end - begin) * said / len(words) + 0.15
            script.append((at, " ".join(words[:said]), False))
        script.append((end + 0.4, text, True))
    return [(at, *script[number][1:]) for at, number in part.moments(at for at, _, _ in script)]
