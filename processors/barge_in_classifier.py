"""BargeInClassifier: tells nods from interruptions in a bot that keeps its own end of turn."""

from __future__ import annotations

from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    Frame,
    ProposedUserStartedSpeakingFrame,
    ServiceMetadataFrame,
    TranscriptionFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.turns.user_start import ExternalUserTurnStartStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from jev_turn.policy import Policy
from jev_turn.processors._record import Recorder
from jev_turn.processors._turns import TurnHost, policy_for
from jev_turn.processors._words import AnyTranscription
from jev_turn.turn import events as ev
from jev_turn.turn.effects import EndTurn


class BargeInClassifier(TurnHost):
    """Lets words over the agent's speech through only when they take the floor.

    Words that are said while the agent is silent pass at once, and the bot's own strategies end
    the turn. Sound alone no longer interrupts: words do.

    Place:
        Between the recogniser and the user aggregator, whose ``user_turn_strategies`` stay unset
        or name stop strategies by ``UserTurnStrategies(start=[...], stop=[...])`` of ours.

    Consumes:
        Transcripts over the agent's speech, until they are judged.

    Emits:
        ``ProposedUserStartedSpeakingFrame`` when words open a turn, ``InterruptionFrame`` both
        ways when they stop the agent, ``UserBackchannelFrame`` for a nod.

    Example:
        Pipeline([transport.input(), stt, BargeInClassifier(JevClassifier(...)), aggregator, ...])

    Args:
        classifier: Any Pipecat ``BaseClassifier``.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where to write what was seen and decided.
        language: The recogniser's language tag: it chooses the stop words.
        **kwargs: For Pipecat's ``FrameProcessor``.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        *,
        policy: Policy | None = None,
        record: Recorder | None = None,
        language: str = "en",
        **kwargs: Any,
    ) -> None:
        policy = policy_for(classifier, policy)
        super().__init__(
            classifier,
            config=policy.turn(language=language, ends=False),
            policy=policy,
            strategies=UserTurnStrategies(start=[_words_open()]),
            record=record,
            language=language,
            **kwargs,
        )

    def _consumes(self, frame: Frame, direction: FrameDirection) -> bool:
        ended = isinstance(frame, UserStoppedSpeakingFrame) and self.context.turn.claimed
        if ended and direction is FrameDirection.UPSTREAM:
            self.feed(ev.EndedElsewhere(self.now_ms(), "the bot's own end of turn"))
        return super()._consumes(frame, direction)

    def _heard(self, frame: AnyTranscription) -> None:
        super()._heard(frame)
        if self.context.turn.claimed:
            self._release(frame)

    def _claim(self) -> None:
        self.order(self._propose)
        self._release(None)

    def _release(self, interim: AnyTranscription | None) -> None:
        """Let go of what is held, and of an interim of a turn that is already open."""
        for final in self._words.take(self.context.turn.finals):
            self._push_later(final)
        if interim is not None and not isinstance(interim, TranscriptionFrame):
            self._push_later(interim)

    def _push_later(self, frame: Frame) -> None:
        async def push() -> None:
            await self.push_frame(frame)

        self.order(push)

    def _end(self, effect: EndTurn) -> None:
        raise AssertionError("a machine with ends=False ends no turn")

    def _advertise_on(self, frame: ServiceMetadataFrame) -> None:
        """Keep a recogniser's own end of turn, but not its way to open one."""
        self._recogniser = self._recogniser or frame.service_name
        if frame.user_turn_strategies is not None:
            frame.user_turn_strategies = UserTurnStrategies(
                start=[_words_open()], stop=frame.user_turn_strategies.stop
            )

    async def _propose(self) -> None:
        await self.push_frame(ProposedUserStartedSpeakingFrame())


def _words_open() -> ExternalUserTurnStartStrategy:
    return ExternalUserTurnStartStrategy(enable_interruptions=False)
