"""JevJudge begins replies before the end of the turn, in whole pipelines and virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pipecat.adapters.schemas.function_schema import FunctionSchema
from pipecat.adapters.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    EagerEndOfTurnCancelFrame,
    ErrorFrame,
    Frame,
    FunctionCallFromLLM,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMRunFrame,
    LLMTextFrame,
    TTSSpeakFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.llm_service import FunctionCallParams
from pipecat.turns.user_mute import BaseUserMuteStrategy
from support.bot import Answers, Bot, Step, behind, final, heard, said

from jev_turn.assembly import Duplex
from jev_turn.errors import ConfigError, UnreadableVerdict
from jev_turn.judges.bundles import SPECULATING
from jev_turn.play.cast import CaseModel
from jev_turn.play.clock import run
from jev_turn.policy import load_policy
from jev_turn.processors._early_reply import Speculations
from jev_turn.processors.barge_in_classifier import BargeInClassifier
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.record import CallRecord
from jev_turn.record.summary import summarise
from jev_turn.turn.verdict import Verdict

SURE = {"turn_complete": 0.95, "holding_floor": 0.0, "addressed_to_agent": 0.95}
SURE |= {"taking_floor": 0.9, "enough_to_answer": 0.9}
FIRST = "what is an index"


def answers(**by_words: dict[str, float]) -> Callable[[str, str], float]:
    """Answer SURE to whole sentences, and 0.1 to the words before their last."""

    def answer(question: str, words: str) -> float:
        plain = words.lower().strip(" .?")
        for start, given in by_words.items():
            if plain.startswith(start.replace("_", " ")) and question in given:
                return given[question]
        if question in ("turn_complete", "enough_to_answer") and len(plain.split()) < 4:
            return 0.1
        return SURE[question]

    return answer


def spoken(at: float, *texts: tuple[float, str], last: float, whole: str) -> list[Step]:
    """Return the frames of one utterance: interims at their times, quiet, and a late final."""
    return [
        (at + 0.11, VADUserStartedSpeakingFrame(start_secs=0.11)),
        *[(at + after, heard(text)) for after, text in texts],
        (at + last, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
        (at + last + 0.2, final(whole)),
    ]


QUESTION = spoken(1, (0.9, FIRST), last=1.2, whole="What is an index?")


def bot(
    steps: Sequence[Step],
    lasts: float = 8.0,
    answer: Callable[[str, str], Any] | None = None,
    *,
    speculate: bool | None = True,
    record: Any = None,
    runs_max: int = 1,
    **more: Any,
) -> Bot:
    """Run a call with a JevJudge that speculates."""
    policy = load_policy(request={"turn.speculate_runs_max": runs_max})
    judge = JevJudge(
        Answers(answer or answers(), 0.05), policy=policy, speculate=speculate, record=record
    )
    more.setdefault("ttft_s", 0.6)
    return run(Bot(steps, judge, lasts, **more).run())


def counted(call: Bot) -> Speculations:
    """Return what the judge counted."""
    assert isinstance(call.judge, JevJudge)
    return call.judge.speculations


def replies(call: Bot) -> list[str]:
    """Return the replies that the context holds."""
    return [m.get("content", "") for m in call.messages if m["role"] == "assistant"]


def test_a_reply_begun_early_is_audible_sooner_and_given_once() -> None:
    """The model runs while quiet confirms the turn; the words in the context are the final ones."""
    late, early = bot(QUESTION, speculate=None), bot(QUESTION)
    for call in (late, early):
        assert (call.said, call.runs) == (["What is an index?"], 1)
        assert replies(call) == ["All right."]
    assert early.times(UserStoppedSpeakingFrame) == late.times(UserStoppedSpeakingFrame)
    sooner = late.times(BotStartedSpeakingFrame)[0] - early.times(BotStartedSpeakingFrame)[0]
    assert sooner >= 0.3
    assert counted(early) == Speculations(begun=1, kept=1)
    assert counted(late) == Speculations()


def test_nothing_of_a_held_reply_is_seen_before_the_end_of_the_turn() -> None:
    """Neither the voice nor the context learns of it, even where the model has long finished."""
    steps = spoken(1, (0.9, FIRST), last=4.0, whole="What is an index?")
    call = bot(steps, 10, ttft_s=0.1)
    ended = call.times(UserStoppedSpeakingFrame)[0]
    assert counted(call).kept == 1
    assert min(call.times(LLMTextFrame)) >= ended
    assert min(call.times(BotStartedSpeakingFrame)) > ended


def test_new_words_withdraw_the_reply_and_the_whole_turn_is_answered_once() -> None:
    """The reply to the first half is thrown away, and the model sees the turn as it really was."""
    whole = "What is an index in a book?"
    steps = spoken(1, (0.9, FIRST), (1.3, "what is an index in a book"), last=1.7, whole=whole)
    call = bot(steps, reply=lambda context: f"To: {context.messages[-1]['content']}")
    assert call.said == [whole]
    assert replies(call) == [f"To: {whole}"]
    assert (call.runs, counted(call)) == (2, Speculations(begun=1, kept=0))


def test_new_words_in_the_ms_of_the_verdict_do_not_overtake_the_withdrawal() -> None:
    """A withdrawal never arrives before the words that it withdraws."""
    for ms in range(-3, 4):
        whole = "What is an index in a book?"
        at = 0.9 + 0.15 + 0.05 + ms / 1000
        steps = spoken(1, (0.9, FIRST), (at, whole), last=1.7, whole=whole)
        call = bot(steps, reply=lambda context: f"To: {context.messages[-1]['content']}")
        assert (call.said, replies(call)) == ([whole], [f"To: {whole}"]), ms


def test_a_final_with_other_words_is_answered_anew() -> None:
    """A recogniser that corrects itself at the end gets the reply to what it says at the end."""
    steps = spoken(1, (0.9, FIRST), last=1.2, whole="What is an annex?")
    call = bot(steps, reply=lambda context: f"To: {context.messages[-1]['content']}")
    assert replies(call) == ["To: What is an annex?"]
    assert counted(call).kept == 0


def test_several_finals_are_one_turn() -> None:
    """Pipecat compares the early words with all finals of the turn joined without a space."""
    steps = said(1, "so tell me please") + spoken(2.3, (1.3, FIRST), last=1.6, whole=FIRST)
    whole = "so tell me please what is an index"

    def answer(question: str, words: str) -> float:
        ends = question != "turn_complete" or words == whole
        return SURE[question] if ends else 0.1

    call = bot(steps, 10, answer)
    assert call.said == [whole]
    assert (call.runs, counted(call)) == (1, Speculations(begun=1, kept=1))


def test_side_talk_is_never_answered_early() -> None:
    """Words for somebody else cost no run."""
    call = bot(QUESTION, answer=answers(what={"addressed_to_agent": 0.05}))
    assert (call.said, call.runs) == ([], 0)


def test_the_limit_holds_over_a_whole_turn() -> None:
    """With a limit of two, a turn of many restarts wastes two runs and not a third."""
    texts = [(0.9 + 0.4 * n, " ".join(["what is an index"] * (n + 1))) for n in range(6)]
    steps = spoken(1, *texts, last=3.4, whole=texts[-1][1])
    call = bot(steps, 10, runs_max=2)
    assert (call.runs, counted(call)) == (3, Speculations(begun=2, kept=0))
    assert replies(call) == ["All right."]


def test_a_judge_that_fails_begins_nothing() -> None:
    """Without a verdict the turn ends by the silence rule, and the model runs once, then."""
    call = bot(QUESTION, answer=lambda *_: RuntimeError("down"))
    assert (call.runs, counted(call)) == (1, Speculations())


class Booking(CaseModel):
    """Calls a tool for the person's words, and talks about its result."""

    async def _write(self, text: str) -> None:
        if self.runs[-1][-1]["role"] != "user":
            await super()._write("It is booked.")
            return
        await self.push_frame(LLMFullResponseStartFrame())
        await asyncio.sleep(0.1)
        await self.push_frame(LLMTextFrame("One moment. "))
        call = FunctionCallFromLLM(
            function_name="book", tool_call_id="1", arguments={}, context=self._of
        )
        await self.run_function_calls([call])
        await self.push_frame(LLMFullResponseEndFrame())

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if hasattr(frame, "context"):
            self._of: LLMContext = frame.context
        await super().process_frame(frame, direction)


