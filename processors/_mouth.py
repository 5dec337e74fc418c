"""Hosts the mouth's machine: what a person does goes in, what becomes of a reply comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    Frame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameProcessorSetup

from jev_turn.policy import Policy
from jev_turn.processors._agent import AgentTracker
from jev_turn.processors._host import MachineHost, Tap
from jev_turn.processors._mouth_judge import MouthJudge
from jev_turn.processors._pipecat import parts_of, watch
from jev_turn.processors._record import Recorder
from jev_turn.processors._said import KeptWords, SaidSince, Spoken
from jev_turn.processors.frames import MicStalledFrame
from jev_turn.replies import effects as fx
from jev_turn.replies import events as ev
from jev_turn.replies.config import MouthConfig
from jev_turn.replies.mouth import Mouth, dispatch

_NUMBERS = ("turn", "quiet_ms", "score")


class MouthHost(MachineHost):
    """Feeds the mouth's machine and translates its effects.

    Args:
        classifier: Any Pipecat classifier; it is set up and cleaned up here.
        config: The machine's settings.
        policy: The judge's settings.
        record: Where to write what was asked and decided.
        language: The recogniser's language, for the judge's state.
        record_ms: The record's clock; the host's own by default.
        **kwargs: For Pipecat's ``FrameProcessor``.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        *,
        config: MouthConfig,
        policy: Policy,
        record: Recorder | None,
        language: str,
        record_ms: Callable[[], int] | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.mouth = Mouth()
        self.judge: MouthJudge | None = None
        self._config = config
        self._classifier = classifier
        self._policy = policy
        self._recorder = record
        self._record_ms = record_ms or self.now_ms
        self._language = language
        self._agent = AgentTracker()
        coverage = policy.value("replies.watermark_coverage")
        self._said: Spoken = SaidSince(coverage, self.now_ms, self._words)
        self._deaf: set[str] = set()
        self._set_up = False

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        """Set up the judge and listen to the rest of the pipeline."""
        await super().setup(setup)
        watch(setup.pipeline_worker, Tap(self._agent, lambda: None))
        for part in parts_of(setup.pipeline_worker.pipeline):
            if isinstance(kept := getattr(part, "said", None), KeptWords):
                kept.tell(self.now_ms, self._words)
                self._said = kept
        if isinstance(self._said, SaidSince):
            watch(setup.pipeline_worker, self._said)
        # The last step: a pipeline goes on behind a processor whose setup has failed.
        await self._classifier.setup(setup.task_manager)
        self._set_up = True

    async def cleanup(self) -> None:
        """Stop asking and release the judge."""
        await super().cleanup()
        if self.judge is not None:
            await self.judge.asker.close()
        if self._set_up:
            await self._classifier.cleanup()  # type: ignore[no-untyped-call]

    def start_mouth(self) -> None:
        """Begin; time starts at 0 ms."""
        self.start_host()
        self.judge = MouthJudge(
            self._classifier,
            self._policy,
            self._language,
            clock_ms=self.now_ms,
            create_task=self.create_task,
            on_event=self.feed,
            write=self._write,
        )

    # --- frames to events ---------------------------------------------------------------------

    def listen(self, frame: Frame) -> None:
        """Take note of what ``frame`` says about the person."""
        now = self.now_ms()
        match frame:
            case VADUserStartedSpeakingFrame():
                self.feed(ev.Onset(now))
            case VADUserStoppedSpeakingFrame():
                self.feed(ev.Quieted(now, round(frame.stop_secs * 1000)))
            case MicStalledFrame():
                self._hears("stalled", deaf=frame.stalled)
            case UserMuteStartedFrame() | UserMuteStoppedFrame():
                self._hears("muted", deaf=isinstance(frame, UserMuteStartedFrame))

    def _hears(self, why: str, *, deaf: bool) -> None:
        """A microphone that is muted tells as little about quiet as one that is dead."""
        before = bool(self._deaf)
        (self._deaf.add if deaf else self._deaf.discard)(why)
        if bool(self._deaf) is not before:
            self.feed(ev.Stalled(self.now_ms(), not before))

    def _words(self, text: str, heard: bool = True) -> None:
        if self.judge is not None:
            self.feed(ev.Words(self.now_ms(), text, heard))

    # --- effects ------------------------------------------------------------------------------

    def feed(self, event: ev.MouthEvent) -> None:
        """Give the mouth one event and carry out what it answers."""
        before = self.mouth.phase
        self.mouth, effects = dispatch(self.mouth, event, self._config)
        self.arm(self.mouth.deadline, lambda: self.feed(ev.Tick(self.now_ms())))
        if self.mouth.phase == "holding" != before:
            self._closed()
        for effect in effects:
            self._write_effect(effect)
            self._translate(effect)

    def _translate(self, effect: fx.MouthEffect) -> None:
        match effect:
            case fx.AskMouth() if self.judge is not None:
                self.judge.submit(effect, self._agent, self._said)
            case fx.Open():
                self._opened(effect)
            case fx.LetGo():
                self._let_go(effect.turn)
            case fx.Unspoken() | fx.Withdraw():
                self._gave_up(effect.turn)

    def _closed(self) -> None:
        """The mouth holds a reply from now on."""

    def _opened(self, effect: fx.Open) -> None:
        raise NotImplementedError

    def _let_go(self, turn: int) -> None:
        raise NotImplementedError

    def _gave_up(self, turn: int) -> None:
        raise NotImplementedError

    # --- the record ---------------------------------------------------------------------------

    def _write(self, kind: str, **fields: Any) -> None:
        if self._recorder is not None:
            self._recorder.write(kind, self._record_ms(), **fields)

    def _write_effect(self, effect: fx.MouthEffect) -> None:
        if isinstance(effect, fx.Note):
            self._write("note", note=effect.kind, detail=effect.detail)
        elif not isinstance(effect, fx.AskMouth):
            found = {name: getattr(effect, name, None) for name in _NUMBERS}
            numbers = {name: value for name, value in found.items() if value is not None}
            why = {"why": effect.why} if isinstance(effect, fx.Open | fx.Hold) else {}
            self._write("effect", name=type(effect).__name__, numbers=numbers, **why)
