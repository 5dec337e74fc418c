"""BargeInClassifier alone, in bots that keep an end of turn of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pipecat.audio.turn.base_turn_analyzer import BaseTurnAnalyzer, BaseTurnParams, EndOfTurnState
from pipecat.frames.frames import (
    BotStoppedSpeakingFrame,
    EagerTranscriptionFrame,
    Frame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    LLMFullResponseStartFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    STTMetadataFrame,
    TTSSpeakFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameDirection
from pipecat.turns.user_mute import BaseUserMuteStrategy
from pipecat.turns.user_start import VADUserTurnStartStrategy
from pipecat.turns.user_stop import (
    BaseUserTurnStopStrategy,
    SpeechTimeoutUserTurnStopStrategy,
    TurnAnalyzerUserTurnStopStrategy,
)
from pipecat.turns.user_turn_strategies import EagerUserTurnStrategies, UserTurnStrategies
from support.bot import Answers, Bot, Step, behind, final, heard, said

from jev_turn.play.cast import CaseVoice
from jev_turn.play.clock import run
from jev_turn.processors._pipecat import UserBackchannelFrame
from jev_turn.processors.barge_in_classifier import BargeInClassifier

STORY = "A story."
STORY_S = 2.5
PAUSE_S = 0.6  # SpeechTimeoutUserTurnStopStrategy's default


def verdict(_: str, words: str) -> float:
    """Take everything but "uh-huh" for an interruption."""
    return 0.03 if words.lower().startswith("uh") else 0.9


def bot(
    steps: Sequence[Step],
    lasts: float = 8.0,
    answer: Callable[[str, str], Any] = verdict,
    stop: Sequence[BaseUserTurnStopStrategy] | None = None,
    metadata: UserTurnStrategies | None = None,
    **more: Any,
) -> Bot:
    """Run a call whose turns end 0.6 s after the sound, or as ``stop`` says."""
    stop = [SpeechTimeoutUserTurnStopStrategy()] if stop is None else stop
    recogniser = STTMetadataFrame(
        service_name="stt", ttfs_p99_latency=0.5, user_turn_strategies=metadata
    )
    judge = BargeInClassifier(Answers(answer), stop=stop)
    voice = CaseVoice({STORY: STORY_S})
    return run(Bot([(0.01, recogniser), *steps], judge, lasts, voice=voice, **more).run())


def finals_only(steps: Sequence[Step]) -> list[Step]:
    """Leave the interims out, as a recogniser of whole segments does."""
    return [step for step in steps if not isinstance(step[1], InterimTranscriptionFrame)]


def sound(begin: float, end: float) -> list[Step]:
    """Voice detection without words."""
    return [
        (begin + 0.11, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (end + 0.2, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
    ]


def turns(call: Bot) -> list[tuple[Any, Any]]:
    """When the aggregator's turns began and ended."""
    begins, ends = call.times(UserStartedSpeakingFrame), call.times(UserStoppedSpeakingFrame)
    return list(zip(begins, ends, strict=True))


def nods(call: Bot) -> list[str]:
    """What became a backchannel."""
    return [f.text for _, f, _ in call.seen if isinstance(f, UserBackchannelFrame)]


# --- while the agent is silent ------------------------------------------------------------------


@pytest.mark.bots
def test_words_in_silence_are_ended_by_the_bots_default_model() -> None:
    """Pipecat's own end of turn stays in force: the judge is not asked, nothing is held."""
    judge = Answers(verdict)
    steps: list[Step] = [(0.01, STTMetadataFrame(service_name="stt", ttfs_p99_latency=0.5))]
    steps += said(1, "what is an index")
    call = run(Bot(steps, BargeInClassifier(judge), 4, sound=[bytes(640)] * 150).run())
    assert (call.said, call.runs, call.interruptions, judge.asked) == (
        ["what is an index"], 1, 0, [],
    )  # fmt: skip
    assert turns(call)[0][0] == pytest.approx(1.11)


@pytest.mark.parametrize("form", [list, finals_only])
def test_words_in_silence_are_ended_by_the_authors_strategy(form: Any) -> None:
    """A turn that a final opens or ends after the sound is closed like any other."""
    call = bot(form(said(1, "what is an index")), 5)
    assert call.said == ["what is an index"]
    assert turns(call) == [(1.11, pytest.approx(2.4 + PAUSE_S))]


