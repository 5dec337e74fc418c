"""Holds one call: a conversation through the whole pipeline, and everything that came to light."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.workers.runner import WorkerRunner

from jev_turn.assembly import Duplex, FinishTurn
from jev_turn.demo.caller import Caller
from jev_turn.demo.clips import Clips
from jev_turn.demo.inventing import InventingSTTService
from jev_turn.demo.kept import Before, Kept
from jev_turn.demo.listeners import BotWords
from jev_turn.demo.microphone import Played
from jev_turn.demo.plan import Conversation
from jev_turn.demo.words_kept import oracle
from jev_turn.embedded.llm import ScriptedLLMService
from jev_turn.embedded.tts import EmbeddedTTSService
from jev_turn.embedded.voice import EmbeddedVoice
from jev_turn.play.clock import LoopClock
from jev_turn.play.witness import Account, Witness
from jev_turn.policy import Policy
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.reply_list import ReplyList
from jev_turn.record import CallRecord, Record
from jev_turn.record.oracle import Oracle

LANGUAGE = "en"

INVENTED_AFTER_S = 0.6
"""A recogniser needs some time to make something of a noise, s."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was held. Times are in ms since the microphone's first sample.

    Attributes:
        conversation: What was to be said.
        played: The sounds, with their labels.
        account: What came to light outside the processors.
        audible: (begin, end) of what was to be heard of the bot.
        records: The call record.
        record_began_ms: Where the record's zero lies.
        oracle: What became of the words, those of a killed process among them.
        before: What a killed process has left of the call.
    """

    conversation: Conversation
    played: tuple[Played, ...]
    account: Account
    audible: tuple[Span, ...]
    records: tuple[Record, ...]
    record_began_ms: int
    oracle: Oracle
    before: Before | None = None


@dataclass(frozen=True, slots=True)
class Cast:
    """What all calls of a demo have in common.

    Attributes:
        judge: Makes a call's judge.
        policy: Every setting.
        voice: Speaks the bot's lines.
        clips: The sounds that the microphone hears.
    """

    judge: Callable[[], BaseClassifier]
    policy: Policy
    voice: EmbeddedVoice
    clips: Clips


class Studio:
    """One call's pipeline, with everything that watches it from outside.

    Args:
        conversation: What is to be said.
        cast: What the call has in common with others.
        record: Takes the call record.
        on_play: Told of each sound as it begins.
        on_written: See ``BotWords``.
        kept: For a call that outlives a process; without it nothing is kept.
    """

    def __init__(
        self,
        conversation: Conversation,
        cast: Cast,
        record: CallRecord,
        on_play: Callable[[Played], None] | None = None,
        on_written: Callable[[str | None], None] | None = None,
        *,
        kept: Kept | None = None,
    ) -> None:
        self._conversation, self._cast, self._record = conversation, cast, record
        self._on_play, self._kept = on_play, kept
        self._sounded = asyncio.Event()
        self._inventions: list[asyncio.Task[None]] = []
        self._stt = InventingSTTService()
        self._llm = ScriptedLLMService()
        self._witness = Witness(self._stt)
        setup = conversation.finish_turn
        self._caller = Caller(
            conversation,
            cast.clips,
            self._witness.start,
            self._played,
            echo=setup is not None and setup.echo,
        )
        self._bot = self._turn_taking()
        self._words = BotWords(record, self._host.now_ms, on_written)

    def _turn_taking(self) -> Duplex | FinishTurn:
        cast, setup, kept = self._cast, self._conversation.finish_turn, self._kept
        if setup is None:
            return Duplex(cast.judge(), policy=cast.policy, record=self._record, language=LANGUAGE)
        return FinishTurn(
            cast.judge(),
            llm=self._llm,
            mic_gate=setup.mic_gate,
            place=kept.place if kept else None,
            call=kept.call if kept else None,
            persist=kept is not None,
            policy=cast.policy,
            record=self._record,
            language=LANGUAGE,
        )

    @property
    def _host(self) -> JevJudge | ReplyList:
        return self._bot.judge if isinstance(self._bot, Duplex) else self._bot.replies

    async def all_played(self, count: int) -> None:
        """Wait until ``count`` sounds have been played to their ends."""
        while len(self._caller.played) < count:
            self._sounded.clear()
            await self._sounded.wait()
        await asyncio.sleep((self._caller.played[count - 1].end_ms - self._now_ms()) / 1000)

    def _played(self, played: Played) -> None:
        self._sounded.set()
        if self._on_play is not None:
            self._on_play(played)
        if played.step.invents:
            self._inventions.append(asyncio.ensure_future(self._invent(played.step.invents)))

    async def _invent(self, text: str) -> None:
        await asyncio.sleep(INVENTED_AFTER_S)
        await self._stt.invent(text)

    async def hold(self) -> Call:
        """Hold the call on the running loop, in real or virtual time.

        Returns:
            What came to light.
        """
        self._record.write("call", 0, **self._heading())
        worker = self._worker()
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(worker)
        talking = asyncio.ensure_future(self._talk(worker))
        await runner.run()
        return self._call(await talking)

    def _heading(self) -> dict[str, Any]:
        judge = self._bot.classifier.model or type(self._bot.classifier).__name__
        values = self._cast.policy.for_judge(judge).as_dict()
        return {
            "name": self._conversation.name,
            "models": {
                "stt": self._stt.model_name,
                "llm": "scripted",
                "tts": "hibari",
                "judge": judge,
            },
            # What stands in a table by language is written for this call's language.
            "policy": {k: v.get(LANGUAGE) if isinstance(v, dict) else v for k, v in values.items()},
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "language": LANGUAGE,
        }

    def _worker(self) -> PipelineWorker:
        stage = self._caller.transport
        pipeline = self._bot.pipeline(
            stage.input(),
            self._stt,
            LLMContextAggregatorPair(LLMContext()),
            self._llm,
            EmbeddedTTSService(voice=self._cast.voice),
            stage.output(),
        )
        return PipelineWorker(
            pipeline,
            clock=LoopClock(),
            observers=[self._witness, self._caller.ear, self._words],
            idle_timeout_secs=None,
        )

    async def _talk(self, worker: PipelineWorker) -> int:
        """Hold the conversation; tell where the record's clock began."""
        await self._caller.talk(worker)
        return self._now_ms() - self._host.now_ms()

    def _now_ms(self) -> int:
        return round((asyncio.get_running_loop().time() - self._caller.zero) * 1000)

    def _call(self, record_began_ms: int) -> Call:
        self._record.write("end", self._host.now_ms(), why="hung_up")
        account, zero = self._witness.finish(), self._caller.zero
        before = self._kept.before if self._kept else None
        return Call(
            self._conversation,
            self._caller.played,
            account,
            tuple(
                (round((begin - zero) * 1000), round((end - zero) * 1000))
                for begin, end in self._caller.loudspeaker.spans
            ),
            tuple(self._record.records),
            record_began_ms,
            oracle(
                account, self._record.records, self._pending(), before.records if before else ()
            ),
            before,
        )

    def _pending(self) -> list[str]:
        cuts = self._bot.replies.context.pending if isinstance(self._bot, FinishTurn) else ()
        return [cut.text for cut in cuts]
