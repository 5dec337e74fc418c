"""BargeInClassifier: tells nods from interruptions in a bot that keeps its own end of turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    EagerEndOfTurnCancelFrame,
    EagerTranscriptionFrame,
    Frame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    ServiceMetadataFrame,
    TranscriptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.turns.user_stop import BaseUserTurnStopStrategy

from jev_turn.policy import Policy
from jev_turn.processors._host import stop_strategies_behind
from jev_turn.processors._opening import OpenedByWords, OwnEnd
from jev_turn.processors._record import Recorder
from jev_turn.processors._turns import TurnHost, policy_for
from jev_turn.processors._words import AnyTranscription
from jev_turn.turn import events as ev
from jev_turn.turn.context import Context
from jev_turn.turn.effects import Effect, EndTurn


class BargeInClassifier(TurnHost):
    """Lets words over the agent's speech through only when they take the floor.

    Words that are said while the agent is silent pass at once, and the bot's own strategies end
    the turn. Sound alone no longer interrupts: words do, and they withdraw a reply that is still
    being made.

    Place:
        Between the recogniser and the user aggregator, whose ``user_turn_strategies`` stay unset:
        a bot's own stop strategies are given here as ``stop``. Behind any voice detector: a
        ``VADProcessor``, a ``vad_analyzer`` in the aggregator, or SnrGate.

    Consumes:
        Transcripts over the agent's speech until they are judged, and what a recogniser with an
        end of turn of its own says about them.

    Emits:
        ``InterruptionFrame`` both ways when words stop the agent, ``UserBackchannelFrame`` for a
        nod, and the transcripts that it held, unmodified.

    Example:
        Pipeline([transport.input(), stt, BargeInClassifier(JevClassifier(...)), aggregator, ...])

    Args:
        classifier: Any Pipecat ``BaseClassifier``.
        stop: What ends a turn; the aggregator's default, or the recogniser's own, when empty.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where to write what was seen and decided.
        language: The recogniser's language tag: it chooses the stop words.
        **kwargs: For Pipecat's ``FrameProcessor``.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        *,
        stop: Sequence[BaseUserTurnStopStrategy] = (),
        policy: Policy | None = None,
        record: Recorder | None = None,
        language: str = "en",
        **kwargs: Any,
    ) -> None:
        policy = policy_for(classifier, policy)
        self._opening = OpenedByWords()
        self._own_stop = list(stop)
        super().__init__(
            classifier,
            config=policy.turn(language=language, ends=False, speculate=False),
            policy=policy,
            strategies=OwnEnd(start=[self._opening], stop=self._own_stop),
            record=record,
            language=language,
            **kwargs,
        )
        self._open = False
        self._proposal: Frame | None = None
        self._late: int | None = None

    async def _start(self) -> None:
        if not self._own_stop:
            self._strategies.stop = stop_strategies_behind(self)
        await super()._start()

    # --- frames ---------------------------------------------------------------------------------

    def _consumes(self, frame: Frame, direction: FrameDirection) -> bool:
        down = direction is FrameDirection.DOWNSTREAM
        match frame:
            case UserStartedSpeakingFrame() | UserStoppedSpeakingFrame() if not down:
                self._open = isinstance(frame, UserStartedSpeakingFrame)
                if not self._open:
                    self._ended_elsewhere()
            case ProposedUserStartedSpeakingFrame() | ProposedUserStoppedSpeakingFrame() if down:
                self._proposal = frame
                self._pass_proposal()
                return True
            case EagerTranscriptionFrame() | EagerEndOfTurnCancelFrame() if down:
                if not self._judges:
                    self._push_later(frame)
                return True
        return super()._consumes(frame, direction)

    def _heard(self, frame: AnyTranscription) -> None:
        if self._words.segment == self._late and self._judges:
            self._heard_late(frame)
            return
        claimed = self.context.turn.claimed
        super()._heard(frame)
        if claimed and self.context.turn.claimed:
            self._release()

    def _heard_late(self, frame: AnyTranscription) -> None:
        """Pass a final whose interim was accepted before the bot ended the turn without it.

        The bot speaks by then, but these words were not said over it.
        """
        number = self._words.hold(frame)
        if isinstance(frame, TranscriptionFrame):
            self._late = None
            self._words.forget(number)
            self._record.heard(frame.text, number, final=True)
            self.order(self._interrupt)
            self._push_later(frame)

    def _agent_changed(self) -> None:
        if self._agent.state == "speaking" and not self._open:
            self._ended_elsewhere()
        super()._agent_changed()

    def _ended_elsewhere(self) -> None:
        if self.context.turn.claimed:
            self.feed(ev.EndedElsewhere(self.now_ms(), "the bot's own end of turn"))

    @property
    def _judges(self) -> bool:
        """Tell whether words have to be judged before they may pass."""
        return self.context.agent.speaks and not self.context.turn.claimed

    # --- effects --------------------------------------------------------------------------------

    def _claim(self) -> None:
        self._release()

    def _release(self) -> None:
        """Let go of what is held. An interim is seen early; its final follows."""
        for final in self._words.take(self.context.turn.finals):
            self._push_later(final)
        if interim := self._words.interim:
            self._push_later(interim)

    def _mirror(self, before: Context, event: ev.Event, effects: tuple[Effect, ...]) -> None:
        self._pass_proposal()
        ended = before.turn.claimed and not self.context.turn.has_words
        if ended and before.turn.interim:
            self._late = before.turn.interim.number

    def _pass_proposal(self) -> None:
        """Pass the recogniser's latest word on its own turn, behind the words that it is about."""
        if self._proposal is not None and (self._open or not self._judges):
            self._push_later(self._proposal)
            self._proposal = None

    def _push_later(self, frame: Frame) -> None:
        self.order(partial(self.push_frame, frame))

    def _end(self, effect: EndTurn) -> None:
        raise AssertionError("a machine with ends=False ends no turn")

    def _advertise_on(self, frame: ServiceMetadataFrame) -> None:
        """Keep a recogniser's own end of turn, but not its way to open one."""
        self._recogniser = self._recogniser or frame.service_name
        if frame.user_turn_strategies is not None:
            stop = self._own_stop or frame.user_turn_strategies.stop
            frame.user_turn_strategies = OwnEnd(start=[self._opening], stop=stop)