class Model(BaseTurnAnalyzer):
    """Finds the first sound unfinished, and each later one finished."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    @property
    def speech_triggered(self) -> bool:
        return False

    @property
    def params(self) -> BaseTurnParams:
        return BaseTurnParams()

    def append_audio(self, buffer: bytes, is_speech: bool) -> EndOfTurnState:
        return EndOfTurnState.INCOMPLETE

    async def analyze_end_of_turn(self) -> tuple[EndOfTurnState, None]:
        self._asked += 1
        return EndOfTurnState.COMPLETE if self._asked > 1 else EndOfTurnState.INCOMPLETE, None

    def clear(self) -> None:
        return


def test_a_model_that_hears_sound_is_not_forgotten_when_its_words_come_late() -> None:
    """The turn opens with the sound: a model's "not finished" counts for a final after it."""
    steps = finals_only(said(1, "I would like") + said(4, "a ticket"))
    call = bot(steps, 8, stop=[TurnAnalyzerUserTurnStopStrategy(turn_analyzer=Model())])
    assert call.said == ["I would like a ticket"]
    assert call.runs == 1


def test_a_recognisers_end_of_turn_is_kept_and_its_start_is_not() -> None:
    """What the recogniser recommends ends turns, but sound over the bot no longer interrupts."""
    own = UserTurnStrategies(
        start=[VADUserTurnStartStrategy()],
        stop=[SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=1.5)],
    )
    steps = sound(1, 1.5) + said(3, "what is an index")
    call = bot(steps, 7, stop=[], metadata=own, greeting=STORY)
    assert call.interruptions == 0
    assert turns(call) == [(3.11, pytest.approx(4.4 + 1.5))]


# --- over the agent -----------------------------------------------------------------------------


def test_a_nod_becomes_a_backchannel_and_the_bot_goes_on() -> None:
    """A nod reaches no context, opens no turn, and the application sees it."""
    call = bot(said(1, "uh-huh"), 4, greeting=STORY)
    assert (call.said, call.interruptions, turns(call), nods(call)) == ([], 0, [], ["uh-huh"])
    assert call.times(BotStoppedSpeakingFrame) == [pytest.approx(STORY_S, abs=0.06)]


def test_wait_stop_stops_the_bot_without_a_verdict() -> None:
    """The first word of a stop phrase interrupts, and all of it is in the context."""
    call = bot(said(1, "wait, stop"), 4, greeting=STORY)
    assert call.times(InterruptionFrame) == [pytest.approx(1.4)]
    assert call.said == ["wait, stop"]


def test_words_that_take_the_floor_open_a_turn_at_the_verdict() -> None:
    """The interim that was judged opens the turn; the bot's own strategy ends it."""
    call = bot(said(1, "tell me about birds"), 5, greeting=STORY)
    assert call.times(InterruptionFrame) == [pytest.approx(1.5)]
    assert turns(call) == [(pytest.approx(1.5), pytest.approx(2.4 + PAUSE_S))]
    assert call.said == ["tell me about birds"]


def test_sound_without_words_stops_nothing() -> None:
    """A cough cuts off no speech, and no reply that is being made."""
    call = bot([*sound(1, 1.5), *said(3, "what is an index"), *sound(5.2, 5.4)], 9,
               greeting=STORY, ttft_s=2.0)  # fmt: skip
    assert call.interruptions == 0
    assert {"role": "assistant", "content": "All right."} in call.context.messages


def test_words_while_it_thinks_withdraw_the_reply() -> None:
    """A reply that nobody has heard is dropped, and both halves are answered by one."""
    call = bot(said(1, "what is an index") + said(3.2, "and a key"), 10, ttft_s=3.0)
    assert call.said == ["what is an index", "and a key"]
    assert call.interruptions == 1
    assert sum(m["role"] == "assistant" for m in call.messages) == 1


def test_three_finals_over_the_bot_are_all_heard() -> None:
    """The interruption that their verdict makes drops none of them."""
    finals: list[Step] = [(1.0, final(text)) for text in ("my name", "is Ann", "and I live here")]
    call = bot([*sound(0.5, 1.1), *finals], 4, greeting=STORY)
    assert call.said == ["my name is Ann and I live here"]
    assert call.interruptions == 1


@pytest.mark.parametrize(("words", "at"), [("it is", STORY_S), ("it is not", 2.0)])
def test_with_the_judge_down_few_words_wait_for_silence_and_three_interrupt(
    words: str, at: float
) -> None:
    """Without a verdict few words wait until the bot is silent, and more stop it; none is lost."""
    steps = finals_only(said(1, words, 0.7))
    call = bot(steps, 8, lambda *_: ValueError("down"), greeting=STORY)
    assert call.said == [words]
    assert turns(call)[0][0] == pytest.approx(at, abs=0.11)


