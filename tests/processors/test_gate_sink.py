"""GateSink in whole pipelines: every clause of the mouth, in virtual time."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from loguru import logger
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    DataFrame,
    EndFrame,
    ErrorFrame,
    Frame,
    FunctionCallFromLLM,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMMessagesAppendFrame,
    LLMTextFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    ServiceMetadataFrame,
    SystemFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSTextFrame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.tts_service import TextAggregationMode
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.turns.user_turn_strategies import (
    EagerUserTurnStrategies,
    ExternalUserTurnStrategies,
)
from support.bot import Answers, Bot, Step, final, heard
from support.sound import chunks, noise, pcm, voice

from jev_turn.errors import ConfigError
from jev_turn.play.cast import CaseModel, CaseVoice
from jev_turn.play.clock import run
from jev_turn.policy import load_policy
from jev_turn.processors._lag import Lag
from jev_turn.processors._said import SaidSince
from jev_turn.processors.frames import MicStalledFrame, ToolsHeldFrame
from jev_turn.processors.gate_sink import GateSink
from jev_turn.processors.mic_gate import MicGate
from jev_turn.processors.reply_list import ReplyList
from jev_turn.processors.snr_gate import SnrGate
from jev_turn.record import CallRecord
from jev_turn.replies.events import ReplyHeld, ReplyOpened, ReplyUnspoken

pytestmark = pytest.mark.pipecat_1_13

REPLY = "An index is a copy."
REPLY_S = 1.5
DOWN = FrameDirection.DOWNSTREAM


def near(value: float, abs: float = 2e-3) -> Any:
    """Return something equal to whatever differs from ``value`` by no more than ``abs``."""
    return pytest.approx(value, abs=abs)


# --- a bot that answers when the script says so -------------------------------------------------


def sound(at: float, until: float) -> list[Step]:
    """Return what a voice detector says of somebody who speaks from ``at`` until ``until``."""
    return [
        (at + 0.11, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (until + 0.2, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
    ]


def taken(at: float, text: str) -> list[Step]:
    """Return a turn that somebody else finds finished at ``at``; the model runs at once."""
    return [
        (at, ProposedUserStartedSpeakingFrame()),
        (at, final(text)),
        (at, ProposedUserStoppedSpeakingFrame()),
    ]


QUESTION = [*sound(0.5, 1.0), *taken(1.3, "what is an index")]
LATE = [*sound(0.5, 1.0), (1.2, heard("what is an index")), *taken(5.5, "what is an index")]
QUIET = 1.0
"""Since when the person is quiet."""
ASKED = QUIET + 1.0
VERDICT = ASKED + 0.1


def yes(*_: str) -> float:
    """Find everything finished."""
    return 0.9


def no(*_: str) -> float:
    """Find nothing finished."""
    return 0.1


@dataclass
class Call:
    """A call through GateSink, and what it left."""

    bot: Bot
    judge: Answers
    gate: GateSink
    events: list[Any]
    played: list[float] = field(default_factory=list)

    @property
    def first(self) -> float | None:
        """When the first audio was played."""
        return self.played[0] if self.played else None

    @property
    def answers(self) -> list[str]:
        """What the bot said, as the context has it."""
        return [str(m.get("content")) for m in self.bot.context.messages
                if isinstance(m, dict) and m["role"] == "assistant"]  # fmt: skip

    @property
    def outcomes(self) -> list[type[Any]]:
        """What the hook was told."""
        return [type(event) for event in self.events]


def call(
    steps: Sequence[Step],
    answer: Callable[[str, str], Any] = yes,
    lasts: float = 5.0,
    *,
    behind: str = "voice",
    latency_s: float = 0.1,
    tools: bool = False,
    sets: Sequence[str] = (),
    fails: bool = False,
    gate: dict[str, Any] | None = None,
    list_: FrameProcessor | None = None,
    wrap: Callable[[GateSink], Sequence[FrameProcessor]] = lambda gate: [gate],
    **more: Any,
) -> Call:
    """Run a call in which turns are taken by the script."""
    more.setdefault("reply", lambda _: REPLY)
    more.setdefault("voice", CaseVoice({REPLY: REPLY_S}))
    more.setdefault("params", LLMUserAggregatorParams(
        user_turn_strategies=ExternalUserTurnStrategies(enable_interruptions=False)))  # fmt: skip
    played: list[float] = []

    async def main() -> Call:
        judge, events = Answers(answer, latency_s), []  # type: ignore[var-annotated]
        bot = Bot(steps, list_, lasts, **more)
        if tools:
            bot.model = bot.model or Caller()
        llm = bot.model if tools else None
        sink = GateSink(judge, policy=load_policy(sets=list(sets)), llm=llm,
                        **{"on_event": events.append, **(gate or {})})  # fmt: skip
        setattr(bot, f"behind_{behind}", wrap(sink))
        bot.on_audio = lambda at, _: played.append(at - bot.began)
        await bot.run()
        errors = [frame.error for _, frame, _ in bot.seen if isinstance(frame, ErrorFrame)]
        assert bool(errors) is fails, errors
        return Call(bot, judge, sink, events, played)

    return run(main())


class Caller(CaseModel):
    """Calls a tool in its first run, with or without words before it."""

    def __init__(self, words: str = "", *, calls: int = 1, slow_s: float = 0.0) -> None:
        super().__init__()
        self.ran: list[float] = []
        self._words, self._calls, self._slow_s = words, calls, slow_s
        self.register_function("find", self._find)

    async def _find(self, params: Any) -> None:
        self.ran.append(asyncio.get_running_loop().time())
        await params.result_callback({"found": 1})

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        from pipecat.frames.frames import LLMContextFrame

        if not isinstance(frame, LLMContextFrame):
            await super().process_frame(frame, direction)
            return
        await FrameProcessor.process_frame(self, frame, direction)
        self.runs.append(list(frame.context.messages))
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            last = len(self.ran) == self._calls
            for word in (REPLY if last else self._words).split():
                await self.push_frame(LLMTextFrame(f"{word} "))
            if not last:
                await asyncio.sleep(self._slow_s)
                number = str(len(self.runs))
                await self.run_function_calls(
                    [FunctionCallFromLLM("find", number, {}, frame.context)]
                )
        finally:
            await self.push_frame(LLMFullResponseEndFrame())


@functools.cache
def question() -> Call:
    """Run a call in which one question is asked and found finished."""
    return call(QUESTION)


@functools.cache
def tool() -> Call:
    """Run a call in which the model answers it by means of a tool."""
    return call(QUESTION, tools=True)


# --- the bands ----------------------------------------------------------------------------------


def test_the_first_chunk_goes_in_the_ms_of_the_verdict() -> None:
    """The reply is ready and waits for nothing but the verdict."""
    one = question()
    assert one.first == near(VERDICT)
    assert (one.answers, one.outcomes) == ([REPLY], [ReplyHeld, ReplyOpened])


@pytest.mark.parametrize(
    ("answer", "asks", "opens"),
    [
        (no, 3, QUIET + 4.0),
        (lambda *_: TimeoutError("late"), 3, QUIET + 4.0),
    ],
)
def test_each_band_of_quiet_has_its_rule(answer: Any, asks: int, opens: float) -> None:
    """Under 1 s nobody is asked, then once a second, and from 4 s on the mouth opens by itself."""
    one = call(QUESTION, answer, 7.0)
    assert (len(one.judge.asked), one.first) == (asks, near(opens))


def test_a_person_who_has_been_quiet_for_long_is_answered_at_once() -> None:
    """Nobody is asked: they wait for the answer."""
    one = call(LATE, no, 8.0)
    assert one.judge.asked == []
    assert one.first == near(5.5 + 0.2 + 0.05, abs=0.15)


def test_the_judge_sees_the_words_since_the_last_reply() -> None:
    """Its own line as the agent's last one, no unheard reply, and the words as the last field."""
    steps = [*QUESTION, *sound(5.0, 6.0), *taken(6.2, "and a key")]
    one = call(steps, lasts=10.0)
    first, second = one.judge.asked
    assert first["current_user_transcript"] == "what is an index"
    assert first["conversation_history"] == []
    assert second["current_user_transcript"] == "and a key"
    assert second["assistant_last_message"] == REPLY
    assert [m["role"] for m in second["conversation_history"]] == ["user", "assistant"]


