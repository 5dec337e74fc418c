"""Each processor alone in a plain bot: Pipecat's defaults, detectors and classifiers around it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from pipecat.audio.dtmf.types import KeypadEntry
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.classifiers.llm.classifier import LLMClassifier
from pipecat.frames.frames import (
    FunctionCallResultFrame,
    InputDTMFFrame,
    InputTransportMessageFrame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    LLMFullResponseStartFrame,
    LLMMessagesAppendFrame,
    LLMRunFrame,
    LLMUpdateSettingsFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
    UserIdleTimeoutUpdateFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.workers.runner import WorkerRunner
from support.bot import Answers, Bot, Script, Step, behind, final, heard, said
from support.fake_judges import MockJev
from support.sound import RATE, chunks, noise, pcm, voice

from jev_turn.play.cast import CaseVoice
from jev_turn.play.clock import LoopClock, VirtualLoop, run
from jev_turn.processors._pipecat import UserBackchannelFrame
from jev_turn.processors.barge_in_classifier import BargeInClassifier
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.snr_gate import SnrGate

DOWN = FrameDirection.DOWNSTREAM
WORDS = "what is an index"
STORY = "A story."
STORY_S = 2.5

ROOM = noise(300, 0.0005)
ONSET = 0.3
SPEECH = chunks(pcm(ROOM, voice(400), ROOM, ROOM), 20)


def finished(question: str, words: str) -> float:
    """Find everything finished and for the agent, and "uh-huh" a nod."""
    if question == "taking_floor" and words.startswith("uh"):
        return 0.03
    return 0.0 if question == "holding_floor" else 0.95


# --- detectors ----------------------------------------------------------------------------------


def silero() -> SileroVADAnalyzer:
    """Pipecat's bundled voice detector, made a little easier for a synthetic voice."""
    params = VADParams(confidence=0.5, start_secs=0.1, min_volume=0.0)
    return SileroVADAnalyzer(sample_rate=RATE, params=params)


@pytest.mark.bots
def test_snr_gate_alone_opens_and_ends_the_turns_of_a_default_bot() -> None:
    """In the place of a VAD it drives the default strategies, and opens in about a tenth of a s."""
    call = run(
        Bot([(0.9, final(WORDS))], None, 3, before=[SnrGate()], sound=SPEECH, ttft_s=0.0).run()
    )
    assert 0.1 <= call.times(UserStartedSpeakingFrame)[0] - ONSET <= 0.16
    assert (call.said, call.runs) == ([WORDS], 1)


def barge_in(classifier: BaseClassifier) -> BargeInClassifier:
    """Make one in a bot that ends turns by time, which loads and runs no model."""
    return BargeInClassifier(classifier, stop=[SpeechTimeoutUserTurnStopStrategy()])


DETECTORS: dict[str, Callable[[], dict[str, Any]]] = {
    "gate": lambda: {"before": [SnrGate()]},
    "processor": lambda: {"before": [VADProcessor(vad_analyzer=silero())]},
    "aggregator": lambda: {"params": LLMUserAggregatorParams(vad_analyzer=silero())},
}


@pytest.mark.bots
@pytest.mark.parametrize(
    ("make", "detector"),
    [
        (JevJudge, "gate"),
        (JevJudge, "processor"),
        (JevJudge, "aggregator"),
        (barge_in, "aggregator"),
    ],
)
def test_any_voice_detector_serves(make: Any, detector: str) -> None:
    """In front of us or behind, its sound is heard, and the words are answered once."""
    judge = make(Answers(finished))
    call = run(Bot([(0.9, final(WORDS))], judge, 3, sound=SPEECH, **DETECTORS[detector]()).run())
    assert judge.context.mic.seen
    assert (call.said, call.runs, call.interruptions) == ([WORDS], 1, 0)
    assert len(call.times(UserStoppedSpeakingFrame)) == 1


