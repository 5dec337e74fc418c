"""AgentTracker and Tap: what a processor learns about the agent that it cannot see."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal

import pytest
from pipecat.frames.frames import (
    ErrorFrame,
    Frame,
    FunctionCallCancelFrame,
    FunctionCallFromLLM,
    FunctionCallResultFrame,
    FunctionCallResultProperties,
    FunctionCallsStartedFrame,
    LLMFullResponseStartFrame,
    LLMRunFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
)
from pipecat.observers.base_observer import FramePushed
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import (
    FrameDirection,
    FrameProcessor,
    FrameProcessorSetup,
)
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService
from support.bot import Answers, Bot, Step, interrupt

from jev_turn.play.cast import CaseModel, CaseVoice
from jev_turn.play.clock import run
from jev_turn.play.stage import RATE
from jev_turn.processors._agent import AgentTracker
from jev_turn.processors._host import Tap
from jev_turn.processors.jev_judge import JevJudge

WORD_S = 0.3

Look = tuple[float, Literal["look"]]


class Watcher(FrameProcessor):
    """Listens by a tap, in a processor's place, and keeps each change of state with its time."""

    def __init__(self) -> None:
        super().__init__(name="Watcher")
        self.agent = AgentTracker()
        self.states: list[tuple[str, float]] = []

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        await super().setup(setup)
        self._zero = asyncio.get_running_loop().time()
        setup.pipeline_worker.add_observer(Tap(self.agent, self._changed))

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)

    def _changed(self) -> None:
        at = round(asyncio.get_running_loop().time() - self._zero, 2)
        if not self.states or self.states[-1][0] != self.agent.state:
            self.states.append((self.agent.state, at))


def watched(
    steps: Sequence[Step | Look], lasts: float = 5.0, **more: Any
) -> tuple[Watcher, dict[str, Any]]:
    """Run a call; return the watcher, and what it knew at the step named ``look``."""
    watcher, looks = Watcher(), dict[str, Any]()

    async def look(_: Bot) -> None:
        looks.update(heard=watcher.agent.heard, unheard=watcher.agent.unheard)

    timed: list[Step] = [(at, look if isinstance(step, str) else step) for at, step in steps]
    run(Bot(timed, watcher, lasts, **more).run())
    return watcher, looks


def states(watcher: Watcher) -> list[str]:
    """The states in order."""
    return [state for state, _ in watcher.states]


def reply(_: LLMContext) -> str:
    """Two sentences, of three words each."""
    return "One two three. Four five six."


RUN: Step = (0.1, LLMRunFrame())


# --- speech -------------------------------------------------------------------------------------


def test_words_count_as_heard_when_they_leave_the_output() -> None:
    """Synthesis runs ahead; what is not out of the loudspeaker yet is unheard."""
    watcher, looks = watched([RUN, (1.1, "look")], reply=reply)
    assert looks == {"heard": "One two three.", "unheard": "Four five six."}
    assert states(watcher) == ["thinking", "speaking", "listening"]
    assert watcher.agent.last_line == "One two three. Four five six."
    assert watcher.agent.history == [("assistant", "One two three. Four five six.")]


def test_an_interruption_in_mid_sentence_leaves_only_what_was_heard() -> None:
    """The rest is neither the last line nor still to come."""
    watcher, _ = watched([RUN, (1.1, interrupt)], reply=reply)
    assert watcher.agent.last_line == "One two three."
    assert (watcher.agent.heard, watcher.agent.unheard) == ("", "")
    assert states(watcher)[-1] == "listening"


class SentenceVoice(TTSService):
    """Speaks without word times: a sentence counts when all of it is out, as Pipecat has it."""

    def __init__(self, latency_s: float = 0.05) -> None:
        super().__init__(
            push_start_frame=True,
            push_stop_frames=True,
            push_text_frames=True,
            sample_rate=RATE,
            settings=TTSSettings(model=None, voice=None, language=None),
        )
        self._latency_s = latency_s

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame, None]:
        await asyncio.sleep(self._latency_s)
        sound = b"\x10\x20" * int(WORD_S * len(text.split()) * RATE)
        yield TTSAudioRawFrame(sound, RATE, 1, context_id=context_id)


def test_without_word_times_a_sentence_is_heard_at_its_end() -> None:
    """Until then all of it is unheard, and so is the next one."""
    _, looks = watched([RUN, (1.0, "look")], voice=SentenceVoice(), reply=reply)
    assert looks == {"heard": "", "unheard": "One two three. Four five six."}
    _, looks = watched([RUN, (1.6, "look")], voice=SentenceVoice(), reply=reply)
    assert looks == {"heard": "One two three.", "unheard": "Four five six."}


def test_a_voice_slower_than_its_speech_leaves_no_gap_in_the_reply() -> None:
    """Between two sentences the agent is not listening: the rest of its reply is on its way."""
    watcher, _ = watched([RUN], 8, voice=SentenceVoice(latency_s=1.5), reply=reply)
    assert states(watcher) == ["thinking", "speaking", "listening"]


def test_lines_of_the_application_are_speech_like_any_other() -> None:
    """A second one, made while the first is spoken, stays unheard until its turn comes."""
    lines: list[Step] = [(0.1, TTSSpeakFrame("One moment please.")), (0.2, TTSSpeakFrame("Ready."))]
    watcher, looks = watched([*lines, (0.6, "look")], voice=SentenceVoice())
    assert looks == {"heard": "", "unheard": "One moment please. Ready."}
    assert states(watcher)[-1] == "listening"
    assert watcher.agent.last_line == "Ready."


