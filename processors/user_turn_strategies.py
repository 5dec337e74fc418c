"""JevJudge as Pipecat turn strategies, for who wants to give them to an aggregator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InterimTranscriptionFrame,
    InterruptionFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    ServiceMetadataFrame,
    TranscriptionFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_start import (
    BaseUserTurnStartStrategy,
    ExternalUserTurnStartStrategy,
)
from pipecat.turns.user_stop import BaseUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from jev_turn.policy import Policy
from jev_turn.processors._record import Recorder
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.turn.effects import Backchannel, Discard


@dataclass
class TurnCommitFrame(ProposedUserStoppedSpeakingFrame):
    """The judge has ended the turn; the proposal that it derives from only gives a claim up.

    A ControlFrame, because it must stay behind the transcripts of its turn.
    """


class JevTurns(JevJudge):
    """A ``JevJudge`` outside any pipeline: it sees what an aggregator sees, and acts by it.

    Args:
        *args: For ``JevJudge``.
        **kwargs: For ``JevJudge``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.acts_by: BaseUserTurnStartStrategy | None = None

    async def see(self, frame: Frame) -> None:
        """Take note of a frame that the aggregator has taken.

        Strategies that are put in during a call have missed its ``StartFrame``.
        """
        if self.judge is None:
            await self._start()
        match frame:
            case EndFrame() | CancelFrame():
                self._hang_up()
            case _:
                self._consumes(frame, FrameDirection.DOWNSTREAM)

    async def push_frame(
        self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM
    ) -> None:
        """Hand a frame to the aggregator."""
        if self.acts_by is not None:
            await self.acts_by.push_frame(frame, direction)

    async def broadcast_frame(self, frame_cls: type[Frame], **kwargs: Any) -> None:
        """Tell nobody which strategies to use: these are in use."""

    def _advertise_on(self, frame: ServiceMetadataFrame) -> None:
        self._recogniser = self._recogniser or frame.service_name

    async def _interrupt(self) -> None:
        if self.acts_by is not None:
            await self.acts_by.broadcast_frame(InterruptionFrame)

    async def _commit(self) -> None:
        """The aggregator has the finals already."""
        self._owed = []
        await self.push_frame(ProposedUserStartedSpeakingFrame())
        commit = TurnCommitFrame()
        commit.interruptible = False
        await self.push_frame(commit)

    def _nod(self, effect: Backchannel) -> None:
        self.order(self._forget)
        super()._nod(effect)

    def _discard(self, effect: Discard) -> None:
        self.order(self._forget)
        super()._discard(effect)

    async def _forget(self) -> None:
        if self.acts_by is not None:
            await self.acts_by.trigger_reset_aggregation()  # type: ignore[no-untyped-call]


class JevUserTurnStartStrategy(ExternalUserTurnStartStrategy):
    """Opens a turn when words are accepted as one, and lets the judge see every frame.

    Args:
        turns: The judge, shared with the stop strategy beside it.
    """

    def __init__(self, turns: JevTurns) -> None:
        super().__init__(enable_interruptions=False)
        self.turns = turns
        turns.acts_by = self

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        """Set up the judge with the strategy."""
        await super().setup(setup)
        await self.turns.setup(setup)

    async def cleanup(self) -> None:
        """Release the judge with the strategy."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self.turns.cleanup()

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Show the frame to the judge, and open a turn if it is the judge's proposal."""
        await self.turns.see(frame)
        return await super().process_frame(frame)


class JevUserTurnStopStrategy(BaseUserTurnStopStrategy):
    """Ends the turn at the judge's word, or at the final that it did not wait for."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._unfinished = False
        self._due = False

    @property
    def resolves_proposed_turn_stop_frames(self) -> bool:
        """Consume proposals: they are the judge's."""
        return True

    async def handle_user_turn_stopped(self) -> None:
        """Begin anew."""
        self._unfinished = self._due = False

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """End the turn, if this frame is a reason to."""
        match frame:
            case InterimTranscriptionFrame():
                self._unfinished = True
            case TranscriptionFrame():
                self._unfinished = False
            case TurnCommitFrame():
                self._due = True
        if self._due and not self._unfinished:
            self._due = False
            await self.trigger_user_turn_stopped()
        return ProcessFrameResult.CONTINUE


@dataclass
class JevUserTurnStrategies(UserTurnStrategies):
    """What ``JevJudge`` decides, as strategies: when a turn ends, whom it is for, what interrupts.

    Place: ``LLMUserAggregatorParams(user_turn_strategies=...)``, in a bot that cannot take a
    processor more. Any voice detector, any recogniser. Do not use ``JevJudge`` beside it.

    A strategy sees words only when the aggregator has taken them. Hence, other than the processor,
    it ends no turn before the recogniser's final has come; side-talk and nods take everything with
    them that the aggregator has not yet written; and an interruption from elsewhere may drop a
    final on its way to the aggregator.

    Example::

        strategies = JevUserTurnStrategies(TypeSafeClassifier())
        params = LLMUserAggregatorParams(user_turn_strategies=strategies)

    Parameters:
        classifier: Any Pipecat ``BaseClassifier``.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where to write what was seen and decided.
        language: The recogniser's language tag: it chooses the stop words.
    """

    start: list[BaseUserTurnStartStrategy] | None = field(default=None, init=False)
    stop: list[BaseUserTurnStopStrategy] | None = field(default=None, init=False)
    classifier: BaseClassifier
    policy: Policy | None = None
    record: Recorder | None = None
    language: str = "en"

    def __post_init__(self) -> None:
        turns = JevTurns(
            self.classifier, policy=self.policy, record=self.record, language=self.language
        )
        self.start = [JevUserTurnStartStrategy(turns)]
        self.stop = [JevUserTurnStopStrategy()]