@pytest.mark.bots
def test_the_end_waits_for_the_quiet_that_a_detector_behind_reports() -> None:
    """A verdict is confirmed by the microphone's quiet, though only the aggregator hears it."""
    steps: list[Step] = [(0.4, heard("what is")), (0.5, final(WORDS))]
    params = LLMUserAggregatorParams(vad_analyzer=silero())
    call = run(Bot(steps, JevJudge(Answers(finished)), 3, params=params, sound=SPEECH).run())
    quiet = next(at for at, f, _ in call.seen if isinstance(f, VADUserStoppedSpeakingFrame))
    assert call.times(LLMFullResponseStartFrame)[0] >= quiet


def test_jev_judge_needs_no_detector() -> None:
    """Without any, the words themselves are the clock."""
    call = run(Bot([(1.0, final(WORDS))], JevJudge(Answers(finished)), 5).run())
    assert call.times(LLMFullResponseStartFrame) == [pytest.approx(1.6, abs=0.3)]


# --- classifiers --------------------------------------------------------------------------------


class Llm:
    """A language model that finds every question answered with yes, but no floor held."""

    settings = SimpleNamespace(model="some-llm")

    async def run_inference(self, context: Any, **_: Any) -> str:
        names = ("turn_complete", "addressed_to_agent", "taking_floor")
        asked = {name: {"probability": 0.95} for name in names if name in str(context.messages)}
        return json.dumps(asked | {"holding_floor": {"probability": 0.05}})


def judged(classifier: BaseClassifier, at: float = 1.0) -> Bot:
    """Let a classifier judge an interruption."""
    steps: list[Step] = [(at, final("tell me about birds"))]
    voice = CaseVoice({STORY: STORY_S})
    return run(Bot(steps, JevJudge(classifier), 5, greeting=STORY, voice=voice).run())


@pytest.mark.parametrize("classifier", [Answers(finished), LLMClassifier(llm=Llm())])  # type: ignore[arg-type]
def test_any_classifier_judges(classifier: BaseClassifier) -> None:
    """Whatever answers yes-or-no questions gives verdicts that interrupt and end turns."""
    call = judged(classifier)
    assert call.times(InterruptionFrame) == [pytest.approx(1.0, abs=0.2)]
    assert (call.said, call.runs) == (["tell me about birds"], 1)


@pytest.fixture
def mock_jev() -> Iterator[MockJev]:
    """The reference server on loopback."""
    with MockJev().running() as server:
        yield server


def test_pipecats_jev_client_judges(mock_jev: MockJev) -> None:
    """Its verdicts arrive; the silence rule is not needed."""
    pytest.importorskip("httpx", reason="pipecat-ai[typesafe] is not installed")
    from pipecat.classifiers.typesafe.jev.classifier import JevClassifier

    class OnRealTime(JevClassifier):
        """Holds virtual time to real time while the server is waited for."""

        async def _ask(self, *given: Any, **more: Any) -> Any:
            loop = asyncio.get_running_loop()
            assert isinstance(loop, VirtualLoop)
            with loop.real_io():
                return await super()._ask(*given, **more)

        async def setup(self, *given: Any) -> None:
            loop = asyncio.get_running_loop()
            assert isinstance(loop, VirtualLoop)
            with loop.real_io():
                await super().setup(*given)

    mock_jev.configure()
    record = Lines()
    judge = JevJudge(OnRealTime(api_key="any", base_url=mock_jev.url), record=record)
    run(Bot([(1.0, final(WORDS))], judge, 3).run())
    assert [f for kind, f in record.lines if kind == "failed"] == []
    assert "verdict" in [kind for kind, _ in record.lines]


@dataclass
class Lines:
    """A recorder that keeps kinds and fields."""

    lines: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def write(self, kind: str, at_ms: int, **fields: Any) -> None:
        """Keep one line."""
        self.lines.append((kind, fields))


# --- what has begun ends ------------------------------------------------------------------------


def test_a_judge_that_is_too_late_leaves_the_end_to_two_seconds_of_quiet() -> None:
    """The wait is fixed, however long the answer takes."""
    call = run(Bot(said(1, WORDS), JevJudge(Answers(finished, latency_s=30.0)), 8).run())
    assert call.times(UserStoppedSpeakingFrame) == [pytest.approx(2.2 + 2.0, abs=0.05)]
    assert call.said == [WORDS]


