"""ReplyList in whole pipelines: every clause of finish-turn's list, in virtual time."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from pipecat.frames.frames import (
    CancelFrame,
    ErrorFrame,
    Frame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    ServiceMetadataFrame,
    TranscriptionFrame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
    UserStartedSpeakingFrame,
    VADUserStartedSpeakingFrame,
)
from pipecat.processors.frameworks.rtvi import RTVIObserverParams
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import STTService
from pipecat.turns.user_start import VADUserTurnStartStrategy
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from support.bot import Answers, Bot, Step, Unprepared, final, heard, said

from jev_turn.play.cast import CaseModel, CaseVoice
from jev_turn.play.clock import run
from jev_turn.policy import load_policy
from jev_turn.processors.reply_list import ReplyList
from jev_turn.record import CallRecord
from jev_turn.replies.effects import Cut, KeepCut, RestoreCuts, StartTurn
from jev_turn.replies.store import ReplyStore

STORY = " ".join(["word"] * 30)


def enough(*texts: str, holding: tuple[str, ...] = ()) -> Callable[[str, str], float]:
    """Answer that these texts, and no others, are enough to answer."""

    def answer(question: str, words: str) -> float:
        if question == "holding_floor":
            return 0.9 if words in holding else 0.0
        return 0.9 if words in texts else 0.1

    return answer


WHOLE = ("what is an index", "and a key", "and a row", "tell me all")


def bot(
    steps: list[Step],
    lasts: float = 12.0,
    answer: Callable[[str, str], Any] | None = None,
    record: CallRecord | None = None,
    **more: Any,
) -> Bot:
    """Run a call with ReplyList, in memory."""
    judge = ReplyList(Answers(answer or enough(*WHOLE)), persist=False, record=record)
    return run(Bot(steps, judge, lasts, **more).run())


def dropped(record: CallRecord) -> list[tuple[str, str]]:
    """Return why and what a call dropped."""
    lines = [r for r in record.records if r["kind"] == "effect" and r["name"] == "Discard"]
    return [(line["why"], line["text"]) for line in lines]


def test_one_utterance_is_one_turn() -> None:
    """A cut becomes one user message, one run and one reply, without settings of the bot's."""
    call = bot(said(1, "what is an index"))
    assert (call.said, call.runs, call.interruptions) == (["what is an index"], 1, 0)


def test_three_cuts_before_a_drain_are_one_message() -> None:
    """Three parts said in a row are answered together, joined by single spaces."""
    steps = said(1, "cut one", 1.5) + said(2.6, "cut two", 1.5) + said(4.2, "cut three", 1.5)
    call = bot(steps, answer=enough("cut one", "cut two", "cut three"))
    assert call.said == ["cut one cut two cut three"]
    assert call.runs == 1


def test_words_while_the_bot_speaks_wait_and_are_eaten_together() -> None:
    """Nothing interrupts the reply; what was said over it is one turn afterwards."""
    steps = said(1, "tell me all") + said(6, "and a key") + said(8, "and a row")
    call = bot(steps, 30, reply=lambda _: STORY)
    assert call.interruptions == 0
    assert call.said == ["tell me all", "and a key and a row"]


def test_words_while_the_model_works_wait() -> None:
    """Exactly one turn is in flight, however long the model takes."""
    steps = said(1, "what is an index") + said(4, "and a key")
    call = bot(steps, 20, ttft_s=4.0)
    assert call.said == ["what is an index", "and a key"]
    starts = call.times(LLMFullResponseStartFrame)
    assert starts[1] > starts[0] + 4.0


def test_an_insufficient_text_is_dropped_with_a_trace() -> None:
    """Three looks at unchanged words that are not enough drop them, and say so."""
    record = CallRecord(None, words=True)
    call = bot(said(1, "I wanted to ask"), 12, enough("nothing"), record)
    assert (call.said, call.runs) == ([], 0)
    assert dropped(record) == [("strikes", "I wanted to ask")]


def test_words_that_ask_for_time_are_kept() -> None:
    """A person who says "one moment" is not dropped after three seconds."""
    answer = enough("one moment I have it", holding=("one moment",))
    call = bot(said(1, "one moment") + said(8, "I have it"), 16, answer)
    assert call.said == ["one moment I have it"]


def test_with_the_judge_down_words_become_cuts_by_silence() -> None:
    """The call goes on, two seconds of quiet after the person stopped."""
    call = bot(said(1, "what is an index"), 12, lambda *_: TimeoutError("late"))
    assert call.said == ["what is an index"]


