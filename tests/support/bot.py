"""A whole bot in virtual time, with everything but turn-taking scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pipecat.classifiers.base_classifier import BaseClassifier, YesNoResult
from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    StartFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.processors.frameworks.rtvi import RTVIObserverParams
from pipecat.workers.runner import WorkerRunner

from jev_turn.play.cast import CaseModel, CaseRecogniser, CaseVoice
from jev_turn.play.clock import LoopClock
from jev_turn.play.stage import Stage

Step = tuple[float, Frame | Callable[["Bot"], Awaitable[None]]]


class Answers(BaseClassifier):
    """Answers by a function of the words, after a delay on the loop's clock."""

    def __init__(
        self, answer: Callable[[str, str], float | Exception], latency_s: float = 0.1
    ) -> None:
        super().__init__(name="Answers")  # type: ignore[no-untyped-call]
        self.asked: list[dict[str, Any]] = []
        self._answer = answer
        self._latency_s = latency_s

    @property
    def model(self) -> str:
        return "answers"

    async def _ask(self, state: Any, questions: Any, images: Any = ()) -> Any:
        self.asked.append(dict(state))
        await asyncio.sleep(self._latency_s)
        results = {}
        for name in questions:
            value = self._answer(name, state["current_user_transcript"])
            if isinstance(value, Exception):
                raise value
            results[name] = YesNoResult(probability=value)
        return results, None


class Unprepared(Answers):
    """A judge whose setup fails, and that answers nothing."""

    def __init__(self) -> None:
        super().__init__(lambda *_: ConnectionError("not set up"))

    async def setup(self, *_: object) -> None:
        raise ConnectionError("no way to the judge")


class Script(FrameProcessor):
    """Pushes frames, or runs coroutines, at their times."""

    def __init__(self, bot: Bot, steps: Sequence[Step]) -> None:
        super().__init__(name="Script")
        self._bot, self._steps = bot, sorted(steps, key=lambda step: step[0])
        self._task: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self._bot.began = asyncio.get_running_loop().time()
            self._task = self.create_task(self._run(), "script")

    async def cleanup(self) -> None:
        await super().cleanup()  # type: ignore[no-untyped-call]
        if self._task is not None:
            await self.cancel_task(self._task)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        for at, step in self._steps:
            await asyncio.sleep(max(0.0, self._bot.began + at - loop.time()))
            if isinstance(step, Frame):
                await self.push_frame(step)
            else:
                await step(self._bot)


class Seen(BaseObserver):
    """Every frame on its first push, with its time since the start."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(observe_every_push=False)
        self._bot = bot

    async def on_push_frame(self, data: FramePushed) -> None:
        now = asyncio.get_running_loop().time() - self._bot.began
        self._bot.seen.append((round(now, 3), data.frame, data.direction))


@dataclass
class Bot:
    """What a run of the bot leaves behind."""

    steps: Sequence[Step]
    judge: FrameProcessor | None
    lasts: float
    reply: Callable[[LLMContext], str] = lambda _: "All right."
    params: LLMUserAggregatorParams | None = None
    before: Sequence[FrameProcessor] = ()
    stt: FrameProcessor | None = None
    ttft_s: float = 0.2
    greeting: str = ""
    sound: Iterable[bytes | None] = ()
    voice: FrameProcessor | None = None
    rtvi_params: RTVIObserverParams | None = None
    rtvi: bool = False  # Pipecat's default is on; it costs a quarter of the suite
    behind_model: Sequence[FrameProcessor] = ()
    behind_voice: Sequence[FrameProcessor] = ()
    on_audio: Callable[[float, bytes], None] | None = None
    began: float = 0.0
    seen: list[tuple[float, Frame, FrameDirection]] = field(default_factory=list)
    context: LLMContext = field(default_factory=LLMContext)
    model: CaseModel | None = None
    worker: PipelineWorker = field(init=False)

    async def run(self) -> Bot:
        """Run the call to its end."""
        stage = Stage(iter(self.sound), on_audio=self.on_audio)
        # Most of what a call costs is the frames of its audio.
        stage.output()._params.audio_out_10ms_chunks = 10
        self.model = self.model or CaseModel(self.reply, self.ttft_s)
        pair = LLMContextAggregatorPair(self.context, user_params=self.params)
        pipeline = Pipeline(
            [
                stage.input(),
                *self.before,
                Script(self, self.steps),
                *([self.stt] if self.stt else []),
                *([self.judge] if self.judge else []),
                pair.user(),
                self.model,
                *self.behind_model,
                self.voice or CaseVoice(),
                *self.behind_voice,
                stage.output(),
                pair.assistant(),
            ]
        )
        self.worker = PipelineWorker(
            pipeline,
            clock=LoopClock(),
            observers=[Seen(self)],
            idle_timeout_secs=None,
            enable_rtvi=self.rtvi,
            rtvi_observer_params=self.rtvi_params,
            enable_turn_tracking=self.rtvi,
        )
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self.worker)
        ending = asyncio.ensure_future(self._end())
        await runner.run()
        await ending
        return self

    async def _end(self) -> None:
        if self.greeting:
            await self.worker.queue_frame(TTSSpeakFrame(self.greeting))
        await asyncio.sleep(self.lasts)
        await self.worker.stop_when_done()  # type: ignore[no-untyped-call]

    def times(self, kind: type[Frame]) -> list[float]:
        """Return when frames of ``kind`` first went downstream."""
        down = FrameDirection.DOWNSTREAM
        return [at for at, frame, way in self.seen if isinstance(frame, kind) and way is down]

    @property
    def runs(self) -> int:
        """How often the model was run."""
        assert self.model is not None
        return len(self.model.runs)

    @property
    def interruptions(self) -> int:
        """How many interruptions went downstream."""
        return len(self.times(InterruptionFrame))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The context's messages, without the many types that a provider may give them."""
        return cast(list[dict[str, Any]], self.context.messages)

    @property
    def said(self) -> list[str]:
        """What the person said, as the context has it."""
        return [m["content"] for m in self.messages if m["role"] == "user"]


def said(at: float, text: str, lasts: float = 0.0, *, final_after: float = 0.3) -> list[Step]:
    """Return the frames of one utterance: voice detection, growing interims, a final."""
    words = text.split()
    lasts = lasts or 0.3 * len(words)
    partials = [
        (at + lasts * number / len(words) + 0.1, heard(" ".join(words[:number])))
        for number in range(1, len(words))
    ]
    return [
        (at + 0.11, VADUserStartedSpeakingFrame(start_secs=0.11)),
        *partials,
        (at + lasts + 0.2, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
        (at + lasts + final_after, final(text)),
    ]


async def interrupt(call: Bot) -> None:
    """Interrupt as any processor may."""
    assert call.judge is not None
    await call.judge.broadcast_interruption()  # type: ignore[no-untyped-call]


def behind(call: Bot) -> FrameProcessor:
    """Return the processor behind the judge."""
    assert call.judge is not None and call.judge.next is not None
    return call.judge.next


def heard(text: str) -> InterimTranscriptionFrame:
    """Return an interim."""
    return InterimTranscriptionFrame(text=text, user_id="user", timestamp="now")


def final(text: str) -> TranscriptionFrame:
    """Return a final."""
    return TranscriptionFrame(text=text, user_id="user", timestamp="now")


__all__ = [
    "Answers",
    "Bot",
    "CaseRecogniser",
    "Step",
    "behind",
    "final",
    "heard",
    "interrupt",
    "said",
]
