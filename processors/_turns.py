"""Hosts the turn machine: what JevJudge and BargeInClassifier have in common."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from loguru import logger
from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InterimTranscriptionFrame,
    ServiceMetadataFrame,
    StartFrame,
    STTMetadataFrame,
    TranscriptionFrame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameCallback, FrameDirection, FrameProcessorSetup
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from jev_turn.judges.bundles import SPECULATING, TURN
from jev_turn.judges.judge import Judge
from jev_turn.judges.state import Situation
from jev_turn.judges.transcript import stable_word_ratio, trajectory
from jev_turn.policy import Policy, load_policy, load_questions
from jev_turn.processors._agent import AgentTracker
from jev_turn.processors._host import MachineHost, Tap, warn_if_overruled
from jev_turn.processors._pipecat import UserBackchannelFrame, watch
from jev_turn.processors._record import Recorder, TurnRecord, turn_state
from jev_turn.processors._words import AnyTranscription, HeldWords
from jev_turn.processors.frames import MicStalledFrame, TurnStateFrame
from jev_turn.turn import events as ev
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Context
from jev_turn.turn.effects import (
    AskJudge,
    Backchannel,
    Claim,
    Discard,
    Effect,
    EndTurn,
    Interrupt,
    Note,
    OpenTurn,
)
from jev_turn.turn.machine import dispatch

_UP, _DOWN = FrameDirection.UPSTREAM, FrameDirection.DOWNSTREAM


class TurnHost(MachineHost):
    """Feeds the turn machine with frames and translates its effects.

    Args:
        classifier: Any Pipecat classifier; it is set up and cleaned up here.
        config: The machine's settings.
        policy: The judge's settings.
        strategies: The turn strategies to advertise.
        record: Where to write what was seen and decided.
        language: The recogniser's language, for the judge's state.
        **kwargs: For Pipecat's ``FrameProcessor``.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        *,
        config: TurnConfig,
        policy: Policy,
        strategies: UserTurnStrategies,
        record: Recorder | None,
        language: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.context = Context()
        self.judge: Judge | None = None
        self._classifier = classifier
        self._config = config
        self._policy = policy
        self._strategies = strategies
        self._record = TurnRecord(record, self.now_ms, config)
        self._language = language
        self._recogniser = ""
        self._agent = AgentTracker()
        self._agent_told: ev.AgentState = "listening"
        self._words = HeldWords()
        self._muted = False
        self._gate_before_us = False

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        """Set up the judge and listen to the rest of the pipeline."""
        await super().setup(setup)
        watch(setup.pipeline_worker, Tap(self._agent, self._agent_changed))
        # The last step: a pipeline goes on behind a processor whose setup has failed.
        await self._classifier.setup(setup.task_manager)

    async def cleanup(self) -> None:
        """Stop asking and release the judge."""
        await super().cleanup()
        if self.judge is not None:
            await self.judge.close()
        await self._classifier.cleanup()  # type: ignore[no-untyped-call]

    async def queue_frame(
        self,
        frame: Frame,
        direction: FrameDirection = _DOWN,
        callback: FrameCallback | None = None,
    ) -> None:
        """Queue a frame; no interruption may drop one that holds a person's words."""
        if isinstance(frame, AnyTranscription):
            frame.interruptible = False
        await super().queue_frame(frame, direction, callback)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Handle one frame; it goes on unless it is consumed."""
        await super().process_frame(frame, direction)
        if isinstance(frame, StartFrame):
            await self.push_frame(frame, direction)
            await self._start()
            return
        if isinstance(frame, EndFrame | CancelFrame):
            self._hang_up()
        if isinstance(frame, EndFrame):
            await self.drain()
        if isinstance(frame, EndFrame | CancelFrame):
            self._record.ended(frame)
        if not self._consumes(frame, direction):
            await self.push_frame(frame, direction)

    async def _start(self) -> None:
        self.start_host()
        self.judge = Judge(
            self._classifier,
            load_questions(),
            self._policy.judge(),
            clock_ms=self.now_ms,
            create_task=self.create_task,
            on_event=self.feed,
            on_record=self._record.answer,
            bundles=SPECULATING if self._config.speculate else TURN,
        )
        warn_if_overruled(self)
        await self.broadcast_frame(
            ServiceMetadataFrame, service_name=self.name, user_turn_strategies=self._strategies
        )

    def _hang_up(self) -> None:
        if self.judge is not None and not self.context.over:
            self.feed(ev.HungUp(self.now_ms()))

    # --- frames to events ---------------------------------------------------------------------

    def _consumes(self, frame: Frame, direction: FrameDirection) -> bool:
        """Take note of ``frame`` and tell whether it stays here."""
        match frame:
            case TranscriptionFrame() | InterimTranscriptionFrame() if direction is _DOWN:
                self._heard(frame)
                return True
            case VADUserStartedSpeakingFrame():
                return self._vad(ev.Onset(self.now_ms()), direction)
            case VADUserStoppedSpeakingFrame():
                quiet_ms = round(frame.stop_secs * 1000)
                return self._vad(ev.Quieted(self.now_ms(), quiet_ms), direction)
            case MicStalledFrame() if direction is _DOWN:
                self.feed(ev.Stalled(self.now_ms(), frame.stalled))
            case UserMuteStartedFrame() | UserMuteStoppedFrame():
                self._mute(isinstance(frame, UserMuteStartedFrame))
            case ServiceMetadataFrame() if direction is _DOWN:
                self._advertise_on(frame)
                if isinstance(frame, STTMetadataFrame):
                    self._wait_for_finals(frame)
        return False

    def _heard(self, frame: AnyTranscription) -> None:
        final = isinstance(frame, TranscriptionFrame)
        number = self._words.hold(frame)
        self._record.heard(frame.text, number, final=final)
        now, before = self.now_ms(), self.context.turn.text
        self.feed(ev.Heard(now, frame.text, final, number))
        self._words.changed(before, self.context.turn.text, now)
        if final and all(s.number != number for s in self.context.turn.finals):
            self._words.forget(number)

    def _vad(self, event: ev.Onset | ev.Quieted, direction: FrameDirection) -> bool:
        """Listen to one voice detector only: the one in front of us, if there is one."""
        if direction is _DOWN:
            self._gate_before_us = True
        elif self._gate_before_us:
            return self._stops_second_vad
        self.feed(event)
        return False

    _stops_second_vad = False

    def _mute(self, muted: bool) -> None:
        self._muted = muted

    def _advertise_on(self, frame: ServiceMetadataFrame) -> None:
        """Put our strategies in place of a recogniser's, whose frame comes later and would win."""
        self._recogniser = self._recogniser or frame.service_name
        if frame.user_turn_strategies is not None:
            frame.user_turn_strategies = self._strategies

    def _wait_for_finals(self, frame: STTMetadataFrame) -> None:
        """Commit no interim while its final, which may hold more words, can still be on its way."""
        late_ms = max(self._config.interim_quiet_ms, round(frame.ttfs_p99_latency * 1000))
        self._config = replace(self._config, interim_quiet_ms=late_ms)

    def _agent_changed(self) -> None:
        if self.judge is None or self.context.over:
            return
        state = self._agent.state
        if state != self._agent_told:
            self._agent_told = state
            self._record.agent(state)
            self.feed(ev.Agent(self.now_ms(), state))

    # --- effects to frames --------------------------------------------------------------------

    def feed(self, event: ev.Event) -> None:
        """Give the machine one event and carry out what it answers."""
        before = self.context
        self.context, effects = dispatch(before, event, self._config)
        self.arm(self.context.deadline, self._tick)
        if change := turn_state(before, self.context):
            gate = TurnStateFrame(open=change[0], words=change[1])
            self.order(partial(self.push_frame, gate, _UP))
        for effect in effects:
            self._record.effect(effect)
            self._translate(effect)
        self._mirror(before, event, effects)

    def _tick(self) -> None:
        self.feed(ev.Tick(self.now_ms()))

    def _translate(self, effect: Effect) -> None:
        match effect:
            case OpenTurn():
                self.feed(ev.Opened(self.now_ms()))
            case AskJudge() if self.judge is not None:
                self.judge.submit(effect, self._situation(effect))
            case Claim():
                self._claim()
            case Interrupt():
                self.order(self._interrupt)
            case EndTurn():
                self._end(effect)
                self.feed(ev.Ended(self.now_ms()))
            case Backchannel():
                self._nod(effect)
            case Discard():
                self._discard(effect)
            case Note(kind="thinking_ceiling"):
                self._agent.stopped()
                self._agent_told = self._agent.state

    def _claim(self) -> None:
        raise NotImplementedError

    def _end(self, effect: EndTurn) -> None:
        raise NotImplementedError

    def _mirror(self, before: Context, event: ev.Event, effects: tuple[Effect, ...]) -> None:
        """Keep the pipeline's own idea of the turn like the machine's."""

    async def _interrupt(self) -> None:
        if self._muted:
            self._record.write("note", note="muted", detail="an interruption was held back")
        else:
            await self.broadcast_interruption()  # type: ignore[no-untyped-call]

    def _nod(self, effect: Backchannel) -> None:
        held = self._words.take(effect.segments)
        said = UserBackchannelFrame(
            text=effect.text,
            user_id=held[0].user_id if held else "",
            timestamp=held[0].timestamp if held else "",
        )
        self.order(partial(self.push_frame, said))

    def _discard(self, effect: Discard) -> None:
        self._words.take(effect.segments)
        numbers = ", ".join(f"{name} {value:.2f}" for name, value in effect.numbers)
        logger.info(f"{self}: dropped {len(effect.text.split())} words: {effect.kind} ({numbers})")

    # --- what the judge is told ---------------------------------------------------------------

    def _situation(self, ask: AskJudge) -> Situation:
        now, agent, versions = self.now_ms(), self._agent, self._words.versions
        earlier = [version for version in versions if version[0] != ask.text]
        final = self.context.turn.interim is None
        previous = earlier[-1][0] if earlier else None
        return Situation(
            agent_state=self.context.agent.state,
            agent_last_line=agent.last_line,
            agent_heard=agent.heard,
            agent_unheard=agent.unheard,
            history=tuple(agent.history),
            trajectory=trajectory(earlier, ask.text, now, self._policy.judge().trajectory_length),
            turn_elapsed_ms=now - versions[0][1] if versions else 0,
            asr_final=final,
            stable_word_ratio=stable_word_ratio(ask.text, previous, final),
            recogniser=self._recogniser,
            language=self._language,
        )


def policy_for(classifier: BaseClassifier, policy: Policy | None) -> Policy:
    """Return ``policy``, or the packaged one, with what applies to this judge only."""
    policy = policy or load_policy()
    return policy.for_judge(classifier.model) if classifier.model else policy