def test_the_next_turn_is_held_anew() -> None:
    """The mouth that opened for one turn is closed for the next."""
    steps = [*QUESTION, *sound(5.0, 6.0), *taken(6.2, "and a key")]
    one = call(steps, lasts=10.0)
    second = next(at for at in one.played if at > 5)
    assert second == near(6.0 + 1.1)
    assert one.outcomes == [ReplyHeld, ReplyOpened] * 2


# --- a verdict that no longer counts ------------------------------------------------------------


@pytest.mark.parametrize("what", [heard("and"), VADUserStartedSpeakingFrame(start_secs=0.11)])
def test_a_late_verdict_is_discarded(what: Frame) -> None:
    """A word or a sound after the question makes its answer worthless."""
    one = call([*QUESTION, (ASKED + 0.05, what)], lasts=3.0)
    assert one.judge.asked != []
    assert one.first is None


def test_speech_that_goes_on_before_the_first_audio_holds_again() -> None:
    """The mouth opened for a model that was slow, and the person has gone on meanwhile."""
    steps = [*QUESTION, *sound(2.5, 5.0)]
    one = call(steps, lasts=9.0, ttft_s=3.0)
    assert one.outcomes == [ReplyHeld, ReplyOpened, ReplyHeld, ReplyOpened]
    assert one.first == near(5.0 + 1.0 + 0.1)


def test_a_held_reply_outlives_resumed_speech() -> None:
    """Holding on is the rule: the words wait elsewhere, and the reply is heard in the end."""
    one = call([*QUESTION, *sound(1.6, 3.0), (2.5, heard("and a key"))], lasts=7.0)
    assert one.first == near(3.0 + 1.0 + 0.1)
    assert one.answers == [REPLY]


