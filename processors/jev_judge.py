"""JevJudge: ends turns, keeps side-talk and nods away from the model, interrupts the agent."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    EagerEndOfTurnCancelFrame,
    EagerTranscriptionFrame,
    ErrorFrame,
    Frame,
    HeartbeatFrame,
    InterruptionFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    SystemFrame,
    TranscriptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregator
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.services.llm_service import LLMService

from jev_turn.errors import ConfigError
from jev_turn.policy import Policy
from jev_turn.processors._early_reply import EarlyReply, Speculations, strategies_for
from jev_turn.processors._host import aggregator_behind
from jev_turn.processors._record import Recorder
from jev_turn.processors._turns import TurnHost, policy_for
from jev_turn.processors._words import AnyTranscription, rewritten
from jev_turn.turn import events as ev
from jev_turn.turn.context import Context
from jev_turn.turn.effects import Claim, Discard, Effect, EndTurn, Speculate, Withdraw

_OF_THE_RECOGNISER = (
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
        ``InterruptionFrame`` both ways, once per reply. ``TurnStateFrame`` upstream. With
        ``speculate``, ``EagerTranscriptionFrame`` and ``EagerEndOfTurnCancelFrame``, and several
        finals of a turn as one.

    Example:
        judge = JevJudge(TypeSafeClassifier())
        Pipeline([transport.input(), SnrGate(), stt, judge, user_aggregator, llm, tts, ...])

    Args:
        classifier: Any Pipecat ``BaseClassifier``.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where to write what was seen and decided, for instance a ``CallRecord``.
        language: The recogniser's language tag: it chooses the stop words.
        speculate: Begin the reply while quiet still confirms the end of the turn; the model holds
            it until then. ``None`` asks the policy, where it is off.
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
        speculate: bool | None = None,
        **kwargs: Any,
    ) -> None:
        policy = policy_for(classifier, policy)
        chosen = {} if speculate is None else {"speculate": speculate}
        config = policy.turn(language=language, **chosen)
        super().__init__(
            classifier,
            config=config,
            policy=policy,
            strategies=strategies_for(config),
            record=record,
            language=language,
            **kwargs,
        )
        self._owed: list[TranscriptionFrame] = []
        self._sent: dict[int, TranscriptionFrame] = {}
        self._aggregator: LLMUserAggregator | None = None
        self._early = EarlyReply(self.push_frame)
        self.speculations = Speculations()

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        """Set up the judge; refuse to speculate without a model that can hold its reply."""
        await super().setup(setup)
        if self._config.speculate and not self._early.attach(setup.pipeline_worker):
            self._config = replace(self._config, speculate=False)
            self._strategies = strategies_for(self._config)
            raise ConfigError(
                f"{self}: speculate needs a model that can hold its reply until the turn ends, an "
                "LLMService of Pipecat's, and this bot has none: turns are taken without it"
            )

    async def cleanup(self) -> None:
        """Release the judge and the aggregator."""
        await super().cleanup()
        self._early.detach()
        if self._aggregator is not None:
            self._aggregator.remove_event_handler("on_before_process_frame", self._arrives)

    async def _start(self) -> None:
        await super()._start()
        self._aggregator = aggregator_behind(self)
        if self._aggregator is not None:
            self._aggregator.add_event_handler("on_before_process_frame", self._arrives)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Handle one frame; what a held reply would take along into the dark goes before it."""
        if self.context.guess is not None and _would_be_held(frame, direction):
            self.feed(ev.SpeculationLost(self.now_ms(), "application"))
            await self.drain()
        await super().process_frame(frame, direction)

    def _arrives(self, aggregator: LLMUserAggregator, frame: Frame) -> None:
        """Take back a final that a mute has overtaken: the aggregator is about to drop it."""
        sent = self._sent.pop(frame.id, None)
        if sent is not None and aggregator._user_is_muted:
            self._owed.append(sent)

    def _consumes(self, frame: Frame, direction: FrameDirection) -> bool:
        if isinstance(frame, _OF_THE_RECOGNISER):
            if direction is FrameDirection.DOWNSTREAM:
                return True
        if lost := self._loses(frame, direction):
            self.feed(ev.SpeculationLost(self.now_ms(), lost))
        return super()._consumes(frame, direction)

    def _loses(self, frame: Frame, direction: FrameDirection) -> str:
        """Say what takes the held reply away, if ``frame`` does."""
        if self.context.guess is None:
            return ""
        up = direction is FrameDirection.UPSTREAM
        match frame:
            case EagerEndOfTurnCancelFrame() if up:
                self._early.settled()
                return "pipeline"
            case ErrorFrame() if up and isinstance(frame.processor, LLMService):
                return "failed"
            case InterruptionFrame():
                return "interrupted"
        return ""

    def _translate(self, effect: Effect) -> None:
        self.speculations.count(effect)
        match effect:
            case Speculate() if self._muted:
                self.feed(ev.SpeculationLost(self.now_ms(), "muted"))
            case Speculate():
                self.order(partial(self._early.begin, effect.text, self._words.latest))
            case Withdraw():
                self.order(self._early.withdraw)
            case _:
                super()._translate(effect)

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
        if self._muted:
            # Another run may take the held reply's place before the words can follow it.
            await self._early.withdraw()
        if self._muted or not self._owed:
            return
        owed, self._owed = self._joined(), []
        self._early.settled()
        await self._propose()
        if self._aggregator is not None:
            self._sent |= {frame.id: frame for frame in owed}
        for frame in owed:
            await self.push_frame(frame)
        await self.push_frame(_stop())

    def _joined(self) -> list[TranscriptionFrame]:
        """Return the finals owed; those who compare them with early words need them as one."""
        if not self._config.speculate or len(self._owed) < 2:
            return self._owed
        return [rewritten(self._owed[-1], " ".join(frame.text for frame in self._owed))]


def _would_be_held(frame: Frame, direction: FrameDirection) -> bool:
    """Tell whether the model would hold ``frame``, such as speech that the application orders.

    It would be thrown away together with a reply that is withdrawn.
    """
    of_the_call = isinstance(frame, SystemFrame | HeartbeatFrame)
    if of_the_call or isinstance(frame, AnyTranscription) or isinstance(frame, _OF_THE_RECOGNISER):
        return False
    return direction is FrameDirection.DOWNSTREAM and frame.interruptible


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