# --- finals that come late ----------------------------------------------------------------------


def test_a_final_behind_the_bots_end_of_turn_is_heard() -> None:
    """More words of the same breath withdraw the reply that was made without them."""
    steps = [*said(1, "what is an index"), (3.2, final("and a key"))]
    call = bot(steps, 9, ttft_s=2.0)
    assert call.said == ["what is an index", "and a key"]


def test_a_final_of_words_that_were_accepted_is_never_judged() -> None:
    """Its interim was said while the bot was silent, so it is no nod over what the bot says now."""
    steps = [*said(1, "what is an index"), (2.5, heard("uh-huh yes")), (4.0, final("uh-huh yes"))]
    call = bot(steps, 7, reply=lambda _: STORY)
    assert call.said == ["what is an index", "uh-huh yes"]
    assert nods(call) == []
    assert call.times(InterruptionFrame) == [pytest.approx(4.0)]


# --- a recogniser with an end of turn of its own ------------------------------------------------


def proposing(at: float, text: str, lasts: float = 0.6) -> list[Step]:
    """Speech as a recogniser tells it that proposes turns and answers eagerly."""
    end = at + lasts
    return [
        (at + 0.2, ProposedUserStartedSpeakingFrame()),
        (end + 0.2, EagerTranscriptionFrame(text=text, user_id="user", timestamp="now")),
        (end + 0.3, final(text)),
        (end + 0.301, ProposedUserStoppedSpeakingFrame()),
    ]


@pytest.mark.parametrize("at", [1.0, 4.0])
def test_a_turn_that_the_recogniser_ended_is_answered_at_the_verdict(at: float) -> None:
    """Its end waits for the verdict with its words: it must not come before them and be missed."""
    call = bot(proposing(at, "tell me about birds"), at + 4, stop=[], greeting=STORY,
               metadata=EagerUserTurnStrategies())  # fmt: skip
    assert call.said == ["tell me about birds"]
    assert call.times(LLMFullResponseStartFrame)[0] <= at + 1.01


def test_a_nod_that_the_recogniser_takes_for_a_turn_is_none() -> None:
    """Neither its proposal nor its eager text reaches the aggregator while the bot speaks."""
    call = bot(proposing(1, "uh-huh"), 6, stop=[], metadata=EagerUserTurnStrategies(),
               greeting=STORY)  # fmt: skip
    assert (turns(call), call.runs, nods(call)) == ([], 0, ["uh-huh"])


# --- mutes --------------------------------------------------------------------------------------


class Muted(BaseUserMuteStrategy):
    """Mutes the user for the first seconds of a call."""

    def __init__(self, seconds: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._seconds = seconds
        self._bot: float | None = None

    async def process_frame(self, frame: Frame) -> bool:
        from asyncio import get_running_loop

        now = get_running_loop().time()
        self._bot = self._bot or now
        return now - self._bot < self._seconds


def test_words_that_a_mute_swallowed_do_not_let_a_nod_through() -> None:
    """A turn that never opened in the aggregator ends when the bot speaks."""
    speak: Step = (2.0, TTSSpeakFrame(STORY))
    params = LLMUserAggregatorParams(user_mute_strategies=[Muted(1.5)])
    call = bot([*said(0.5, "what"), speak, *said(3.0, "uh-huh")], 6, params=params)
    assert (call.said, nods(call), call.interruptions) == ([], ["uh-huh"], 0)


def test_a_muted_user_does_not_stop_the_bot() -> None:
    """While the application mutes the user, words over the bot change nothing."""
    params = LLMUserAggregatorParams(user_mute_strategies=[Muted(3.0)])
    call = bot(said(1, "wait, stop"), 4, params=params, greeting=STORY)
    assert call.interruptions == 0


def test_voice_detection_of_the_aggregator_reaches_the_bots_processors() -> None:
    """A detector behind us serves recognisers in front of us: its frames pass upstream."""

    async def detect(call: Bot) -> None:
        await behind(call).push_frame(
            VADUserStoppedSpeakingFrame(stop_secs=0.2), FrameDirection.UPSTREAM
        )

    passed: list[Frame] = []

    class Ahead(BargeInClassifier):
        async def push_frame(
            self, frame: Frame, direction: Any = FrameDirection.DOWNSTREAM
        ) -> None:
            if direction is FrameDirection.UPSTREAM:
                passed.append(frame)
            await super().push_frame(frame, direction)

    run(Bot([(0.5, detect)], Ahead(Answers(verdict)), 1).run())
    assert any(isinstance(frame, VADUserStoppedSpeakingFrame) for frame in passed)