def test_a_held_reply_is_withdrawn_if_so_chosen() -> None:
    """The reply to half a question leaves no trace when the other half comes."""
    steps = [*QUESTION, *sound(1.6, 3.0), (1.9, heard("and a key")), *taken(3.5, "and a key")]
    one = call(steps, lasts=7.0, gate={"on_resume": "withdraw"})
    assert one.outcomes == [ReplyHeld, ReplyUnspoken, ReplyHeld, ReplyOpened]
    assert one.answers == [REPLY]
    assert one.first == near(3.0 + 1.0 + 0.1, abs=0.6)


def test_a_mute_is_no_quiet() -> None:
    """The quiet clock begins anew when the microphone is live, or the mouth would be wide open."""
    muted: list[Step] = [(1.2, UserMuteStartedFrame()), (3.0, UserMuteStoppedFrame())]
    one = call([*QUESTION, *muted], lasts=7.0)
    assert one.first == near(3.0 + 1.0 + 0.1)


def again() -> Frame:
    """Return the application's wish for another reply."""
    return LLMMessagesAppendFrame([{"role": "developer", "content": "go on"}], run_llm=True)


# --- the ceiling --------------------------------------------------------------------------------


CEILING = "mouth.ceiling_ms=3000"
GOES_ON: list[Step] = [
    *QUESTION,
    *sound(1.4, 5.6),
    *[(1.5 + n / 2, heard(" ".join(["more"] * n))) for n in range(1, 9)],
]
"""Somebody who has only taken a breath."""


def test_a_person_who_never_stops_is_not_spoken_over() -> None:
    """At the ceiling the reply is given up, with its text for whoever keeps it."""
    one = call(GOES_ON, lasts=6.0, sets=[CEILING])
    assert (one.played, one.answers) == ([], [])
    assert one.outcomes == [ReplyHeld, ReplyUnspoken]
    assert one.events[1].answer == REPLY
    assert one.events[1].at == near(4300, abs=2)


def test_what_follows_a_reply_that_was_given_up_is_swallowed() -> None:
    """The rest of a long reply is no reply of its own, nor is a second one to the same turn."""
    story = " ".join(["word"] * 60)
    replies = iter([story, "Still there?", REPLY])
    one = call([*GOES_ON, (5.0, again()), *taken(5.9, "that is all")], lasts=9.0,
               sets=["mouth.ceiling_ms=1000"], reply=lambda _: next(replies))  # fmt: skip
    assert one.first == near(5.6 + 1.1)
    assert one.answers == [REPLY]


def test_a_dead_microphone_does_not_hold_a_reply_for_ever() -> None:
    """At the ceiling the reply is heard by somebody of whom nothing is known."""
    one = call([*QUESTION, (1.2, MicStalledFrame(stalled=True))], lasts=6.0, sets=[CEILING])
    assert one.first == near(1.3 + 3.0)


def test_a_room_that_is_never_quiet_hears_the_reply() -> None:
    """Without a new word for long the person counts as quiet, however loud the room is."""
    steps: list[Step] = [(0.6, VADUserStartedSpeakingFrame(start_secs=0.11)),
                         *taken(1.3, "what is an index")]  # fmt: skip
    one = call(steps, lasts=8.0, sets=["mouth.ceiling_ms=5500"])
    assert one.first == near(1.3 + 5.5)
    assert one.answers == [REPLY]


# --- the stream ---------------------------------------------------------------------------------


class Order(FrameProcessor):
    """Keeps what a reply consists of, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[tuple[float, Frame]] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if direction is DOWN and not isinstance(frame, SystemFrame):
            self.frames.append((asyncio.get_running_loop().time(), frame))
        await self.push_frame(frame, direction)


def test_a_stream_that_ended_before_the_mouth_opened_is_delivered_whole_and_in_order() -> None:
    """What was held comes out as it came in."""
    before, behind = Order(), Order()
    one = call(QUESTION, wrap=lambda gate: [before, gate, behind])
    ours = [frame for _, frame in before.frames]
    assert [id(frame) for _, frame in behind.frames] == [id(frame) for frame in ours]
    ended = next(at for at, f in before.frames if isinstance(f, LLMFullResponseEndFrame))
    assert one.played and ended - before.frames[0][0] < VERDICT - 1.3


def test_an_open_mouth_is_transparent() -> None:
    """The second sentence of a slow model passes without a question."""
    one = call(QUESTION, lasts=9.0, reply=lambda _: "One. " * 40, voice=CaseVoice({"One.": 0.1}))
    assert len(one.judge.asked) == 1
    assert one.answers == [" ".join(["One."] * 40)]


def test_an_empty_reply_ends_the_hold() -> None:
    """There is nothing to hold, and the end of the run is no secret."""
    behind = Order()
    steps = [*QUESTION, *sound(2.5, 3.0), *taken(3.2, "and a key")]
    replies = iter(["", REPLY])
    one = call(steps, lasts=6.0, reply=lambda _: next(replies), wrap=lambda gate: [gate, behind])
    ends = [at - one.bot.began for at, f in behind.frames
            if isinstance(f, LLMFullResponseEndFrame)]  # fmt: skip
    assert ends == [near(1.3 + 0.2), near(4.1)]
    assert one.answers == [REPLY]


class Left(BaseObserver):
    """Keeps when words leave the output transport."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(name="Left")
        self._bot = bot
        self.words: list[tuple[float, str]] = []

    async def on_push_frame(self, data: FramePushed) -> None:
        sent = isinstance(data.source, BaseOutputTransport) and data.direction is DOWN
        if sent and isinstance(data.frame, TTSTextFrame):
            now = asyncio.get_running_loop().time() - self._bot.began
            self.words.append((now, data.frame.text))