def test_an_invented_sentence_is_dropped_by_its_rate() -> None:
    """A recogniser that writes seven words for a third of a second of sound invented them."""
    record = CallRecord(None, words=True)
    steps: list[Step] = [
        (1.0, VADUserStartedSpeakingFrame(start_secs=0.11)),
        *said(1.3, "thank you very much for watching this", 0.1)[-2:],
    ]
    call = bot(steps, 8, record=record)
    assert call.said == []
    assert dropped(record) == [("rate", "thank you very much for watching this")]


def test_a_duration_of_the_recognisers_own_counts_before_the_gates() -> None:
    """The same words with a plausible duration pass, whatever the gate saw."""
    frame = final("thank you very much for watching this")
    assert isinstance(frame, TranscriptionFrame)
    frame.result = {"duration_ms": 2400}
    steps: list[Step] = [
        (1.0, VADUserStartedSpeakingFrame(start_secs=0.11)),
        *said(1.3, "x", 0.1)[-2:-1],
        (1.7, frame),
    ]
    text = "thank you very much for watching this"
    assert bot(steps, 8, enough(text)).said == [text]


def test_an_empty_reply_ends_its_turn() -> None:
    """The next words are answered although the model said nothing the first time."""
    steps = said(1, "what is an index") + said(6, "and a key")
    call = bot(steps, 14, reply=lambda context: "" if len(context.messages) == 1 else "Yes.")
    assert call.said == ["what is an index", "and a key"]
    assert call.runs == 2


def test_a_browser_that_listens_to_the_recogniser_alone_is_told_of_each_word_once() -> None:
    """The list's turn is one frame more with the same words: its source is to be ignored."""
    judge = ReplyList(Answers(enough(*WHOLE)), persist=False)
    params = RTVIObserverParams(ignored_sources=[judge])
    steps: list[Step] = [(1.0, final("what is an index"))]
    call = run(Bot(steps, judge, 8, rtvi=True, rtvi_params=params).run())
    messages = [f.message for _, f, _ in call.seen if hasattr(f, "message")]
    told = [m["data"]["text"] for m in messages if m["type"] == "user-transcription"]
    assert (told, call.said) == (["what is an index"], ["what is an index"])


def test_the_aggregator_knows_of_the_words_before_the_turn() -> None:
    """An idle timer must not fire over a person whose words are still being judged."""
    call = bot(said(1, "what is an index", 3.0))
    assert call.times(UserStartedSpeakingFrame)[0] < call.times(LLMFullResponseStartFrame)[0] - 2


class DownModel(CaseModel):
    """A model that is out of order."""

    async def _write(self, text: str) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        await self.push_error("HTTP 503")
        await self.push_frame(LLMFullResponseEndFrame())


def call_of(peer: str | None, folder: Path, text: str, **more: Any) -> Bot:
    """Run one call of ``peer``, kept in ``folder``."""
    judge = ReplyList(Answers(enough(text)), place=folder, peer=peer, **more)
    return run(Bot(said(1, text), judge, 8).run())


def test_a_peers_last_call_is_in_the_next_ones_context(tmp_path: Path) -> None:
    """What was said yesterday is known today, word for word."""
    call_of("ann", tmp_path, "my name is Ann")
    first = call_of("ann", tmp_path, "what is my name").messages[0]
    assert "They said: my name is Ann\nYou said: All right." in first["content"]


def test_nothing_of_one_caller_reaches_another(tmp_path: Path) -> None:
    """Neither another peer nor a caller without a name hears of it."""
    call_of("ann", tmp_path, "my name is Ann")
    for peer in ("bob", None):
        messages = call_of(peer, tmp_path, "what is my name").messages
        assert [m["role"] for m in messages] == ["user", "assistant"]


def test_an_outgrown_thread_is_summarised_beside_the_call(tmp_path: Path) -> None:
    """The bot's own model writes the summary; the words stay where they are."""

    class Summariser(CaseModel):
        async def run_inference(self, context: Any, *args: Any, **more: Any) -> str:
            return "She is called Ann."

    sets = ["memory.compress_at_tokens=100", "memory.retention_tokens=0"]
    policy, text = load_policy(env={}, sets=sets), "my name is Ann and I like my tea very hot"
    for _ in range(8):
        call_of("ann", tmp_path, text, policy=policy, llm=Summariser())
    content = call_of("ann", tmp_path, "hello").messages[0]["content"]
    assert "In short: She is called Ann." in content
    assert 2 <= content.count("They said:") < 8


