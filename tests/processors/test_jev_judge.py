"""JevJudge in whole pipelines: every clause of the pipeline contract, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pipecat.frames.frames import (
    EagerTranscriptionFrame,
    InterruptionFrame,
    LLMFullResponseStartFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    STTMetadataFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.turns.user_mute import BaseUserMuteStrategy
from pipecat.turns.user_turn_strategies import (
    ExternalUserTurnStrategies,
    UserTurnStrategies,
)
from support.bot import Answers, Bot, Step, Unprepared, behind, final, heard, interrupt, said

from jev_turn.play.clock import run
from jev_turn.processors._pipecat import UserBackchannelFrame
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.record import CallRecord

SURE = {"turn_complete": 0.95, "holding_floor": 0.0, "addressed_to_agent": 0.95}
STORY = " ".join(["word"] * 40)


def bot(
    steps: list[Step],
    lasts: float = 10.0,
    answer: Callable[[str, str], Any] | None = None,
    latency_s: float = 0.1,
    **more: Any,
) -> Bot:
    """Run a call with JevJudge."""
    judge = JevJudge(Answers(answer or verdicts(), latency_s))
    return run(Bot(steps, judge, lasts, **more).run())


def verdicts(**by_words: dict[str, float]) -> Callable[[str, str], float]:
    """Answer SURE, a nod not taking the floor, or what is given for words that begin like a key."""

    def answer(question: str, words: str) -> float:
        plain = words.lower().replace(",", "").replace(".", "")
        for start, given in by_words.items():
            if plain.startswith(start.replace("_", " ")):
                return given.get(question, SURE.get(question, 0.9))
        return SURE.get(question, 0.9)

    return answer


INCOMPLETE = {"turn_complete": 0.1}
THINKING = {"turn_complete": 0.1, "holding_floor": 0.9}
ASIDE = {"addressed_to_agent": 0.05}
NOD = {"taking_floor": 0.03}


def test_a_question_is_answered_once_with_default_aggregator_parameters() -> None:
    """A turn becomes one user message, one run and one reply, without settings of the bot's."""
    call = bot(said(1, "what is an index"))
    assert call.said == ["what is an index"]
    assert call.runs == 1
    assert call.interruptions == 0


def test_the_model_starts_in_the_ms_of_the_verdict() -> None:
    """The hand-over costs no time: the model starts when the turn ends, not a tick later."""
    call = bot(said(1, "what is an index"))
    assert (
        call.times(LLMFullResponseStartFrame)[0] == call.times(ProposedUserStoppedSpeakingFrame)[0]
    )


def test_a_thinking_pause_of_seven_seconds_is_one_turn() -> None:
    """The aggregator's five-second watchdog sleeps through a pause of the person's."""
    steps = said(1, "let me think") + said(9, "it was in May")
    call = bot(steps, 16, verdicts(let_me_think_it={}, let_me=THINKING))
    assert call.said == ["let me think it was in May"]
    assert call.runs == 1


def test_a_thinking_pause_after_a_barge_in_is_one_turn() -> None:
    """The same pause after an interruption loses nothing either."""
    steps = said(3, "no let me think") + said(11, "it was in May")
    call = bot(steps, 18, verdicts(no_let_me_think_it={}, no_let=THINKING), greeting=STORY)
    assert call.said == ["no let me think it was in May"]
    assert call.interruptions == 1
    assert call.runs == 1


def test_side_talk_before_the_bot_has_spoken_gets_no_reply() -> None:
    """Words for somebody else reach neither the model nor the context."""
    call = bot(said(1, "hey Mark dinner is ready"), 12, verdicts(hey=ASIDE))
    assert (call.said, call.runs) == ([], 0)


def test_side_talk_while_the_bot_thinks_does_not_cancel_the_reply() -> None:
    """A reply that is being made survives words that are not for the agent."""
    steps = said(1, "what is an index") + said(2.8, "hey Mark")
    call = bot(steps, 14, verdicts(hey=ASIDE), ttft_s=3.0)
    assert call.said == ["what is an index"]
    assert call.interruptions == 0
    assert {"role": "assistant", "content": "All right."} in call.context.messages


def test_more_words_for_the_agent_while_it_thinks_withdraw_the_reply() -> None:
    """A reply that was being made leaves nothing audible, and both halves are answered at once."""
    steps = said(1, "what is an index") + said(2.8, "and a key")
    call = bot(steps, 14, ttft_s=3.0)
    assert call.said == ["what is an index", "and a key"]
    assert call.interruptions == 1
    assert sum(m["role"] == "assistant" for m in call.messages) == 1