def words_of(steps: Sequence[Step], sentences: str, lasts: float) -> list[tuple[float, str]]:
    """Return each word with the time since the first audio at which it left."""
    found: list[Left] = []

    async def watch(bot: Bot) -> None:
        assert bot.worker is not None
        found.append(Left(bot))
        bot.worker.add_observer(found[0])

    one = call([(0.1, watch), *steps], lasts=lasts, reply=lambda _: sentences, voice=CaseVoice())
    assert one.first is not None
    return [(round(at - one.first, 2), word) for at, word in found[0].words]


def test_timed_words_stay_in_step_with_held_audio() -> None:
    """Each word leaves as long after the first audio as it does without a hold."""
    held = words_of(QUESTION, "One two. Three four.", 6.0)
    assert [word for _, word in held] == ["One", "two.", "Three", "four."]
    assert held == words_of(LATE, "One two. Three four.", 8.5)


# --- what is not a reply ------------------------------------------------------------------------


@dataclass
class AppFrame(DataFrame):
    """Something of the application's."""

    number: int = 0


def test_frames_of_others_pass_at_once_and_in_order() -> None:
    """Only a reply waits; whatever else comes meanwhile has nothing to do with it."""
    behind = Order()
    steps = [*QUESTION, *[(1.9, AppFrame(number=number)) for number in (1, 2, 3)]]
    one = call(steps, wrap=lambda gate: [gate, behind])
    came = [(at, f) for at, f in behind.frames if isinstance(f, AppFrame)]
    assert [f.number for _, f in came] == [1, 2, 3]
    assert one.first == near(VERDICT)
    assert came[-1][0] - one.bot.began == near(1.9)


def test_speech_that_the_application_asks_for_is_never_held() -> None:
    """It is heard at once, in front of the reply that waits."""
    steps = [*QUESTION, (1.6, TTSSpeakFrame("One moment."))]
    one = call(steps, lasts=6.0)
    assert one.first == near(1.6 + 0.05 + 0.05)
    assert VERDICT == near(min(at for at in one.played if at > 2.2), abs=0.2)
    assert [REPLY in answer for answer in one.answers].count(True) == 1


async def say(bot: Bot) -> None:
    """Have something said as a tool does, past the model."""
    assert bot.model is not None
    await bot.model.push_frame(TTSSpeakFrame("Hm."))


@pytest.mark.parametrize("mode", TextAggregationMode)
@pytest.mark.parametrize("at", [1.4, 1.75])
def test_speech_of_the_application_in_the_middle_of_a_reply_is_not_held(
    at: float, mode: Any
) -> None:
    """A tool says something while the model writes on; the voice makes a context of its own."""
    steps = [*QUESTION, (at, say)]
    reply = "First sentence. " + "And some more words. " * 3
    made = CaseVoice({"Hm.": 0.1}, latency_s=0.01, text_aggregation_mode=mode)
    one = call(steps, lasts=9.0, reply=lambda _: reply, voice=made)
    assert one.first is not None and at < one.first < VERDICT - 0.1
    early = [at for at in one.played if at < VERDICT - 0.01]
    assert len(early) == 1


def test_speech_that_was_cut_off_leaves_the_next_reply_held() -> None:
    """Contexts that come up later are not the application's, though its own never ended."""
    steps = [*QUESTION, (1.4, say), (1.42, InterruptionFrame()),
             *sound(2.5, 3.0), *taken(3.2, "and a key")]  # fmt: skip
    one = call(steps, lasts=6.0)
    assert one.first == near(3.0 + 1.1)


def test_sound_that_belongs_to_no_reply_is_not_held() -> None:
    """A jingle of the application's is none of the model's responses."""
    jingle = TTSAudioRawFrame(b"\x10\x10" * 1600, 16000, 1)
    one = call([*QUESTION, (1.9, jingle)])
    assert one.first == near(1.9)


def test_a_run_before_any_turn_is_not_held() -> None:
    """A greeting that the model writes answers nobody, and nobody has to be quiet for it."""
    greet = LLMMessagesAppendFrame([{"role": "developer", "content": "greet"}], run_llm=True)
    one = call([(0.5, greet)], no, 3.0)
    assert one.first == near(0.75, abs=0.15)
    assert one.outcomes == []


def test_a_run_that_the_application_asks_for_after_the_answer_is_not_held() -> None:
    """The person's turn has been answered; the application may speak up."""
    one = call([*QUESTION, (4.5, again())], lasts=7.0)
    assert len(one.answers) == 2
    assert len(one.judge.asked) == 1


# --- tools --------------------------------------------------------------------------------------


