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

from jev_turn.assembly import Duplex
from jev_turn.demo.caller import Caller
from jev_turn.demo.clips import Clips
from jev_turn.demo.listeners import BotWords
from jev_turn.demo.microphone import Played
from jev_turn.demo.plan import Conversation
from jev_turn.embedded.llm import ScriptedLLMService
from jev_turn.embedded.stt import EmbeddedSTTService
from jev_turn.embedded.tts import EmbeddedTTSService
from jev_turn.embedded.voice import EmbeddedVoice
from jev_turn.play.clock import LoopClock
from jev_turn.play.witness import Account, Witness
from jev_turn.policy import Policy
from jev_turn.record import CallRecord, Record
from jev_turn.record.oracle import Oracle

LANGUAGE = "en"

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
        oracle: What became of the words.
    """

    conversation: Conversation
    played: tuple[Played, ...]
    account: Account
    audible: tuple[Span, ...]
    records: tuple[Record, ...]
    record_began_ms: int
    oracle: Oracle


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
    """

    def __init__(
        self,
        conversation: Conversation,
        cast: Cast,
        record: CallRecord,
        on_play: Callable[[Played], None] | None = None,
        on_written: Callable[[str | None], None] | None = None,
    ) -> None:
        self._conversation, self._cast, self._record = conversation, cast, record
        self._stt = EmbeddedSTTService()
        self._witness = Witness(self._stt)
        self._caller = Caller(conversation, cast.clips, self._witness.start, on_play)
        self._duplex = Duplex(cast.judge(), policy=cast.policy, record=record, language=LANGUAGE)
        self._words = BotWords(record, self._duplex.judge.now_ms, on_written)

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
        judge = self._duplex.classifier.model or type(self._duplex.classifier).__name__
        values = self._cast.policy.for_judge(judge).as_dict()
        return {
            "name": self._conversation.name,
            "models": {
                "stt": "moonshine-tiny-en",
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
        pipeline = self._duplex.pipeline(
            stage.input(),
            self._stt,
            LLMContextAggregatorPair(LLMContext()),
            ScriptedLLMService(),
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
        return self._now_ms() - self._duplex.judge.now_ms()

    def _now_ms(self) -> int:
        return round((asyncio.get_running_loop().time() - self._caller.zero) * 1000)

    def _call(self, record_began_ms: int) -> Call:
        self._record.write("end", self._duplex.judge.now_ms(), why="hung_up")
        account, zero = self._witness.finish(), self._caller.zero
        dropped = [r for r in self._record.records if r.get("name") == "Discard"]
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
            account.oracle(
                [r["text"] for r in dropped if r["why"] != "hung_up"],
                [r["text"] for r in dropped if r["why"] == "hung_up"],
            ),
        )