@pytest.mark.parametrize(
    ("planned", "spoken", "unheard"),
    [
        ("It costs $5 today.", ["It", "costs"], "$5 today."),
        ("你好世界。再见。", ["你", "好"], "世界。再见。"),
        ("a and b", ["a", "and", "b", "c"], ""),
    ],
)
def test_unheard_is_what_was_announced_less_what_was_said(
    planned: str, spoken: list[str], unheard: str
) -> None:
    """By words, and by parts of one in scripts without spaces."""
    agent = AgentTracker()
    agent.will_say(planned, "1")
    agent.bot_started()
    for word in spoken:
        agent.said(word, "1")
    assert agent.unheard == unheard


def test_words_behind_their_audio_belong_to_the_last_line() -> None:
    """Word times may lag a little behind the sound that they are about."""
    agent = AgentTracker()
    agent.will_say("Hello there.", "1")
    agent.bot_started()
    agent.said("Hello", "1")
    agent.bot_stopped()
    agent.said("there.", "1")
    assert (agent.last_line, agent.state) == ("Hello there.", "listening")


# --- thinking -----------------------------------------------------------------------------------


def test_an_empty_reply_ends_the_thinking() -> None:
    """A model that writes nothing leaves the floor to the person."""
    watcher, _ = watched([RUN], 2, reply=lambda _: "")
    assert states(watcher) == ["thinking", "listening"]


class Mute(CaseVoice):
    """A voice that makes no sound of any text."""

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        await asyncio.sleep(0.05)
        none: tuple[Frame, ...] = ()
        for frame in none:
            yield frame


class Wordless(CaseVoice):
    """A voice that ends its speech without a sound."""

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        yield TTSAudioRawFrame(b"", RATE, 1, context_id=context_id)


def test_a_voice_without_a_sound_ends_the_thinking() -> None:
    """It has announced text that nobody will ever hear."""
    watcher, _ = watched([RUN], 3, voice=Wordless(), reply=reply)
    assert states(watcher) == ["thinking", "listening"]


def test_text_that_is_announced_behind_an_interruption_is_never_said() -> None:
    """The model's last words go to the voice just before the interruption reaches it."""
    watcher, _ = watched([RUN, (0.4, interrupt)], 3, reply=lambda _: " ".join(["word"] * 20))
    state, at = watcher.states[-1]
    assert state == "listening"
    assert at == pytest.approx(0.4, abs=0.05)


def test_the_machines_ceiling_ends_the_trackers_thinking_too() -> None:
    """Otherwise the next reply would begin without a change of state, and nobody would know."""
    judge = JevJudge(Answers(lambda *_: 0.9))
    call = run(Bot([RUN], judge, 17, voice=Mute(), reply=reply).run())
    assert call.times(LLMFullResponseStartFrame) == [0.1]
    assert (judge.context.agent.state, judge._agent.state) == ("listening", "listening")


def tapped(*frames: Frame) -> str:
    """Let a tap see frames on their first push; return the agent's state."""
    agent = AgentTracker()
    tap = Tap(agent, lambda: None)

    async def push() -> None:
        for frame in frames:
            up = isinstance(frame, ErrorFrame)
            way = FrameDirection.UPSTREAM if up else FrameDirection.DOWNSTREAM
            await tap.on_push_frame(FramePushed(Watcher(), Watcher(), frame, way, 0))

    run(push())
    return agent.state


def calls(count: int) -> FunctionCallsStartedFrame:
    """The model asks for tools."""
    return FunctionCallsStartedFrame([FunctionCallFromLLM("find", "1", {}, None)] * count)


def result(run_llm: bool | None = None, **more: Any) -> FunctionCallResultFrame:
    """One tool's result."""
    properties = FunctionCallResultProperties(**more) if more else None
    return FunctionCallResultFrame("find", "1", {}, "found", run_llm, properties)


@pytest.mark.parametrize(
    ("frames", "state"),
    [
        ([calls(1)], "thinking"),
        ([calls(1), result()], "thinking"),  # the run that it starts is still to come
        ([calls(1), result(), LLMFullResponseStartFrame()], "thinking"),
        ([calls(1), result(run_llm=False)], "listening"),
        ([calls(1), result(is_final=True, run_llm=False)], "listening"),
        ([calls(1), result(is_final=False, run_llm=False)], "thinking"),
        ([calls(2), result(run_llm=False)], "thinking"),
        ([calls(1), FunctionCallCancelFrame("find", "1")], "listening"),
        ([calls(1), FunctionCallCancelFrame("find", "1", run_llm=True)], "thinking"),
    ],
)
def test_tools_in_progress_are_thinking_while_a_run_will_follow(
    frames: list[Frame], state: str
) -> None:
    """Words while a tool runs fall into a reply that is being made."""
    assert tapped(*frames) == state


@pytest.mark.parametrize("service", [CaseModel, CaseVoice])
def test_an_error_of_the_model_or_the_voice_ends_the_thinking(service: Any) -> None:
    """Pipecat lets the call go on after it, and so does the person."""
    error = ErrorFrame(error="no quota", processor=service())
    assert tapped(LLMFullResponseStartFrame(), error) == "listening"
    other = ErrorFrame(error="no quota", processor=Watcher())
    assert tapped(LLMFullResponseStartFrame(), other) == "thinking"