def test_tools_wait_with_the_words_and_their_reply_is_not_gated_again() -> None:
    """The tool runs when the mouth opens, and what it leads to is the same turn's reply."""
    one = tool()
    model: Any = one.bot.model
    assert [at - one.bot.began for at in model.ran] == [near(VERDICT)]
    assert one.first == near(VERDICT + 0.05, abs=0.15)
    assert one.answers[-1] == REPLY
    assert len(one.judge.asked) == 1


def test_words_before_a_tool_wait_with_it() -> None:
    """Words and tool of one reply go together."""
    one = call(QUESTION, tools=True, lasts=7.0, model=Caller("Let me look."))
    model: Any = one.bot.model
    assert one.first == near(VERDICT)
    assert [at - one.bot.began for at in model.ran] == [near(VERDICT)]


def test_whoever_follows_the_run_hears_that_tools_wait() -> None:
    """The model says so in front of the end of its response."""
    one = tool()
    kinds = [type(f) for _, f, _ in one.bot.seen
             if isinstance(f, ToolsHeldFrame | LLMFullResponseEndFrame)]  # fmt: skip
    assert kinds[:2] == [ToolsHeldFrame, LLMFullResponseEndFrame]


def test_tools_of_a_dropped_reply_never_run() -> None:
    """A booking that the person was about to correct is not made."""
    one = call([*QUESTION, (1.8, InterruptionFrame())], tools=True)
    model: Any = one.bot.model
    assert model.ran == []
    assert not any("tool_calls" in m for m in one.bot.context.messages if isinstance(m, dict))


@pytest.mark.parametrize("slow_s", [0.0, 3.5])
def test_tools_of_a_reply_that_was_given_up_never_run(slow_s: float) -> None:
    """Nor do the next turn's, if there are none: they are not kept for it."""
    model = Caller(slow_s=slow_s)
    one = call([*GOES_ON, *taken(7.3, "and a key")], lasts=12.0, sets=[CEILING], tools=True,
               model=model)  # fmt: skip
    assert [at - one.bot.began for at in model.ran] == [near(5.6 + 4.0, abs=2.0)]
    assert len(model.runs) == 3


def test_tools_of_a_follow_up_run_at_once() -> None:
    """The mouth is open for the turn, for whatever the first tool led to."""
    one = call(QUESTION, tools=True, model=Caller(calls=2))
    model: Any = one.bot.model
    assert [at - one.bot.began for at in model.ran] == [near(VERDICT)] * 2


def test_tools_of_a_run_before_any_turn_run_at_once() -> None:
    """The application asked for that run."""
    greet = LLMMessagesAppendFrame([{"role": "developer", "content": "greet"}], run_llm=True)
    one = call([(0.5, greet)], tools=True, lasts=3.0)
    model: Any = one.bot.model
    assert [at - one.bot.began for at in model.ran] == [near(0.5)]


def test_the_next_turns_tools_run() -> None:
    """What was dropped with one reply does not take the next one's tools along."""
    steps = [*QUESTION, (1.8, InterruptionFrame()), *sound(2.5, 3.0), *taken(3.3, "and a key")]
    one = call(steps, tools=True, lasts=8.0)
    model: Any = one.bot.model
    assert [at - one.bot.began for at in model.ran] == [near(3.0 + 1.1)]


def test_without_the_model_tools_do_not_wait_and_it_is_said() -> None:
    """Tools run inside the model: nothing behind it can hold them."""
    model = Caller("Let me look.")
    lines: list[str] = []
    sink = logger.add(lambda message: lines.append(str(message)), level="WARNING")
    try:
        call(QUESTION, model=model)
    finally:
        logger.remove(sink)
    assert len(model.ran) == 1
    assert any("GateSink(llm=...)" in line for line in lines)


def test_only_a_models_tools_can_be_held() -> None:
    """Another kind of processor is refused, with what to do instead."""
    with pytest.raises(ConfigError, match="only an LLMService"):
        GateSink(Answers(yes), llm=Order())  # type: ignore[arg-type]


def test_the_model_gets_its_tools_back() -> None:
    """A model that is used again after the call runs its tools at once."""
    one = tool()
    assert "run_function_calls" not in vars(one.bot.model)


# --- what ends a hold ---------------------------------------------------------------------------


def test_an_interruption_drops_the_held_reply() -> None:
    """Nothing of it is heard, and nothing of it is in the context."""
    one = call([*QUESTION, (1.9, InterruptionFrame())])
    assert (one.played, one.answers) == ([], [])
    assert one.gate.mouth.phase == "idle"


def test_an_interruption_leaves_what_must_not_be_interrupted() -> None:
    """Its frames stay held, for a reply that was marked so."""

    class Marked(CaseModel):
        async def push_frame(self, frame: Frame, direction: FrameDirection = DOWN) -> None:
            frame.interruptible = isinstance(frame, SystemFrame)
            await super().push_frame(frame, direction)

    steps = [*QUESTION, (1.9, InterruptionFrame())]
    one = call(steps, model=Marked(lambda _: REPLY), behind="model")
    assert one.first == near(VERDICT + 0.05, abs=0.05)
    assert one.answers == [REPLY]