def test_a_summary_that_takes_long_holds_nobody_up(tmp_path: Path) -> None:
    """Y05: it is made beside the call, and what is said meanwhile is heard and answered."""
    made: list[float] = []

    class Slow(CaseModel):
        async def run_inference(self, context: Any, *args: Any, **more: Any) -> str:
            await asyncio.sleep(20)
            made.append(asyncio.get_running_loop().time())
            return "She is called Ann."

    sets = ["memory.compress_at_tokens=100", "memory.retention_tokens=0"]

    async def outgrown() -> None:
        async with await ReplyStore.open(tmp_path, peer="ann") as store:
            for _ in range(8):
                await store.remember("I like my tea very hot", "So do I, in the morning at least.")

    asyncio.run(outgrown())
    model = Slow()
    judge = ReplyList(Answers(enough(*WHOLE)), place=tmp_path, peer="ann", llm=model,
                      policy=load_policy(env={}, sets=sets))  # fmt: skip
    steps = said(1, "what is an index") + said(8, "and a key")
    call = run(Bot(steps, judge, 40, model=model).run())
    replies = call.times(LLMFullResponseStartFrame)
    assert call.said == ["what is an index", "and a key"]
    assert len(made) >= 1 and replies[1] < 12 < made[0] - call.began


def test_a_summary_that_fails_is_seen_loses_nothing_and_is_tried_again(tmp_path: Path) -> None:
    """Y08: the words stand as they were said, and the next turn's end asks the model anew."""

    class Failing(CaseModel):
        async def run_inference(self, context: Any, *args: Any, **more: Any) -> str | None:
            tried.append(1)
            if len(tried) == 1:
                raise ConnectionError("away")
            return " "

    tried: list[int] = []
    sets = ["memory.compress_at_tokens=100", "memory.retention_tokens=0"]
    policy, text = load_policy(env={}, sets=sets), "my name is Ann and I like my tea very hot"
    record = CallRecord(None, words=True)
    for _ in range(10):
        more = {"policy": policy, "llm": Failing(), "record": record}
        call_of("ann", tmp_path, text, **more)
    notes = [r["detail"] for r in record.records if r.get("note") == "summary_failed"]
    assert notes[:2] == ["ConnectionError", "ValueError"] and len(notes) == len(tried) >= 2

    async def kept() -> tuple[list[str], int]:
        async with await ReplyStore.open(tmp_path, None, peer="ann") as store:
            memory = await store.memory()
            return [block.user for block in memory.blocks], len(memory.summaries)

    assert asyncio.run(kept()) == ([text] * 10, 0)


def test_a_failure_forgiven_before_a_crash_is_not_forgiven_after_it(tmp_path: Path) -> None:
    """R11: a model that is down must not be called in a loop by a bot that is restarted."""

    async def left_behind() -> None:
        async with await ReplyStore.open(tmp_path, "call") as store:
            cut = Cut(1, 500, "what is an index", 1, 0.9, "enough")
            await store.apply([KeepCut(cut), StartTurn(1, (cut,), cut.text, cut.text)])
            await store.apply([RestoreCuts(1, "HTTP 503")])

    asyncio.run(left_behind())
    judge = ReplyList(Answers(enough()), place=tmp_path, call="call")
    assert run(Bot([], judge, 10, model=DownModel()).run()).runs == 1


def test_a_call_is_taken_up_where_a_dead_process_left_it(tmp_path: Path) -> None:
    """Words that were cut before the crash are answered after it, once."""

    async def left_behind() -> None:
        async with await ReplyStore.open(tmp_path, "call") as store:
            await store.apply([KeepCut(Cut(1, 500, "what is an index", 1, 0.9, "enough"))])

    asyncio.run(left_behind())
    judge = ReplyList(Answers(enough()), place=tmp_path, call="call")
    assert run(Bot([], judge, 6).run()).said == ["what is an index"]
    again = ReplyList(Answers(enough()), place=tmp_path, call="call")
    assert run(Bot([], again, 6).run()).said == []


def errors(call: Bot) -> list[str]:
    """Return what was reported as an error."""
    return [frame.error for _, frame, _ in call.seen if isinstance(frame, ErrorFrame)]