def test_a_tool_runs_once_and_only_after_the_end_of_the_turn() -> None:
    """A reply that wants a tool is withdrawn: what a tool does cannot be taken back."""
    booked: list[float] = []

    async def book(params: FunctionCallParams) -> None:
        booked.append(asyncio.get_running_loop().time())
        await params.result_callback("done")

    model = Booking()
    model.register_function("book", book)
    schema = FunctionSchema("book", "Book a table.", {}, [])
    context = LLMContext(tools=ToolsSchema(standard_tools=[schema]))
    steps = spoken(1, (0.9, "book a table now"), last=1.6, whole="Book a table now.")
    call = bot(steps, model=model, context=context)
    assert len(booked) == 1
    assert booked[0] - call.began >= call.times(UserStoppedSpeakingFrame)[0]
    assert counted(call) == Speculations(begun=1, kept=0)
    assert replies(call)[-1] == "It is booked."


class Failing(CaseModel):
    """Fails in its first run."""

    async def _write(self, text: str) -> None:
        if len(self.runs) > 1:
            await super()._write(text)
            return
        await self.push_frame(LLMFullResponseStartFrame())
        await self.push_error("the model is down")


def test_a_model_that_fails_early_is_asked_again_at_the_end() -> None:
    """A failure before the end of the turn costs the person nothing."""
    call = bot(QUESTION, model=Failing())
    assert (call.runs, replies(call)) == (2, ["All right."])
    assert any(isinstance(frame, ErrorFrame) for _, frame, _ in call.seen)