@pytest.mark.parametrize("behind", ["voice", "model"])
def test_the_end_of_the_call_drops_the_held_reply_and_is_not_held_itself(behind: str) -> None:
    """A call that is over waits for nobody."""
    one = call(QUESTION, lasts=1.9, behind=behind)
    assert (one.played, one.answers) == ([], [])
    ended = [at for at, f, _ in one.bot.seen if isinstance(f, EndFrame)]
    assert ended[-1] < VERDICT
    assert one.gate.mouth.phase == "idle"


def test_a_cancelled_call_drops_the_held_reply() -> None:
    """Nothing is left waiting, and nothing is heard."""

    async def cancel(bot: Bot) -> None:
        assert bot.worker is not None
        await bot.worker.cancel()

    one = call([*QUESTION, (1.9, cancel)])
    assert (one.played, one.answers) == ([], [])
    assert one.gate.mouth.phase == "idle"


# --- where it stands ----------------------------------------------------------------------------


def test_behind_the_model_the_text_waits() -> None:
    """The same verdict lets the words out; the voice begins only then."""
    one = call(QUESTION, behind="model")
    assert one.first == near(VERDICT + 0.05, abs=0.05)
    assert one.answers == [REPLY]


def test_behind_the_model_speech_of_the_application_is_not_held() -> None:
    """It never was the model's."""
    one = call([*QUESTION, (1.6, TTSSpeakFrame("One moment."))], behind="model", lasts=6.0)
    assert one.first == near(1.6 + 0.05)


def test_a_reply_that_is_not_to_be_heard_is_not_held() -> None:
    """Text for a display needs nobody's silence."""

    class Silent(CaseModel):
        async def push_frame(self, frame: Frame, direction: FrameDirection = DOWN) -> None:
            if hasattr(frame, "skip_tts"):
                frame.skip_tts = True
            await super().push_frame(frame, direction)

    one = call(QUESTION, model=Silent(lambda _: REPLY), lasts=3.0)
    assert (one.played, one.outcomes, one.answers) == ([], [], [REPLY])


def refused(**more: Any) -> tuple[Call, list[ErrorFrame]]:
    """Run a call in a bot whose aggregator speculates."""
    one = call([*QUESTION], lasts=4.0, fails=True, **more)
    return one, [f for _, f, _ in one.bot.seen if isinstance(f, ErrorFrame)]


def test_it_refuses_to_stand_beside_speculation() -> None:
    """Two gates on one reply would answer turns that nobody has taken; the replies still pass."""
    eager = LLMUserAggregatorParams(user_turn_strategies=EagerUserTurnStrategies())
    one, errors = refused(params=eager)
    assert isinstance(errors[0].exception, ConfigError)
    assert "EagerUserTurnStrategies" in errors[0].error
    assert one.first is not None and one.first < VERDICT - 0.1


def test_it_refuses_speculation_that_a_recogniser_brings_along() -> None:
    """Strategies that are advertised later are seen when they come into force."""
    advert = ServiceMetadataFrame(
        service_name="stt", user_turn_strategies=EagerUserTurnStrategies()
    )
    one = call([(0.2, advert), *QUESTION], params=LLMUserAggregatorParams(), lasts=4.0,
               fails=True)  # fmt: skip
    errors = [f for _, f, _ in one.bot.seen if isinstance(f, ErrorFrame)]
    assert isinstance(errors[0].exception, ConfigError)
    assert one.first is not None and one.first < VERDICT - 0.1


def test_alone_in_a_plain_bot_it_holds_a_reply_that_came_too_early() -> None:
    """Pipecat's default end of turn starts the model; the mouth opens when the judge says so."""
    room = noise(300, 0.0005)
    speech = chunks(pcm(room, voice(400), *[room] * 12), 20)
    heard_at: list[Step] = [(0.9, final("what is an index"))]
    one = call(heard_at, lasts=4.0, params=None, before=[SnrGate()], sound=speech)
    assert one.bot.said == ["what is an index"]
    assert one.first == near(0.7 + 1.0 + 0.1, abs=0.05)
    assert (one.answers, one.outcomes) == ([REPLY], [ReplyHeld, ReplyOpened])


def test_the_gate_opens_then_the_mute_begins_then_the_first_audio_leaves() -> None:
    """While the reply is held the microphone is live, or nobody could go on speaking."""
    mic = MicGate()
    live: list[tuple[str, bool]] = []
    gate = {"on_event": lambda event: live.append((type(event).__name__, mic.muted))}
    one = call(QUESTION, gate=gate, before=[mic], sound=[b"\x01\x00" * 320] * 250)
    assert live == [("ReplyHeld", False), ("ReplyOpened", False)]
    starts = one.bot.times(UserMuteStartedFrame)
    assert starts == [near(VERDICT)]
    kinds = [type(f) for _, f, way in one.bot.seen if way is DOWN
             and isinstance(f, UserMuteStartedFrame | BotStartedSpeakingFrame)]  # fmt: skip
    assert kinds == [UserMuteStartedFrame, BotStartedSpeakingFrame]


# --- hooks and record ---------------------------------------------------------------------------


