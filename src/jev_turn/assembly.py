"""Builds a bot's turn-taking processors and refuses settings that contradict them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregator,
)
from pipecat.processors.frame_processor import FrameProcessor

from jev_turn.errors import ConfigError
from jev_turn.policy import Policy, load_policy
from jev_turn.processors._record import Recorder
from jev_turn.processors.jev_judge import JevJudge
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
    ) -> None:
        policy = policy or load_policy()
        self.classifier = classifier or classifier_from_environment(language=language)
        self.judge = JevJudge(self.classifier, policy=policy, record=record, language=language)
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
        check_aggregator(aggregators.user())
        return Pipeline(
            [
                source,
                self.gate,
                stt,
                self.judge,
                aggregators.user(),
                llm,
                tts,
                sink,
                aggregators.assistant(),
            ]
        )


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