def test_three_finals_back_to_back_over_the_bot_are_all_heard() -> None:
    """The interruption that the first one makes drops none of the others."""
    finals: list[Step] = [(3.0, final("stop it")), (3.0, final("my name")), (3.0, final("is Ann"))]
    steps: list[Step] = [
        (2.5, VADUserStartedSpeakingFrame(start_secs=0.11)),
        *finals,
        (3.2, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
    ]
    call = bot(steps, 10, greeting=STORY)
    assert call.said == ["stop it my name is Ann"]
    assert call.interruptions == 1


def test_a_nod_over_the_bot_stays_out_of_the_context() -> None:
    """A backchannel becomes UserBackchannelFrame, once, and the bot goes on."""
    call = bot(said(3, "uh-huh"), 20, verdicts(uh=NOD), greeting=STORY)
    assert (call.said, call.interruptions) == ([], 0)
    assert len(call.times(UserBackchannelFrame)) == 1


def test_stop_interrupts_before_any_verdict() -> None:
    """A stop word does not wait for the judge, not even for a slow one."""
    call = bot(said(3, "stop that now please"), 12, latency_s=5.0, greeting=STORY)
    assert call.times(InterruptionFrame)[0] == pytest.approx(3.4, abs=0.01)


class MutedFrom(BaseUserMuteStrategy):
    """Mutes the user between two moments of the loop's clock."""

    def __init__(self, begin: float, end: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._begin, self._end = begin, end
        self._zero: float | None = None

    async def process_frame(self, frame: Any) -> bool:
        now = asyncio.get_running_loop().time()
        self._zero = self._zero or now
        return self._begin <= now - self._zero < self._end


def test_a_commit_waits_while_the_aggregator_is_muted() -> None:
    """Words that a turn ends with during a mute are answered after it."""
    steps = said(1, "what is an index")
    steps.append((6.0, lambda call: call.worker.queue_frame(UserBackchannelFrame("", "", ""))))
    params = LLMUserAggregatorParams(user_mute_strategies=[MutedFrom(1.0, 5.0)])
    call = bot(steps, 12, params=params)
    assert call.said == ["what is an index"]
    assert call.times(LLMFullResponseStartFrame)[0] >= 5.0


def test_a_recogniser_with_its_own_strategies_loses_them_to_ours() -> None:
    """A recogniser's metadata comes later than ours and must not win, nor must its turn frames."""
    own: list[Step] = [
        (
            0.2,
            STTMetadataFrame(
                service_name="flux",
                ttfs_p99_latency=0.3,
                user_turn_strategies=ExternalUserTurnStrategies(),
            ),
        ),
        (1.0, ProposedUserStartedSpeakingFrame()),
        (1.4, EagerTranscriptionFrame(text="let me", user_id="user", timestamp="now")),
        (1.9, ProposedUserStoppedSpeakingFrame()),
    ]
    steps = own + said(1, "let me think") + said(5, "it was in May")
    call = bot(steps, 12, verdicts(let_me_think_it={}, let_me=THINKING), greeting=STORY)
    assert call.said == ["let me think it was in May"]
    assert call.runs == 1


def test_strategies_of_the_bots_author_win_and_are_named() -> None:
    """Explicit strategies make the judge powerless, and the log says so loudly."""
    from loguru import logger

    lines: list[str] = []
    sink = logger.add(lambda line: lines.append(str(line)), level="WARNING")
    try:
        params = LLMUserAggregatorParams(user_turn_strategies=UserTurnStrategies())
        bot([], 0.5, params=params)
    finally:
        logger.remove(sink)
    assert any("leave user_turn_strategies unset" in line for line in lines)


def test_voice_detection_of_a_second_detector_stops_here() -> None:
    """A segmented recogniser that hears two detectors transcribes twice."""
    call = bot(said(1, "what is an index") + [(2.0, _vad_upstream)], 6)
    ups = [f for _, f, way in call.seen if isinstance(f, VADUserStoppedSpeakingFrame)]
    assert len(ups) == 2  # the gate's, and the second detector's first push, which goes no further
    assert call.runs == 1


async def _vad_upstream(call: Bot) -> None:
    from pipecat.processors.frame_processor import FrameDirection

    await behind(call).push_frame(
        VADUserStoppedSpeakingFrame(stop_secs=0.5), FrameDirection.UPSTREAM
    )


def test_the_final_of_a_committed_interim_is_not_answered_again() -> None:
    """A turn that ended on an interim swallows its late final, however it is punctuated."""
    steps: list[Step] = [
        (1.1, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (1.5, heard("what is an index")),
        (1.7, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
        (6.0, final("What is an index?")),
    ]
    call = bot(steps, 10)
    assert call.said == ["what is an index"]
    assert call.runs == 1


def test_an_interim_is_not_committed_while_its_final_may_still_come() -> None:
    """A recogniser tells how late its finals are: until then an interim may lack words."""
    steps: list[Step] = [
        (0.1, STTMetadataFrame(service_name="slow", ttfs_p99_latency=0.8)),
        (1.1, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (1.5, heard("how much is a ticket")),
        (1.7, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
        (2.2, final("How much is a ticket for a family?")),
    ]
    call = bot(steps, 8)
    assert call.said == ["How much is a ticket for a family?"]


def test_an_interim_without_a_final_is_committed_after_that_time() -> None:
    """A final that never comes keeps nobody waiting for longer."""
    steps: list[Step] = [
        (0.1, STTMetadataFrame(service_name="slow", ttfs_p99_latency=0.8)),
        (1.1, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (1.5, heard("how much is a ticket")),
        (1.7, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
    ]
    call = bot(steps, 8)
    assert call.times(UserStoppedSpeakingFrame)[0] == pytest.approx(2.3, abs=0.01)


def test_new_words_of_a_late_final_are_answered() -> None:
    """Only the words that were taken are cut off a late final."""
    steps: list[Step] = [
        (1.1, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (1.5, heard("what is an index")),
        (1.7, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
        (6.0, final("What is an index? And a key?")),
    ]
    call = bot(steps, 12)
    assert call.said == ["what is an index", "And a key?"]


@pytest.mark.parametrize("error", [TimeoutError("late"), ValueError("nonsense")])
def test_with_the_judge_down_the_silence_rule_ends_the_turn(error: Exception) -> None:
    """The call goes on, two seconds of quiet after the person stopped."""
    call = bot(said(1, "what is an index"), 10, lambda *_: error)
    assert call.said == ["what is an index"]
    assert call.times(UserStoppedSpeakingFrame)[0] == pytest.approx(4.2, abs=0.05)


def test_with_a_judge_that_cannot_be_set_up_the_agent_is_still_followed() -> None:
    """Pipecat goes on without the setup, and the silence rule must know who speaks."""
    record = CallRecord(None, words=True)
    judge = JevJudge(Unprepared(), record=record)
    call = run(Bot(said(1, "what is an index"), judge, 10).run())
    assert call.said == ["what is an index"]
    told = [r["state"] for r in record.records if r["kind"] == "bot"]
    assert told[-2:] == ["start", "stop"]


def test_an_interruption_by_the_application_drops_no_words() -> None:
    """Transcripts are not interruptible, whoever interrupts."""
    steps: list[Step] = [*said(1, "what is an index"), (2.5001, interrupt)]
    call = bot(steps)
    assert call.said == ["what is an index"]


def test_words_without_any_voice_activity_are_answered() -> None:
    """A "yep" too short for any detector still makes a turn."""
    call = bot([(3.0, final("yep"))], 8, greeting="is that right")
    assert call.said == ["yep"]


def test_a_cough_interrupts_nothing_and_answers_nothing() -> None:
    """Sound without words neither cancels a reply nor makes one."""
    steps: list[Step] = [
        (2.0, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (2.4, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
    ]
    call = bot(steps, 16, greeting=STORY)
    assert (call.said, call.runs, call.interruptions) == ([], 0, 0)


def test_the_judge_hears_what_of_the_agents_speech_was_heard() -> None:
    """The state tells heard and unheard words of the present speech apart."""
    judge = Answers(verdicts(uh=NOD))
    run(Bot(said(3, "uh-huh"), JevJudge(judge), 20, greeting=STORY).run())
    speech = judge.asked[0]["assistant_current_speech"]
    assert 8 <= len(speech["heard"].split()) <= 12
    assert len(speech["heard"].split()) + len(speech["not_heard"].split()) == 40


def dropped(record: CallRecord) -> list[tuple[str, str]]:
    """Return why and what a call dropped."""
    lines = [r for r in record.records if r["kind"] == "effect" and r["name"] == "Discard"]
    return [(line["why"], line["text"]) for line in lines]


def test_words_open_at_the_end_of_the_call_leave_a_trace() -> None:
    """A hang-up drops nothing silently."""
    record = CallRecord(None, words=True)
    judge = JevJudge(Answers(verdicts(i_want=INCOMPLETE)), record=record)
    run(Bot(said(1, "I want to"), judge, 3).run())
    assert dropped(record) == [("hung_up", "I want to")]


def test_a_commit_that_waits_for_an_unmute_at_the_end_leaves_a_trace() -> None:
    """Words that a mute kept back until the hang-up are dropped with a trace, too."""
    record = CallRecord(None, words=True)
    judge = JevJudge(Answers(verdicts()), record=record)
    params = LLMUserAggregatorParams(user_mute_strategies=[MutedFrom(1.0, 99.0)])
    run(Bot(said(1, "what is an index"), judge, 6, params=params).run())
    assert dropped(record) == [("hung_up", "what is an index")]