def test_what_must_come_before_the_first_audio_is_waited_for() -> None:
    """A list stores that the turn was heard before anybody can hear it."""
    done: list[float] = []

    async def store() -> None:
        await asyncio.sleep(0.03)
        done.append(asyncio.get_running_loop().time())

    one = call(QUESTION, gate={"before_audio": store})
    assert [at - one.bot.began for at in done] == [near(VERDICT + 0.03)]
    assert one.first == near(VERDICT + 0.03)


def test_what_comes_meanwhile_waits_in_order_and_the_hook_is_called_once() -> None:
    """A reply that streams on does not overtake its own beginning."""
    called: list[None] = []

    async def store() -> None:
        called.append(None)
        await asyncio.sleep(0.5)

    before, behind = Order(), Order()
    one = call(QUESTION, lasts=9.0, gate={"before_audio": store}, voice=CaseVoice({"One.": 0.1}),
               reply=lambda _: "One. " * 60, wrap=lambda gate: [before, gate, behind])  # fmt: skip
    assert [id(frame) for _, frame in behind.frames] == [id(frame) for _, frame in before.frames]
    assert (one.first, len(called)) == (near(VERDICT + 0.5), 1)


def test_an_interruption_while_the_hook_works_drops_the_reply() -> None:
    """Nothing was heard, and nothing will be."""

    async def store() -> None:
        await asyncio.sleep(0.5)

    one = call([*QUESTION, (VERDICT + 0.2, InterruptionFrame())], gate={"before_audio": store})
    assert (one.played, one.answers) == ([], [])


def test_a_hook_that_fails_does_not_silence_the_bot() -> None:
    """The error is reported, and the reply is heard."""

    async def fail() -> None:
        raise OSError("disk full")

    one = call(QUESTION, gate={"before_audio": fail}, fails=True)
    assert one.first == near(VERDICT)


def test_a_hook_that_hangs_has_a_ceiling() -> None:
    """Nothing is held without an owner that ends it."""

    async def hang() -> None:
        await asyncio.sleep(60)

    one = call(QUESTION, lasts=7.0, gate={"before_audio": hang}, sets=[CEILING], fails=True)
    assert one.first == near(VERDICT + 3.0)


def test_a_follow_up_reply_is_announced_too() -> None:
    """A tool's reply is the turn's first audio when the tool came without words."""
    heard_at: list[float] = []

    async def store() -> None:
        heard_at.append(asyncio.get_running_loop().time())

    one = call(QUESTION, tools=True, lasts=6.0, gate={"before_audio": store})
    assert [at - one.bot.began for at in heard_at] == [near(one.first or 0.0, abs=0.01)]


def test_every_decision_is_recorded_with_quiet_band_and_score() -> None:
    """Why the bot waited, and why it spoke, can be read afterwards."""
    record = CallRecord(None, words=True)
    call(QUESTION, no, 7.0, gate={"record": record})
    lines = [r for r in record.records if r["kind"] == "effect"]
    got = [(r["name"], r["why"], r["numbers"].get("quiet_ms"), r["numbers"].get("score"))
           for r in lines if r["name"] in ("Hold", "Open")]  # fmt: skip
    assert got == [
        ("Hold", "short", near(300, abs=2), None),
        ("Hold", "unfinished", near(1100, abs=2), 0.1),
        ("Hold", "unfinished", near(2100, abs=2), 0.1),
        ("Hold", "unfinished", near(3100, abs=2), 0.1),
        ("Open", "quiet", near(4000, abs=2), None),
    ]
    verdict = next(r for r in record.records if r["kind"] == "verdict")
    assert verdict["thresholds"] == {"turn_finished": 0.6}
    assert verdict["bundle"] == "mouth"


# --- beside ReplyList ---------------------------------------------------------------------------


def test_behind_reply_list_the_words_count_once() -> None:
    """What the list hands to the aggregator was said already; only the recogniser is listened to."""
    replies = ReplyList(Answers(yes_but_no_floor), persist=False)
    steps = [*sound(0.5, 1.5), (1.2, heard("what is")), (1.7, final("what is an index"))]
    one = call(steps, lasts=6.0, params=None, list_=replies,
               gate={"on_event": replies.mouth, "before_audio": replies.spoke})  # fmt: skip
    assert [state["current_user_transcript"] for state in one.judge.asked] == ["what is an index"]
    assert one.first == near(1.5 + 1.1, abs=0.5)
    assert one.answers == [REPLY]


def yes_but_no_floor(question: str, _: str) -> float:
    """Find everything finished and enough, and no floor held."""
    return 0.0 if question == "holding_floor" else 0.9


INVENTED = "thank you very much for watching this"


def beside_list(
    steps: Sequence[Step],
    answer: Callable[[str, str], float],
    lasts: float = 9.0,
    *,
    sets: Sequence[str] = (),
) -> tuple[Call, list[str]]:
    """Run a call behind ReplyList; return it, and what the mouth's judge was asked about."""
    policy = load_policy(sets=list(sets))
    replies = ReplyList(Answers(answer), policy=policy, persist=False)
    gate = {"on_event": replies.mouth, "before_audio": replies.spoke}
    one = call(steps, answer, lasts, params=None, list_=replies, gate=gate)
    return one, [state["current_user_transcript"] for state in one.judge.asked]


