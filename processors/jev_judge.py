"""JevJudge: ends turns, keeps side-talk and nods away from the model, interrupts the agent."""

from __future__ import annotations

from functools import partial
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    EagerEndOfTurnCancelFrame,
    EagerTranscriptionFrame,
    Frame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    TranscriptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregator
from pipecat.processors.frame_processor import FrameDirection
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies

from jev_turn.policy import Policy
from jev_turn.processors._host import aggregator_behind
from jev_turn.processors._record import Recorder
from jev_turn.processors._turns import TurnHost, policy_for
from jev_turn.turn import events as ev
from jev_turn.turn.context import Context
from jev_turn.turn.effects import Claim, Discard, Effect, EndTurn

_TURNS_OF_THE_RECOGNISER = (
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    EagerTranscriptionFrame,
    EagerEndOfTurnCancelFrame,
)


class JevJudge(TurnHost):
    """Decides with a judge when a turn ends, whom it is for, and what interrupts the agent.

    Place:
        Between the recogniser and the user aggregator, whose parameters stay at their defaults.
        Behind any voice detector: SnrGate in front of the recogniser, a ``VADProcessor``, or a
        ``vad_analyzer`` in the aggregator.

    Consumes:
        Transcripts (held until their turn is decided), the recogniser's own turn and eager
        frames, and voice-detection frames of a second detector behind it.

    Emits:
        ``ProposedUserStartedSpeakingFrame`` when words are accepted as a turn, and again after
        each pause while that turn is open. At the end of a turn that frame, the held finals
        unmodified, and ``ProposedUserStoppedSpeakingFrame``. ``UserBackchannelFrame`` for a nod.
        ``InterruptionFrame`` both ways, once per reply. ``TurnStateFrame`` upstream.

    Example:
        judge = JevJudge(TypeSafeClassifier())
        Pipeline([transport.input(), SnrGate(), stt, judge, user_aggregator, llm, tts, ...])

    Args:
        classifier: Any Pipecat ``BaseClassifier``.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where to write what was seen and decided, for instance a ``CallRecord``.
        language: The recogniser's language tag: it chooses the stop words.
        **kwargs: For Pipecat's ``FrameProcessor``.
    """

    _stops_second_vad = True

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
            config=policy.turn(language=language),
            policy=policy,
            strategies=ExternalUserTurnStrategies(enable_interruptions=False),
            record=record,
            language=language,
            **kwargs,
        )
        self._owed: list[TranscriptionFrame] = []
        self._sent: dict[int, TranscriptionFrame] = {}
        self._aggregator: LLMUserAggregator | None = None

    async def cleanup(self) -> None:
        """Release the judge and the aggregator."""
        await super().cleanup()
        if self._aggregator is not None:
            self._aggregator.remove_event_handler("on_before_process_frame", self._arrives)

    async def _start(self) -> None:
        await super()._start()
        self._aggregator = aggregator_behind(self)
        if self._aggregator is not None:
            self._aggregator.add_event_handler("on_before_process_frame", self._arrives)

    def _arrives(self, aggregator: LLMUserAggregator, frame: Frame) -> None:
        """Take back a final that a mute has overtaken: the aggregator is about to drop it."""
        sent = self._sent.pop(frame.id, None)
        if sent is not None and aggregator._user_is_muted:
            self._owed.append(sent)

    def _consumes(self, frame: Frame, direction: FrameDirection) -> bool:
        if isinstance(frame, _TURNS_OF_THE_RECOGNISER):
            return direction is FrameDirection.DOWNSTREAM
        return super()._consumes(frame, direction)

    def _claim(self) -> None:
        self.order(self._propose)

    def _mirror(self, before: Context, event: ev.Event, effects: tuple[Effect, ...]) -> None:
        """Renew the claim after a pause; give it up when the turn is held.

        The aggregator's watchdog ends a turn after five silent seconds. It sleeps while a person
        is said to be speaking, which a claim says and the end of a sound takes back.
        """
        if self.context.mirrored and before.mirrored and isinstance(event, ev.Quieted):
            self.order(self._propose)
        elif _was_claimed(before, effects) and not self.context.mirrored and not _ends(effects):
            self.order(partial(self.push_frame, _stop()))

    def _end(self, effect: EndTurn) -> None:
        self._owed += self._words.take(effect.segments)
        self.order(self._commit)

    def _hang_up(self) -> None:
        """Leave a trace of words that a mute kept back, and then of those still open."""
        if self._muted and self._owed:
            unheard = Discard("hung_up", " ".join(frame.text for frame in self._owed))
            self._owed = []
            self._record.effect(unheard)
            self._discard(unheard)
        super()._hang_up()

    def _mute(self, muted: bool) -> None:
        super()._mute(muted)
        if not muted:
            self.order(self._catch_up)

    async def _catch_up(self) -> None:
        """Tell the aggregator what it did not hear while the user was muted."""
        await self._commit()
        if self.context.mirrored:
            await self._propose()
        else:
            await self.push_frame(_stop())

    async def _propose(self) -> None:
        await self.push_frame(ProposedUserStartedSpeakingFrame())

    async def _commit(self) -> None:
        """Hand the finals to the aggregator, which hears nothing while the user is muted."""
        if self._muted or not self._owed:
            return
        owed, self._owed = self._owed, []
        await self._propose()
        if self._aggregator is not None:
            self._sent |= {frame.id: frame for frame in owed}
        for frame in owed:
            await self.push_frame(frame)
        await self.push_frame(_stop())


def _stop() -> ProposedUserStoppedSpeakingFrame:
    """Make a stop that an interruption cannot drop behind its finals."""
    frame = ProposedUserStoppedSpeakingFrame()
    frame.interruptible = False
    return frame


def _was_claimed(before: Context, effects: tuple[Effect, ...]) -> bool:
    """Tell whether the turn was claimed; one verdict may claim it by interrupting and hold it."""
    return before.mirrored or any(isinstance(effect, Claim) for effect in effects)


def _ends(effects: tuple[Effect, ...]) -> bool:
    return any(isinstance(effect, EndTurn) for effect in effects)