async def run_the_model(call: Bot) -> None:
    """Have the model speak of its own accord, as an application does."""
    await call.worker.queue_frame(LLMRunFrame())


async def speak(call: Bot) -> None:
    """Have the application say something."""
    await call.worker.queue_frame(TTSSpeakFrame("Please hold the line."))


async def interrupt(call: Bot) -> None:
    """Interrupt from elsewhere in the pipeline."""
    await behind(call).broadcast_interruption()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("act", [interrupt, run_the_model, speak])
def test_whatever_comes_between_costs_no_answer(act: Any) -> None:
    """An interruption, a run or speech of the application's takes the held reply's place."""
    steps = spoken(1, (0.9, FIRST), last=2.0, whole="What is an index?")
    call = bot([*steps, (2.3, act)], 14, reply=lambda c: f"To: {c.messages[-1:]}")
    assert call.said == ["What is an index?"]
    assert sum("What is an index?" in reply for reply in replies(call)) == 1
    assert counted(call) == Speculations(begun=1, kept=0)


def test_speech_of_the_application_is_not_thrown_away_with_a_reply() -> None:
    """The model holds whatever passes it together with the reply, and would drop it with that."""
    words = "what is an index in a book"
    steps = spoken(1, (0.9, FIRST), (1.6, words), last=1.9, whole=words)
    call = bot([*steps, (2.2, speak)], 14)
    assert replies(call)[0].startswith("Please")


