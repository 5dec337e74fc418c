"""Builds a bot's turn-taking processors and refuses settings that contradict them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregator,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.llm_service import LLMService
from pipecat.transports.base_transport import BaseTransport

from jev_turn.errors import ConfigError
from jev_turn.judges.shared import SharedClassifier
from jev_turn.policy import Policy, load_policy
from jev_turn.processors._pipecat import parts_of
from jev_turn.processors._record import Recorder
from jev_turn.processors.barge_in_classifier import BargeInClassifier
from jev_turn.processors.gate_sink import GateSink
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.mic_gate import MicGate, wants_mic_gate
from jev_turn.processors.reply_list import ReplyList
from jev_turn.processors.snr_gate import SnrGate
from jev_turn.record.microphone import gate_recorder

API_KEY_ENV = "TYPESAFE_API_KEY"


class Duplex:
    """Turn-taking with real barge-in: open fast on sound, decide late on text.

    Args:
        classifier: Any Pipecat classifier; ``classifier_from_environment()`` by default.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where the processors write what they saw and decided.
        language: The recogniser's language tag.
        speculate: Begin the reply while quiet still confirms the end of the turn; ``None`` asks the
            policy, where it is off.

    Example:
        duplex = Duplex()
        pipeline = duplex.pipeline(
            transport.input(), stt, aggregators, llm, tts, transport.output()
        )
    """

    def __init__(
        self,
        classifier: BaseClassifier | None = None,
        *,
        policy: Policy | None = None,
        record: Recorder | None = None,
        language: str = "en",
        speculate: bool | None = None,
    ) -> None:
        policy = policy or load_policy()
        self.classifier = classifier or classifier_from_environment(language=language)
        self.judge = JevJudge(
            self.classifier, policy=policy, record=record, language=language, speculate=speculate
        )
        lines = gate_recorder(record, self.judge.now_ms) if record is not None else None
        self.gate = SnrGate(policy.gate(), recorder=lines)

    def pipeline(
        self,
        source: FrameProcessor,
        stt: FrameProcessor,
        aggregators: LLMContextAggregatorPair,
        llm: FrameProcessor,
        tts: FrameProcessor,
        sink: FrameProcessor,
    ) -> Pipeline:
        """Put the processors in their places.

        Args:
            source: The transport's input.
            stt: Speech recognition.
            aggregators: The context's pair, with default turn settings.
            llm: The language model.
            tts: Speech synthesis.
            sink: The transport's output.

        Returns:
            The pipeline.

        Raises:
            ConfigError: The user aggregator has turn-taking of its own.
        """
        parts = [source, self.gate, stt, self.judge, aggregators.user(), llm, tts, sink]
        return _checked([*parts, aggregators.assistant()], aggregators)


class FinishTurn:
    """Turn-taking without barge-in: a durable reply list, and a gate on the mouth.

    Args:
        classifier: Any Pipecat classifier; ``classifier_from_environment()`` by default.
        llm: The bot's model: its tools wait with the words that they belong to, and it summarises
            what a peer's memory has outgrown.
        mic_gate: Mute the microphone while the bot is audible. ``None`` asks the transport: off
            where echo cancellation is part of the connection, so that words over the bot are heard
            and wait in the list; on everywhere else, and without a transport.
        transport: The bot's, for ``mic_gate=None``.
        place: Where the reply list is kept; see ``ReplyList``.
        call: The call to take up again; ``None`` begins one.
        persist: False keeps everything in memory.
        peer: Who calls, for memory over many calls; nobody by default.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where the processors write what they saw and decided.
        language: The recogniser's language tag.

    Example:
        finish = FinishTurn(llm=llm, place="calls", transport=transport)
        pipeline = finish.pipeline(
            transport.input(), stt, aggregators, llm, tts, transport.output()
        )
    """

    def __init__(
        self,
        classifier: BaseClassifier | None = None,
        *,
        llm: LLMService | None = None,
        mic_gate: bool | None = None,
        transport: BaseTransport | None = None,
        place: str | Path | None = None,
        call: str | None = None,
        persist: bool = True,
        peer: str | None = None,
        policy: Policy | None = None,
        record: Recorder | None = None,
        language: str = "en",
    ) -> None:
        policy = policy or load_policy()
        inner = classifier or classifier_from_environment(language=language)
        self.classifier = SharedClassifier(inner)
        self.replies = ReplyList(
            self.classifier,
            place=place,
            call=call,
            persist=persist,
            peer=peer,
            llm=llm,
            policy=policy,
            record=record,
            language=language,
        )
        now_ms = self.replies.now_ms
        lines = gate_recorder(record, now_ms) if record is not None else None
        self.gate = SnrGate(policy.gate(), recorder=lines)
        if mic_gate is None:
            mic_gate = transport is None or wants_mic_gate(transport)
        self.mic_gate = MicGate(policy=policy, record=record, now_ms=now_ms) if mic_gate else None
        self.sink = GateSink(
            self.classifier,
            llm=llm,
            policy=policy,
            record=record,
            now_ms=now_ms,
            language=language,
            on_event=self.replies.mouth,
            before_audio=self.replies.spoke,
        )

    def pipeline(
        self,
        source: FrameProcessor,
        stt: FrameProcessor,
        aggregators: LLMContextAggregatorPair,
        llm: FrameProcessor,
        tts: FrameProcessor,
        sink: FrameProcessor,
    ) -> Pipeline:
        """Put the processors in their places; arguments and errors as in ``Duplex.pipeline``."""
        muted = [self.mic_gate] if self.mic_gate else []
        heard = [source, *muted, self.gate, stt, self.replies, aggregators.user()]
        return _checked([*heard, llm, tts, self.sink, sink, aggregators.assistant()], aggregators)


def _checked(parts: list[FrameProcessor], aggregators: LLMContextAggregatorPair) -> Pipeline:
    check_aggregator(aggregators.user())
    check_mixture(parts)
    return Pipeline(parts)


def check_mixture(processors: Iterable[FrameProcessor]) -> None:
    """Refuse processors of both ways of taking turns in one bot.

    Args:
        processors: Of one pipeline; pipelines among them are looked into.

    Raises:
        ConfigError: A muted microphone cannot barge in, and two turn-takers end turns twice.
    """
    parts = [part for processor in processors for part in parts_of(processor)]
    barge_in = [part for part in parts if isinstance(part, JevJudge | BargeInClassifier)]
    waiting = [part for part in parts if isinstance(part, ReplyList | MicGate)]
    if barge_in and waiting:
        first, second = (type(found[0]).__name__ for found in (barge_in, waiting))
        mutes = any(isinstance(part, MicGate) for part in waiting)
        why = "a muted microphone cannot barge in" if mutes else "both end turns"
        raise ConfigError(f"{first} and {second} in one bot: {why}; take one of them")


def check_aggregator(aggregator: LLMUserAggregator) -> None:
    """Refuse a user aggregator that would take turns beside us.

    Raises:
        ConfigError: Naming the parameter.
    """
    params = aggregator._params
    for name in ("user_turn_strategies", "vad_analyzer"):
        value = getattr(params, name, None)
        if value is not None:
            raise ConfigError(
                f"LLMUserAggregatorParams.{name}: {type(value).__name__} takes turns beside "
                f"JevJudge and SnrGate; leave {name} unset"
            )


def classifier_from_environment(
    env: Mapping[str, str] | None = None, *, language: str = "en"
) -> BaseClassifier:
    """Return Jev when ``TYPESAFE_API_KEY`` is set, and otherwise the judge inside the package.

    Args:
        env: In place of the process environment.
        language: The recogniser's language tag, for the embedded judge.

    Raises:
        ConfigError: Without a key and without the ``embedded`` extra.
    """
    env = os.environ if env is None else env
    if env.get(API_KEY_ENV, "").strip():
        from jev_turn.judges.typesafe import TypeSafeClassifier

        return TypeSafeClassifier(env=env)
    try:
        from jev_turn.judges.embedded import EmbeddedClassifier
    except ImportError as error:
        raise ConfigError(
            f"{API_KEY_ENV} is not set, and the embedded judge needs the extra `embedded`: {error}"
        ) from error
    return EmbeddedClassifier(language=language)