def test_a_call_that_another_process_holds_is_refused(tmp_path: Path) -> None:
    """Two bots on one list would answer it twice: the second one says why and ends."""

    async def second() -> Bot:
        async with await ReplyStore.open(tmp_path, "call"):
            judge = ReplyList(Answers(enough(*WHOLE)), place=tmp_path, call="call")
            return await Bot(said(1, "what is an index"), judge, 60).run()

    call = run(second())
    assert (call.said, call.runs) == ([], 0)
    assert len(call.times(CancelFrame)) == 1
    assert [error.partition(": ")[2].partition(": ")[2] for error in errors(call)] == [
        f"call call is in use by process {os.getpid()} on {socket.gethostname()}"
    ]


def test_without_its_store_a_call_goes_on_and_the_operator_is_told(tmp_path: Path) -> None:
    """A database that is down must cost nobody an answer, nor make the bot talk over itself."""
    (tmp_path / "calls").touch()
    record = CallRecord(None, words=True)
    judge = ReplyList(Answers(enough(*WHOLE)), place=tmp_path / "calls", record=record)
    steps = said(1, "tell me all") + said(6, "and a key") + said(8, "and a row")
    call = run(Bot(steps, judge, 20, reply=lambda _: STORY).run())
    assert call.said == ["tell me all", "and a key and a row"]
    assert [
        error.endswith("goes on in memory, and a crash loses what waits") for error in errors(call)
    ] == [True]
    assert "store_down" in [r.get("note") for r in record.records]


def test_with_a_judge_that_cannot_be_set_up_words_over_the_bot_still_wait() -> None:
    """Pipecat goes on without the setup; the list must follow the bot and keep its store."""
    steps = said(1, "tell me all") + said(6.5, "and a key")
    call = run(Bot(steps, ReplyList(Unprepared(), persist=False), 40, reply=lambda _: STORY).run())
    assert call.said == ["tell me all", "and a key"]