class Muted(BaseUserMuteStrategy):
    """Mutes the user for a stretch of the call, from the first frame in it on."""

    def __init__(self, since: float, until: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._since, self._until = since, until

    async def process_frame(self, frame: Frame) -> bool:
        await super().process_frame(frame)
        return self._since <= asyncio.get_running_loop().time() % 1000 < self._until


def test_a_turn_that_ends_in_a_mute_is_answered_after_it() -> None:
    """The held reply is thrown away, for other runs may come before the words reach the model."""
    params = LLMUserAggregatorParams(user_mute_strategies=[Muted(2.2, 5.0)])
    steps = [*QUESTION, (6.0, VADUserStartedSpeakingFrame(start_secs=0.11))]
    call = bot([*steps, (6.3, VADUserStoppedSpeakingFrame(stop_secs=0.2))], 12, params=params)
    assert call.said == ["What is an index?"]
    assert replies(call) == ["All right."]


def test_a_hang_up_throws_the_held_reply_away() -> None:
    """Nobody is there to hear it."""
    call = bot([(1.11, VADUserStartedSpeakingFrame(start_secs=0.11)), (1.9, heard(FIRST))], 2.5)
    assert replies(call) == []
    assert counted(call) == Speculations(begun=1, kept=0)
    assert call.times(EagerEndOfTurnCancelFrame)


def test_early_replies_are_lines_of_the_record() -> None:
    """What was begun and kept can be counted afterwards."""
    record = CallRecord(None, words=True, keep=True)
    bot(QUESTION, record=record)
    record.close()
    effects = summarise(record.records).effects
    assert (effects["Speculate"], effects["Commit"], effects["Withdraw"]) == (1, 1, 0)


def test_one_more_question_is_asked_only_where_it_is_used() -> None:
    """Speculation costs a question in the same request, and no request."""
    asked: dict[bool, set[str]] = {}
    for speculate in (True, False):
        names: set[str] = set()

        def answer(question: str, words: str, names: set[str] = names) -> float:
            names.add(question)
            return answers()(question, words)

        bot(QUESTION, answer=answer, speculate=speculate)
        asked[speculate] = names
    assert asked[True] == set(SPECULATING["listening"])
    assert asked[False] == asked[True] - {"enough_to_answer"}


def test_the_policy_turns_it_on_too() -> None:
    """An argument wins over the policy; without one the policy decides; it is off by default."""
    on = load_policy(request={"turn.speculate": True})
    plain = load_policy()

    def speculates(judge: JevJudge) -> bool:
        return judge._config.speculate

    assert speculates(JevJudge(Answers(answers()), policy=on))
    assert not speculates(JevJudge(Answers(answers()), policy=on, speculate=False))
    assert not speculates(JevJudge(Answers(answers()), policy=plain))
    assert speculates(Duplex(Answers(answers()), policy=plain, speculate=True).judge)


def test_a_bot_that_keeps_its_own_end_of_turn_never_speculates() -> None:
    """BargeInClassifier ends no turns, so it begins no replies, whatever the policy says."""
    policy = load_policy(request={"turn.speculate": True})
    assert not BargeInClassifier(Answers(answers()), policy=policy)._config.speculate


class NotAService(FrameProcessor):
    """A model that is no LLMService and can therefore hold nothing."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)


def test_a_model_that_cannot_hold_its_reply_is_refused() -> None:
    """It would speak before the turn is over; turns are taken without speculation."""
    judge = JevJudge(Answers(answers(), 0.05), speculate=True)
    call = run(Bot(QUESTION, judge, 6, model=NotAService()).run())  # type: ignore[arg-type]
    errors = [frame for _, frame, _ in call.seen if isinstance(frame, ErrorFrame)]
    assert isinstance(errors[0].exception, ConfigError) and "LLMService" in errors[0].error
    assert (call.said, counted(call)) == (["What is an index?"], Speculations())


def test_a_verdict_refuses_what_is_no_probability() -> None:
    """The fifth question's answer is checked like the others."""
    with pytest.raises(UnreadableVerdict, match="enough_to_answer"):
        Verdict(0.5, 0.5, 0.5, enough_to_answer=1.2)