def only(*enough: str, holding: float = 0.0) -> Callable[[str, str], float]:
    """Find these words worth an answer, and everything finished that ends in such words."""

    def answer(question: str, words: str) -> float:
        if question == "holding_floor":
            return holding
        found = words.endswith(enough) if question == "turn_finished" else words in enough
        return 0.9 if found else 0.1

    return answer


def test_an_invented_sentence_is_not_asked_about() -> None:
    """The list drops it by its rate; a judge that reads it waits for the end of what nobody says."""
    steps = [*sound(0.5, 1.5), (1.7, final("what is an index")), *sound(1.9, 2.1),
             (2.3, heard(INVENTED)), (2.5, final(INVENTED))]  # fmt: skip
    one, asked = beside_list(steps, only("what is an index"))
    assert asked == ["what is an index"]
    assert one.first == near(2.1 + 1.0 + 0.1, abs=0.1)


MUTTERED = [*sound(0.5, 1.5), (1.7, final("I wanted to ask"))]
"""Dropped after three looks, at 4.7 s."""
ASKED_NEXT = [*sound(6.0, 7.0), (7.2, final("what is an index"))]


def test_words_dropped_by_strikes_are_not_asked_about() -> None:
    """They will never be answered, so that the reply need not wait for their end."""
    steps = [*MUTTERED, *ASKED_NEXT]
    _, asked = beside_list(steps, only("what is an index"), 12.0, sets=["replies.rejoin_ms=0"])
    assert asked == ["what is an index"]


def test_dropped_words_that_come_back_are_asked_about() -> None:
    """The list answers them with the new ones, and the judge reads the whole sentence."""
    whole = "I wanted to ask what is an index"
    one, asked = beside_list([*MUTTERED, *ASKED_NEXT], only(whole), 12.0)
    assert asked == [whole]
    assert one.answers == [REPLY]


def test_when_all_words_since_the_last_reply_are_dropped_nobody_is_asked() -> None:
    """The second reply answers what was said over the first; behind that nobody said a word."""
    over = [*sound(2.7, 3.5), (3.2, final("and a key"))]
    invented = [*sound(5.2, 5.4), (5.5, final(INVENTED))]
    steps = [*sound(0.5, 1.5), (1.7, final("what is an index")), *over, *invented]
    one, asked = beside_list(steps, only("what is an index", "and a key"), 12.0)
    assert asked == ["what is an index", "what is an index and a key"]
    assert one.answers == [REPLY, REPLY]


# --- the parts ----------------------------------------------------------------------------------


def said_since() -> tuple[SaidSince, list[str]]:
    """Return one, and everything that it tells."""
    told: list[str] = []
    return SaidSince(0.8, lambda: 0, told.append), told


def test_the_final_of_an_answered_interim_is_no_news() -> None:
    """A reply to the interim was let out; its final repeats it, and what follows counts."""
    since, told = said_since()
    since.hear(heard("what is an index"))
    since.restart()
    since.hear(final("What is an index?"))
    since.hear(heard("and a key"))
    assert told[1:] == ["", "", "and a key"]


def test_what_a_final_adds_to_an_answered_interim_is_news() -> None:
    """Only what repeats is cut off."""
    since, told = said_since()
    since.hear(heard("what is an index"))
    since.restart()
    since.hear(heard("what is an index and a key"))
    since.hear(final("What is an index and a key?"))
    assert told[2:] == ["and a key", "and a key?"]


def test_interims_are_replaced_and_finals_kept() -> None:
    """The words since the last reply are whole."""
    since, told = said_since()
    for frame in (heard("what"), final("what is this"), heard("and"), heard("and that")):
        since.hear(frame)
    assert told == ["what", "what is this", "what is this and", "what is this and that"]
    assert since.final is False


def test_speech_behind_held_speech_is_late_by_what_is_left_of_the_hold() -> None:
    """A pause of the voice's own takes up the delay, and nothing is ever early."""
    lag = Lag()
    lag.arrives("a", 1000, 0)
    lag.leaves("a", 1000, 500)
    assert lag.of("a", 600) == 500
    lag.arrives("b", 1000, 1200)
    lag.leaves("b", 1000, 1200)
    assert lag.of("b", 1300) == 300
    lag.arrives("c", 1000, 5000)
    lag.leaves("c", 1000, 5000)
    assert (lag.of("c", 5000), lag.of(None, 5000)) == (0, 0)


def test_speech_that_overtakes_a_held_reply_is_early() -> None:
    """The voice timed its words behind the reply; it is heard in front of it."""
    lag = Lag()
    lag.arrives("reply", 1000, 0)
    lag.arrives("app", 500, 100)
    lag.leaves("app", 500, 100)
    assert lag.of("app", 100) == -900
    lag.leaves("reply", 1000, 400)
    assert lag.of("reply", 400) == 600


def test_a_lag_is_forgotten_with_the_speech() -> None:
    """An interruption drops all audio; the next speech is on time."""
    lag = Lag()
    lag.arrives("a", 1000, 0)
    lag.leaves("a", 1000, 900)
    lag.reset()
    assert (lag.of("a", 1000), lag.of(None, 1000)) == (0, 0)
