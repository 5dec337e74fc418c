"""ReplyList: what is said becomes cuts in a durable list; one drain makes one turn of the model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from loguru import logger
from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    CancelFrame,
    CancelWorkerFrame,
    EagerEndOfTurnCancelFrame,
    EagerTranscriptionFrame,
    EndFrame,
    Frame,
    InterimTranscriptionFrame,
    LLMMessagesAppendFrame,
    LLMRunFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    ServiceMetadataFrame,
    StartFrame,
    TranscriptionFrame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameCallback, FrameDirection, FrameProcessorSetup
from pipecat.services.llm_service import LLMService
from pipecat.services.stt_service import STTService
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies

from jev_turn.errors import ReplyStoreError
from jev_turn.judges.asking import Asker
from jev_turn.judges.bundles import EAR, bundled
from jev_turn.judges.state import Situation, build_state
from jev_turn.judges.tally import Entry
from jev_turn.policy import Policy, load_questions
from jev_turn.processors._agent import AgentTracker
from jev_turn.processors._duration import SoundClock, duration_ms
from jev_turn.processors._host import MachineHost, Tap, warn_if_overruled
from jev_turn.processors._memory import MemoryKeeper
from jev_turn.processors._pipecat import reconnect, watch
from jev_turn.processors._record import Recorder, reason_of
from jev_turn.processors._runs import WATCHED, Run
from jev_turn.processors._said import KeptWords
from jev_turn.processors._turns import policy_for
from jev_turn.processors._words import AnyTranscription
from jev_turn.processors.frames import MicStalledFrame
from jev_turn.replies import effects as fx
from jev_turn.replies import events as ev
from jev_turn.replies.context import Context, Piece, resumed
from jev_turn.replies.machine import dispatch
from jev_turn.replies.store import CallInUse, ReplyStore
from jev_turn.turn.effects import AskJudge
from jev_turn.turn.events import AgentState

_UP, _DOWN = FrameDirection.UPSTREAM, FrameDirection.DOWNSTREAM
_TURNS_OF_THE_RECOGNISER = (
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    EagerTranscriptionFrame,
    EagerEndOfTurnCancelFrame,
)


class ReplyList(MachineHost):
    """Takes turns without barge-in: nothing said is lost, and nothing is answered twice.

    What a person says is cut by a judge into pieces worth an answer. They wait, in a database,
    while the model works or the bot speaks; then one turn eats them all.

    Place:
        Between the recogniser and the user aggregator, whose parameters stay at their defaults.

    Consumes:
        Transcripts, and the recogniser's own turn and eager frames.

    Emits:
        For each turn ``ProposedUserStartedSpeakingFrame``, one final with all its cuts joined by
        single spaces, ``ProposedUserStoppedSpeakingFrame``. ``ErrorFrame`` upstream when a turn
        failed, was silent, the recogniser is deaf, or the store cannot be used: then the call goes
        on in memory. When another process holds the call, it and ``CancelWorkerFrame``.

    Example:
        replies = ReplyList(TypeSafeClassifier(), place="calls")
        Pipeline([transport.input(), SnrGate(), stt, replies, user_aggregator, llm, tts, ...])

    Args:
        classifier: Any Pipecat ``BaseClassifier``.
        place: A folder for SQLite, a ``postgresql://`` URL, or ``None`` for ``DATABASE_URL`` and,
            without it, a folder among the user's state.
        call: The call to take up again; ``None`` begins one with a random id.
        persist: False keeps everything in memory.
        peer: Who calls, for memory over many calls; nobody by default.
        llm: The bot's own model: it summarises what a peer's memory has outgrown.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where to write what was heard and decided.
        language: The recogniser's language tag.
        reconnect: Connects the recogniser anew; by default what Pipecat's own services do.
        **kwargs: For Pipecat's ``FrameProcessor``.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        *,
        place: str | Path | None = None,
        call: str | None = None,
        persist: bool = True,
        peer: str | None = None,
        llm: LLMService | None = None,
        policy: Policy | None = None,
        record: Recorder | None = None,
        language: str = "en",
        reconnect: Callable[[], Awaitable[None]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.context = Context()
        self.store: ReplyStore | None = None
        self.asker: Asker | None = None
        self._policy = policy_for(classifier, policy)
        self._config = self._policy.replies()
        self.said = KeptWords(self._config.watermark_coverage)
        self._classifier = classifier
        self._where = partial(ReplyStore.open, place, call, persist=persist, peer=peer)
        self._no_store: ReplyStoreError | None = None
        self._refused = False
        self._llm = llm
        self._memory: MemoryKeeper | None = None
        self._recorder = record
        self._language = language
        self._reconnect = reconnect
        self._strategies = ExternalUserTurnStrategies(enable_interruptions=False)
        self._agent = AgentTracker()
        self._agent_told: AgentState = "listening"
        self._sound = SoundClock()
        self._segment = 1
        self._latest: AnyTranscription | None = None
        self._run: Run | None = None
        self._muted = False
        self._owed: list[fx.StartTurn] = []
        self._mirrored = False

    # --- life ---------------------------------------------------------------------------------

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        """Open the store, set up the judge and listen to the rest of the pipeline."""
        await super().setup(setup)
        watch(setup.pipeline_worker, Tap(self._agent, self._agent_changed, self._seen, WATCHED))
        try:
            self.store = await self._where()
        except ReplyStoreError as error:
            self._no_store = error
        # The last step: a pipeline goes on behind a processor whose setup has failed.
        await self._classifier.setup(setup.task_manager)

    async def cleanup(self) -> None:
        """Stop asking, release the judge and let the next writer in."""
        await super().cleanup()
        if self.asker is not None:
            await self.asker.close()
        await self._classifier.cleanup()  # type: ignore[no-untyped-call]
        if self.store is not None:
            await self.store.close()

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
        if isinstance(frame, EndFrame | CancelFrame) and self.asker and not self.context.over:
            self.feed(ev.HungUp(self.now_ms()))
            await self.drain()
            if why := reason_of(frame):
                self._write("end", why=why)
        if not self._consumes(frame, direction):
            await self.push_frame(frame, direction)

    async def _start(self) -> None:
        if isinstance(self._no_store, CallInUse):
            await self._refuse(self._no_store)
            return
        self.start_host()
        self.asker = Asker(
            self._classifier,
            bundled(load_questions(), EAR),
            {"ear": self._policy.judge().in_flight},
            self._policy.judge(),
            clock_ms=self.now_ms,
            create_task=self.create_task,
            on_end=self._answered,
        )
        await self._take_up()
        if self._no_store is not None:
            await self._go_on_in_memory(self._no_store)
        warn_if_overruled(self)
        await self.broadcast_frame(
            ServiceMetadataFrame, service_name=self.name, user_turn_strategies=self._strategies
        )
        await self._remember()
        self.feed(ev.Tick(self.now_ms()))

    async def _refuse(self, error: CallInUse) -> None:
        """End this pipeline: somebody else answers what this call's list holds."""
        await self.push_error(f"{self}: {error}", exception=error)
        await self.push_frame(CancelWorkerFrame(reason=str(error)))

    async def _go_on_in_memory(self, error: ReplyStoreError) -> None:
        self._write("note", note="store_down", detail=str(error))
        await self.push_error(
            f"{self}: {error}; this call goes on in memory, and a crash loses what waits",
            exception=error,
        )

    async def _remember(self) -> None:
        """Tell the model about earlier calls of this peer, through the context."""
        if self.store is None or self.store.peer is None:
            return
        self._memory = MemoryKeeper(
            self.store, self._policy, self._llm, self.create_task, self._unsummarised
        )
        if opening := await self._memory.opening():
            note = LLMMessagesAppendFrame([{"role": "developer", "content": opening}], False)
            await self.push_frame(note)

    def _unsummarised(self, error: str) -> None:
        self._write("note", note="summary_failed", detail=error)

    async def _take_up(self) -> None:
        """Begin where another process left this call, if one did."""
        if self.store is None:
            return
        saved = await self.store.state()
        self._segment = saved.next_segment
        self.context = resumed(
            saved.pending,
            next_cut=saved.next_cut,
            next_turn=saved.next_turn,
            words=tuple(Piece(segment, text) for segment, text in saved.words),
            forgiven=saved.restored,
        )
        self.said.follow(None, self.context, ())
        self.said.restart()
        waiting = len(saved.pending) + len(saved.words)
        if waiting:
            logger.info(f"{self}: call {self.store.call}: {waiting} texts wait since then")

    # --- frames to events ---------------------------------------------------------------------

    def _consumes(self, frame: Frame, direction: FrameDirection) -> bool:
        """Take note of ``frame`` and tell whether it stays here."""
        if self.asker is None:
            return isinstance(frame, AnyTranscription)
        now = self.now_ms()
        match frame:
            case TranscriptionFrame() | InterimTranscriptionFrame() if direction is _DOWN:
                self._heard(frame)
                return True
            case VADUserStartedSpeakingFrame() if direction is _DOWN:
                self._sound.opened(now, round(frame.start_secs * 1000))
                self.feed(ev.Onset(now))
            case VADUserStoppedSpeakingFrame() if direction is _DOWN:
                quiet_ms = round(frame.stop_secs * 1000)
                self._sound.closed(now, quiet_ms)
                self.feed(ev.Quieted(now, quiet_ms))
            case MicStalledFrame() if direction is _DOWN:
                self.feed(ev.Stalled(now, frame.stalled))
            case UserMuteStartedFrame() | UserMuteStoppedFrame():
                self._mute(isinstance(frame, UserMuteStartedFrame), direction)
            case ServiceMetadataFrame() if direction is _DOWN:
                if frame.user_turn_strategies is not None:
                    frame.user_turn_strategies = self._strategies
            case _ if isinstance(frame, _TURNS_OF_THE_RECOGNISER):
                return direction is _DOWN
        return False

    def _heard(self, frame: AnyTranscription) -> None:
        final = isinstance(frame, TranscriptionFrame)
        number, self._latest, now = self._segment, frame, self.now_ms()
        took = None
        if final:
            self._segment += 1
            open_ms = self._sound.take(now)
            took = duration_ms(frame.result) or open_ms
        self._write("final" if final else "partial", segment=number, text=frame.text)
        self.feed(ev.HeardFor(now, frame.text, final, number, took))

    def _mute(self, muted: bool, direction: FrameDirection) -> None:
        """Tell MicGate's mute in front of us from the aggregator's behind us."""
        if direction is _DOWN:
            self.feed(ev.Stalled(self.now_ms(), muted))
            return
        self._muted = muted
        if not muted:
            for turn in self._owed:
                self.order(partial(self._commit, turn))
            self._owed = []

    def _seen(self, frame: Frame) -> None:
        if self._run is not None and self.asker is not None:
            event = self._run.see(frame, self.now_ms())
            if event is not None:
                self.feed(event)

    def _agent_changed(self) -> None:
        state = self._agent.state
        if self.asker is not None and state != self._agent_told:
            self._agent_told = state
            states = {"speaking": "start", "listening": "stop", "thinking": "thinking"}
            self._write("bot", state=states[state])
            self.feed(ev.Agent(self.now_ms(), state))

    # --- effects to frames --------------------------------------------------------------------

    def feed(self, event: ev.Event) -> None:
        """Give the list one event; what it answers is stored, then carried out, in order."""
        self.context, effects = dispatch(self.context, event, self._config)
        self.arm(self.context.deadline, lambda: self.feed(ev.Tick(self.now_ms())))
        self.said.follow(event, self.context, effects)
        if effects:
            for effect in effects:
                self._write_effect(effect)
                if isinstance(effect, fx.StartTurn):
                    self._run = Run(effect.turn)
            self.order(partial(self._perform, effects))
        self._mirror(event)

    async def spoke(self) -> None:
        """Store that the reply is about to be heard; return when no crash can repeat it.

        ``GateSink`` calls it between its verdict and the first audio.
        """
        if self.context.flight is not None and not self.context.flight.spoke:
            self.feed(ev.AboutToSpeak(self.now_ms(), self.context.flight.turn))
        await self.drain()

    def mouth(self, event: ev.ReplyHeld | ev.ReplyOpened | ev.ReplyUnspoken) -> None:
        """Hear from ``GateSink`` what it does with the reply to the turn in flight."""
        if self.asker is not None and self.context.flight is not None:
            self.feed(replace(event, at=self.now_ms(), turn=self.context.flight.turn))
            if isinstance(event, ev.ReplyUnspoken):
                self._agent.stopped()
                self._agent_changed()

    async def _perform(self, effects: tuple[fx.Effect, ...]) -> None:
        try:
            if self.store is not None:
                await self.store.apply(effects)
        except CallInUse as error:
            if not self._refused:
                self._refused = True
                await self._refuse(error)
            return
        except ReplyStoreError as error:
            await self.push_error(f"{self}: {error}", exception=error)
        for effect in effects:
            await self._carry(effect)

    async def _carry(self, effect: fx.Effect) -> None:
        match effect:
            case fx.AskEar() if self.asker is not None:
                self.asker.submit(effect.ask, "ear", self._state(effect))
            case fx.StartTurn():
                await self._commit(effect)
            case fx.ReconnectStt():
                self.create_task(self._connect(), "reconnect")
            case fx.EndTurnRecord() | fx.RestoreCuts():
                await self._turn_ended(effect)
            case fx.GapMarked():
                gap = f"{effect.from_ms} to {effect.to_ms} ms"
                logger.warning(f"{self}: the recogniser was deaf from {gap}")
            case fx.Note("stt_silent", detail):
                await self.push_error(f"{self}: the recogniser is deaf: {detail}")
            case fx.Note("stt_down", error):
                await self.push_error(f"{self}: the recogniser is not connected: {error}")
            case fx.Discard():
                self._say_dropped(effect)

    async def _commit(self, turn: fx.StartTurn) -> None:
        """Hand a turn to the aggregator, which hears nothing while the user is muted."""
        if self._muted:
            self._owed.append(turn)
            return
        if not turn.fresh:
            await self.push_frame(LLMRunFrame())
            return
        await self.push_frame(ProposedUserStartedSpeakingFrame())
        await self.push_frame(self._final(turn.fresh))
        await self.push_frame(_stop())

    def _final(self, text: str) -> TranscriptionFrame:
        latest = self._latest
        frame = TranscriptionFrame(
            text=text,
            user_id=latest.user_id if latest else "",
            timestamp=latest.timestamp if latest else "",
            language=latest.language if latest else None,
            finalized=True,
        )
        frame.interruptible = False
        return frame

    async def _connect(self) -> None:
        try:
            await (self._reconnect or self._reconnect_service)()
        except Exception as error:
            self.feed(ev.SttDown(self.now_ms(), type(error).__name__))
        else:
            self.feed(ev.SttUp(self.now_ms()))

    async def _reconnect_service(self) -> None:
        before = self.previous
        while before is not None and not isinstance(before, STTService):
            before = before.previous
        if before is None:
            raise LookupError("no recogniser of Pipecat's stands in front of ReplyList")
        await reconnect(before)

    async def _turn_ended(self, effect: fx.EndTurnRecord | fx.RestoreCuts) -> None:
        if self._memory is not None:
            self._memory.turn_ended()
        if effect.error in ("", ev.DROPPED, "hung_up", "unspoken"):
            return
        await self.push_error(f"{self}: turn {effect.turn} failed: {effect.error}")

    def _say_dropped(self, effect: fx.Discard) -> None:
        numbers = ", ".join(f"{name} {value:.2f}" for name, value in effect.numbers)
        logger.info(f"{self}: dropped {len(effect.text.split())} words: {effect.kind} {numbers}")

    def _mirror(self, event: ev.Event) -> None:
        """Keep the aggregator's idea of a user turn like ours, so that no idle timer fires."""
        ctx = self.context
        waits = bool(ctx.buffer.text or ctx.pending) and ctx.flight is None
        waits = waits and ctx.agent.state == "listening"
        if waits and (not self._mirrored or isinstance(event, ev.Quieted)):
            self.order(partial(self.push_frame, ProposedUserStartedSpeakingFrame()))
        elif self._mirrored and not waits and ctx.flight is None:
            self.order(partial(self.push_frame, _stop()))
        self._mirrored = waits

    # --- the judge ----------------------------------------------------------------------------

    def _state(self, ask: fx.AskEar) -> dict[str, Any]:
        situation = Situation(
            agent_state=self.context.agent.state,
            agent_last_line=self._agent.last_line,
            history=tuple(self._agent.history),
            asr_final=self.context.buffer.interim is None,
            language=self._language,
        )
        as_turn = AskJudge(ask.ask, "listening", ask.text, ask.quiet_ms)
        return build_state(as_turn, situation, self._policy.judge())

    def _answered(self, entry: Entry) -> None:
        now, found = self.now_ms(), entry.probabilities
        if found is None:
            self._write("failed", ask=entry.ask, bundle="ear", error=entry.error or "error")
            self.feed(ev.EarFailed(now, entry.ask, entry.error or "error"))
            return
        thresholds = {
            "enough_to_answer": self._config.answer_threshold,
            "holding_floor": self._config.holding_floor_min,
        }
        self._write(
            "verdict",
            ask=entry.ask,
            bundle="ear",
            probabilities=found,
            thresholds=thresholds,
            latency_ms=entry.latency_ms or 0,
        )
        self.feed(ev.EarJudged(now, entry.ask, found["enough_to_answer"], found["holding_floor"]))

    # --- the record ---------------------------------------------------------------------------

    def _write(self, kind: str, **fields: Any) -> None:
        if self._recorder is not None:
            self._recorder.write(kind, self.now_ms(), **fields)

    def _write_effect(self, effect: fx.Effect) -> None:
        if isinstance(effect, fx.AskEar):
            self._write(
                "ask", ask=effect.ask, bundle="ear", quiet_ms=effect.quiet_ms, text=effect.text
            )
        elif isinstance(effect, fx.Note):
            self._write("note", note=effect.kind, detail=effect.detail)
        else:
            self._write("effect", name=type(effect).__name__, **_fields(effect))


def _fields(effect: fx.Effect) -> dict[str, Any]:
    """Return what the record keeps of an effect."""
    if isinstance(effect, fx.KeepCut):
        cut = effect.cut
        return {"why": cut.why, "text": cut.text, "numbers": {"cut": cut.id, "score": cut.score}}
    fields: dict[str, Any] = {}
    for name, key in (("kind", "why"), ("error", "why"), ("text", "text"), ("answer", "text")):
        if value := getattr(effect, name, None):
            fields[key] = value
    numbers = dict(getattr(effect, "numbers", ()))
    if (turn := getattr(effect, "turn", None)) is not None:
        numbers["turn"] = turn
    return fields | ({"numbers": numbers} if numbers else {})


def _stop() -> ProposedUserStoppedSpeakingFrame:
    """Make a stop that an interruption cannot drop behind its final."""
    frame = ProposedUserStoppedSpeakingFrame()
    frame.interruptible = False
    return frame