def test_a_deaf_recogniser_is_an_error_and_is_connected_anew() -> None:
    """Sound for eight seconds without a word ends the wait, and what was heard stays."""
    asked: list[float] = []

    async def reconnect() -> None:
        asked.append(asyncio.get_running_loop().time())

    judge = ReplyList(Answers(enough("hello")), persist=False, reconnect=reconnect)
    steps: list[Step] = [
        (1.0, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (1.5, heard("hello")),
    ]
    call = run(Bot(steps, judge, 16).run())
    assert len(asked) >= 1
    assert call.said == ["hello"]


def test_deafness_is_told_while_it_lasts_and_once() -> None:
    """Whoever watches errors hears of it eight seconds in, not when it is over."""

    async def reconnect() -> None:
        return

    judge = ReplyList(Answers(enough("hello")), persist=False, reconnect=reconnect)
    steps: list[Step] = [(1.0, VADUserStartedSpeakingFrame(start_secs=0.11))]
    call = run(Bot(steps, judge, 14).run())
    told = [(at, f.error) for at, f, _ in call.seen if isinstance(f, ErrorFrame)]
    assert [round(at) for at, _ in told] == [9]
    assert told[0][1].endswith("the recogniser is deaf: 8000 ms of sound without a word")


class DeadVoice(CaseVoice):
    """A voice that takes texts and never answers with sound, without an error of its own."""

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        yield None


def endings(record: CallRecord) -> list[tuple[str, str]]:
    """Return what was answered in each turn, and what went wrong."""
    ends = [r for r in record.records if r.get("name") == "EndTurnRecord"]
    return [(end.get("text", ""), end.get("why", "")) for end in ends]


def test_a_silent_turn_is_an_error() -> None:
    """A reply with words and without audio for three seconds is never called a success."""
    record = CallRecord(None, words=True)
    steps = said(1, "what is an index") + said(8, "and a key")
    call = bot(steps, 16, record=record, voice=DeadVoice())
    assert call.said == ["what is an index", "and a key"]
    assert endings(record) == [("All right.", "silent")] * 2
    ours = [error for error in errors(call) if error.startswith("ReplyList")]
    assert [error.partition(": ")[2] for error in ours] == [
        "turn 1 failed: silent", "turn 2 failed: silent"
    ]  # fmt: skip


def test_a_reply_without_a_word_is_no_silent_turn() -> None:
    """There is nothing in three dots that anybody could have heard."""
    record = CallRecord(None, words=True)
    call = bot(said(1, "what is an index"), 12, record=record, reply=lambda _: "...")
    assert endings(record) == [("...", "")]
    assert errors(call) == []


def test_quiet_counts_anew_behind_a_mute() -> None:
    """M06: MicGate says in front of the list that nobody could be heard; that is no silence."""
    mute: list[Step] = [(2.6, UserMuteStartedFrame()), (6.0, UserMuteStoppedFrame())]
    call = bot(said(1, "what is an index") + mute, 12)
    assert call.times(LLMFullResponseStartFrame) == [pytest.approx(6.8, abs=0.01)]


def test_strategies_that_a_recogniser_brings_along_do_not_win() -> None:
    """Some advertise turns of their own, which would interrupt at the first sound."""
    own = UserTurnStrategies(
        start=[VADUserTurnStartStrategy(enable_interruptions=True)],
        stop=[SpeechTimeoutUserTurnStopStrategy()],
    )
    advert = ServiceMetadataFrame(service_name="stt", user_turn_strategies=own)
    steps = [(0.2, advert), *said(1, "tell me all"), *said(6, "and a key")]
    call = bot(steps, 24, reply=lambda _: STORY)
    assert call.interruptions == 0
    assert call.said == ["tell me all", "and a key"]


def test_a_step_is_stored_before_it_has_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Handed over first and stored later, a turn would be answered again after a crash between."""
    stored: list[float] = []
    apply = ReplyStore.apply

    async def slow(store: ReplyStore, effects: Any) -> None:
        await asyncio.sleep(1.0)
        await apply(store, effects)
        if any(isinstance(effect, StartTurn) for effect in effects):
            stored.append(asyncio.get_running_loop().time())

    monkeypatch.setattr(ReplyStore, "apply", slow)
    call = bot(said(1, "what is an index"), 16)
    assert call.said == ["what is an index"]
    assert call.times(LLMFullResponseStartFrame)[0] >= stored[0] - call.began


def test_a_call_that_another_process_took_over_is_left_to_it(tmp_path: Path) -> None:
    """A server that was cut off unlocks the call: whoever has lost it must not answer any more."""

    async def first() -> Bot:
        judge = ReplyList(Answers(enough(*WHOLE)), place=tmp_path, call="call")
        taken: list[ReplyStore] = []

        async def take_over(_: Bot) -> None:
            assert judge.store is not None and judge.store._lock is not None
            await judge.store._lock.release()
            taken.append(await ReplyStore.open(tmp_path, "call"))

        call = Bot([(0.5, take_over), *said(1, "what is an index")], judge, 60)
        await call.run()
        await taken[0].close()
        return call

    call = run(first())
    assert (call.said, call.runs) == ([], 0)
    assert len(call.times(CancelFrame)) == 1
    assert len(errors(call)) == 1 and "call call was taken over by process" in errors(call)[0]


class Recogniser(STTService):
    """One of Pipecat's, whose connection is made anew when somebody asks."""

    def __init__(self, *outcomes: Exception | None) -> None:
        super().__init__(settings=STTSettings(model=None, language=None))
        self.asked: list[float] = []
        self._outcomes = list(outcomes)

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        yield None

    async def _do_reconnect(self) -> None:
        self.asked.append(asyncio.get_running_loop().time())
        if self._outcomes and (error := self._outcomes.pop(0)) is not None:
            raise error


def test_a_recogniser_that_cannot_connect_is_asked_again_with_back_off() -> None:
    """L03: the gap goes on until it could; who is asked only once stays deaf for the whole call."""
    down, record = ConnectionError("away"), CallRecord(None, words=True)
    stt = Recogniser(down, down, None)
    judge = ReplyList(Answers(enough("hello")), persist=False, record=record)
    steps: list[Step] = [(1.0, VADUserStartedSpeakingFrame(start_secs=0.11))]
    call = run(Bot(steps, judge, 16, stt=stt).run())
    at = [round(asked - call.began, 1) for asked in stt.asked]
    assert at == [9.5, 10.5, 12.5]
    notes = [r["note"] for r in record.records if r["kind"] == "note"]
    assert notes == ["stt_silent", "stt_down", "stt_down"]
    gaps = [r for r in record.records if r.get("name") == "GapMarked"]
    assert [round(gap["t"] / 1000, 1) for gap in gaps] == [12.5]
    assert sum("is not connected: ConnectionError" in error for error in errors(call)) == 2