def test_every_start_edge_gets_a_stop_edge() -> None:
    """Claimed and held, cut by a barge-in, left unfinished: no turn stays open in the bot."""

    def answer(question: str, words: str) -> float:
        if "Mark" in words and question == "addressed_to_agent":
            return 0.05
        if "let me" in words and question in ("turn_complete", "holding_floor"):
            return 0.1 if question == "turn_complete" else 0.9
        return finished(question, words)

    steps = [*said(1, "stop"), *said(5, "what is hey Mark dinner"), *said(12, "let me think")]
    voice = CaseVoice({STORY: STORY_S})
    call = run(Bot(steps, JevJudge(Answers(answer)), 34, greeting=STORY, voice=voice).run())
    starts, stops = call.times(UserStartedSpeakingFrame), call.times(UserStoppedSpeakingFrame)
    assert len(starts) == len(stops) == 3
    assert all(start < stop for start, stop in zip(starts, stops, strict=True))
    assert call.said == ["stop", "let me think"]


# --- the frames of others -----------------------------------------------------------------------


class End(FrameProcessor):
    """Keeps what reaches an end of the pipeline."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[Any, FrameDirection]] = []

    async def process_frame(self, frame: Any, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        self.seen.append((frame, direction))
        await self.push_frame(frame, direction)


OTHERS: list[Callable[[], Any]] = [
    lambda: InputDTMFFrame(button=KeypadEntry.ONE),
    lambda: InputTransportMessageFrame(message={"click": 1}),
    lambda: UserIdleTimeoutUpdateFrame(timeout=3.0),
    lambda: LLMRunFrame(),
    lambda: LLMMessagesAppendFrame(messages=[{"role": "user", "content": "now"}], run_llm=True),
    lambda: FunctionCallResultFrame("find", "1", {}, {"found": 2}),
    lambda: LLMUpdateSettingsFrame(settings={}),
    lambda: TTSSpeakFrame("One moment."),
]


@pytest.mark.parametrize("make", [SnrGate, lambda: JevJudge(Answers(finished)),
                                  lambda: BargeInClassifier(Answers(finished))])  # fmt: skip
def test_frames_of_others_pass_in_order_and_at_once(make: Callable[[], FrameProcessor]) -> None:
    """DTMF, tools and runs that the application asks for are not ours, whoever is speaking."""
    top, processor, bottom = End(), make(), End()
    sent = [(make_frame(), way) for make_frame in OTHERS for way in FrameDirection]

    async def send(_: Bot) -> None:
        for frame, way in sent:
            await (top if way is DOWN else bottom).push_frame(frame, way)

    async def call() -> None:
        steps: list[Step] = [
            (0.5, VADUserStartedSpeakingFrame(start_secs=0.1)),
            (0.6, InterimTranscriptionFrame("I want to", "user", "now")),
            (0.7, send),
            (0.71, lambda call: call.worker.stop_when_done()),  # type: ignore[no-untyped-call]
        ]
        bot = Bot(steps, processor, 1)
        pipeline = Pipeline([Script(bot, steps), top, processor, bottom])
        bot.worker = PipelineWorker(pipeline, clock=LoopClock(), enable_rtvi=False)
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(bot.worker)
        await runner.run()

    run(call())
    for end, way in ((bottom, DOWN), (top, FrameDirection.UPSTREAM)):
        ours = {id(frame) for frame, _ in sent}
        came = [frame for frame, going in end.seen if going is way and id(frame) in ours]
        system = [frame for frame, to in sent if to is way and _is_system(frame)]
        data = [frame for frame, to in sent if to is way and not _is_system(frame)]
        assert [frame for frame in came if _is_system(frame)] == system
        assert [frame for frame in came if not _is_system(frame)] == data


def _is_system(frame: Any) -> bool:
    from pipecat.frames.frames import SystemFrame

    return isinstance(frame, SystemFrame)


def test_a_run_that_the_application_asks_for_is_not_held_by_an_open_turn() -> None:
    """An application may speak up in the middle of a person's sentence; that is its affair."""
    unfinished = Answers(lambda name, _: 0.9 if name == "addressed_to_agent" else 0.1)
    steps: list[Step] = [(1.0, heard("I want")), (1.5, LLMMessagesAppendFrame(
        messages=[{"role": "developer", "content": "say hello"}], run_llm=True))]  # fmt: skip
    call = run(Bot(steps, JevJudge(unfinished), 2.5).run())
    assert call.times(LLMFullResponseStartFrame) == [pytest.approx(1.5)]


def test_the_idle_timer_leaves_a_thinking_person_alone_and_finds_a_silent_one() -> None:
    """A turn that is open keeps it off; a nod that came to nothing does not."""

    def idle(steps: list[Step], lasts: float) -> list[float]:
        fired: list[float] = []

        async def listen(call: Bot) -> None:
            @behind(call).event_handler("on_user_turn_idle")  # type: ignore[untyped-decorator]
            async def _(_: Any) -> None:
                fired.append(round(asyncio.get_running_loop().time() - call.began, 1))

        thinking = Answers(lambda name, words: (
            0.9 if name == "holding_floor" else 0.1 if name == "turn_complete"
            else finished(name, words)))  # fmt: skip
        params = LLMUserAggregatorParams(user_idle_timeout=4.0)
        bot = Bot([(0.01, listen), *steps], JevJudge(thinking), lasts, params=params,
                  greeting=STORY, voice=CaseVoice({STORY: 1.5}))  # fmt: skip
        run(bot.run())
        return fired

    assert idle(said(1, "let me think"), 9) == []
    assert idle(said(0.1, "uh-huh", 0.2), 9) == [pytest.approx(5.6, abs=0.1)]


def test_words_over_a_prompt_in_a_thinking_pause_are_no_nod() -> None:
    """The turn was there before the prompt: what goes on in it is kept and answered."""

    def thinking(question: str, words: str) -> float:
        if question == "taking_floor":
            return 0.05
        if "May" not in words and question in ("turn_complete", "holding_floor"):
            return 0.1 if question == "turn_complete" else 0.9
        return finished(question, words)

    prompt: Step = (5.0, TTSSpeakFrame("are you still there with me"))
    steps = [*said(1, "let me think"), prompt, *said(5.3, "it was in May", 0.8)]
    call = run(Bot(steps, JevJudge(Answers(thinking)), 12).run())
    assert call.said == ["let me think it was in May"]
    assert call.times(UserBackchannelFrame) == []


def test_three_finals_of_one_sentence_are_the_recognisers_own_frames() -> None:
    """What is handed to the aggregator is what came in, object for object and unchanged."""
    finals = [final(text) for text in ("what", "is an", "index")]
    steps: list[Step] = [(1.0 + 0.01 * n, frame) for n, frame in enumerate(finals)]
    judge = JevJudge(Answers(finished))
    released: list[Any] = []
    push = judge.push_frame

    async def keep(frame: Any, direction: FrameDirection = DOWN) -> None:
        released.append(frame)
        await push(frame, direction)

    judge.push_frame = keep  # type: ignore[method-assign]
    run(Bot(steps, judge, 4).run())
    came = [frame for frame in released if isinstance(frame, TranscriptionFrame)]
    assert [id(frame) for frame in came] == [id(frame) for frame in finals]


def test_a_browser_is_told_of_each_final_once() -> None:
    """Holding a final and pushing it again must not show it twice: it is the same frame."""
    steps: list[Step] = [(1.0, final("what is")), (1.1, final("an index"))]
    call = run(Bot(steps, JevJudge(Answers(finished)), 4, rtvi=True).run())
    messages = [f.message for _, f, _ in call.seen if hasattr(f, "message")]
    told = [m["data"]["text"] for m in messages if m["type"] == "user-transcription"]
    assert told == ["what is", "an index"]
