"""GateSink: a reply that is ready waits until the person has finished."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from loguru import logger
from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    FunctionCallInProgressFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    ServiceMetadataFrame,
    StartFrame,
    StopFrame,
    SystemFrame,
    TTSStoppedFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregator
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.services.llm_service import LLMService
from pipecat.services.tts_service import TTSService

from jev_turn.errors import ConfigError
from jev_turn.policy import Policy
from jev_turn.processors._contexts import AppSpeech, speculates
from jev_turn.processors._mouth import MouthHost
from jev_turn.processors._outlet import Outlet
from jev_turn.processors._pipecat import IS_1_12, LLMContextUserTurnFrame, parts_of
from jev_turn.processors._record import Recorder
from jev_turn.processors._reply import HeldReply
from jev_turn.processors._tools import HeldTools
from jev_turn.processors._turns import policy_for
from jev_turn.replies import effects as fx
from jev_turn.replies import events as ev

Told = ev.ReplyHeld | ev.ReplyOpened | ev.ReplyUnspoken


class GateSink(MouthHost):
    """Holds the first chunk of a reply until the person has finished speaking.

    The model may start early, at a pause that need not be the end: nothing is heard before a judge
    finds the person finished, or they have been quiet for long. Then the reply leaves at once.

    Place:
        Behind the voice, where a held reply is heard without any further wait; or behind the
        model, where its text waits unspoken.

    Consumes:
        The replies to what the person said, while they wait. Replies and speech that the
        application asks for are not held, nor is anything else. Once a reply has been let out,
        further ones to the same turn (after a tool) pass. The judge reads what was said since the
        last reply: as ``ReplyList`` keeps it, without the words that it has dropped, or else as
        the recogniser wrote it.

    Emits:
        What it held, in order, its timed words later by as long as its audio. With ``llm``,
        ``ToolsHeldFrame`` upstream from the model. A dropped reply leaves nothing behind: no
        words in the context and, with ``llm``, no tool that ran. Tools run inside the model, so
        without ``llm`` (which must be an ``LLMService``) they cannot wait.

    Example:
        gate = GateSink(TypeSafeClassifier(), llm=llm)
        Pipeline([transport.input(), stt, user_aggregator, llm, tts, gate, transport.output(), ...])

    Args:
        classifier: Any Pipecat ``BaseClassifier``.
        llm: The bot's own model, for its tools to wait with its words.
        policy: Every setting; the packaged policy and the environment by default.
        record: Where to write what was asked and decided.
        now_ms: The record's clock, for instance ``ReplyList.now_ms``; its own by default.
        on_resume: ``hold`` keeps a held reply when the person goes on, ``withdraw`` drops it; the
            policy's when absent.
        on_event: Called with ``ReplyHeld``, ``ReplyOpened`` and ``ReplyUnspoken``; their turns
            count what the person said, from 1.
        before_audio: Awaited between the verdict and the first audio, for instance
            ``ReplyList.spoke``.
        language: The recogniser's language tag.
        **kwargs: For Pipecat's ``FrameProcessor``.

    Raises:
        ConfigError: ``llm`` is no ``LLMService``, or Pipecat is 1.12. In a bot whose aggregator speculates (eager
            turn strategies), setting up fails with it, and every reply passes unheld.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        *,
        llm: LLMService | None = None,
        policy: Policy | None = None,
        record: Recorder | None = None,
        now_ms: Callable[[], int] | None = None,
        on_resume: Literal["hold", "withdraw"] | None = None,
        on_event: Callable[[Told], None] | None = None,
        before_audio: Callable[[], Awaitable[None]] | None = None,
        language: str = "en",
        **kwargs: Any,
    ) -> None:
        if IS_1_12:
            raise ConfigError(
                "GateSink needs Pipecat 1.13 or newer: a voice of 1.12 keeps the end of a reply "
                "without words to itself, and what waits for that end would wait for ever"
            )
        policy = policy_for(classifier, policy)
        config = policy.mouth(**({"on_resume": on_resume} if on_resume else {}))
        super().__init__(
            classifier,
            config=config,
            policy=policy,
            record=record,
            language=language,
            record_ms=now_ms,
            **kwargs,
        )
        if llm is not None and not isinstance(llm, LLMService):
            raise ConfigError(
                f"GateSink(llm={type(llm).__name__}): only an LLMService runs its tools where "
                "they can be made to wait; leave llm out, and tools run before the words"
            )
        self._tools = HeldTools(llm) if llm is not None else None
        self._on_event = on_event
        self._app = AppSpeech()
        self._reply = HeldReply(self._app)
        self._outlet = Outlet(
            self.push_frame,
            self.order,
            lambda: self.get_clock().get_time(),
            before_audio,
            config.ceiling_ms / 1000,
        )
        self._aggregators: list[LLMUserAggregator] = []
        self._refused = False
        self._turn = 0
        self._turn_id = 0
        self._held_id = 0
        self._cleared = 0
        self._told_of_tools = False

    # --- life ---------------------------------------------------------------------------------

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        """Set up the judge, and follow voice and model; refuse to stand beside speculation."""
        await super().setup(setup)
        parts = list(parts_of(setup.pipeline_worker.pipeline))
        self._aggregators = [part for part in parts if isinstance(part, LLMUserAggregator)]
        for part in parts:
            if isinstance(part, TTSService):
                self._app.attach(part)
        if self._tools is not None:
            self._tools.attach()
        if any(map(speculates, self._aggregators)):
            raise self._step_aside()

    async def cleanup(self) -> None:
        """Release the judge and give the model its tools back."""
        await super().cleanup()
        if self._tools is not None:
            self._tools.detach()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass everything on, what belongs to a held reply in its time."""
        await super().process_frame(frame, direction)
        if isinstance(frame, StartFrame):
            await self.push_frame(frame, direction)
            self.start_mouth()
        elif self._refused or direction is FrameDirection.UPSTREAM:
            await self.push_frame(frame, direction)
        elif isinstance(frame, SystemFrame):
            await self._system(frame)
            await self.push_frame(frame, direction)
        elif isinstance(frame, EndFrame | StopFrame):
            self._drop(all_of_it=True)
            await self.drain()
            await self.push_frame(frame, direction)
        else:
            of_reply = self._reply.owns(frame)
            if not self._keeps(frame, of_reply):
                await self._outlet.put(frame, of_reply=of_reply)
            if isinstance(frame, TTSStoppedFrame):
                self._app.ends(frame.context_id)

    async def _system(self, frame: SystemFrame) -> None:
        self.listen(frame)
        match frame:
            case InterruptionFrame():
                self._drop()
            case CancelFrame():
                self._drop(all_of_it=True)
            case ServiceMetadataFrame() if any(map(speculates, self._aggregators)):
                error = self._step_aside()
                await self.push_error(str(error), exception=error, force_treat_as_permanent=True)

    def _step_aside(self) -> ConfigError:
        """Hold nothing from now on, and say why."""
        self._refused = True
        self._drop(all_of_it=True)
        if self._tools is not None:
            self._tools.detach()
        return ConfigError(
            f"{self} cannot stand in a bot that speculates: with EagerUserTurnStrategies the model "
            "itself holds each reply until its turn is confirmed, and answers turns that nobody "
            "has taken yet. Use one of the two: leave user_turn_strategies unset, or GateSink out."
        )

    # --- what waits ---------------------------------------------------------------------------

    def _keeps(self, frame: Frame, of_reply: bool) -> bool:
        """Take note of ``frame`` and tell whether it stays here."""
        if isinstance(frame, LLMContextUserTurnFrame):
            self._turn, self._turn_id = self._turn + 1, frame.id
        if isinstance(frame, FunctionCallInProgressFrame) and self._tools is None:
            self._say_that_tools_ran()
        self._outlet.came(frame)
        if not of_reply:
            return False
        if isinstance(frame, LLMFullResponseStartFrame):
            self._begins(frame)
        way = self._reply.way
        if isinstance(frame, LLMFullResponseEndFrame):
            self._reply.way = ""
        if way == "hold":
            self._reply.keep(frame)
            self._look()
        return way != "pass"

    def _begins(self, start: LLMFullResponseStartFrame) -> None:
        """Decide about a reply whose first frame has come."""
        if start.skip_tts and self._turn > self._cleared:
            self._reply.way = "pass"
            self._clear(self._turn, self._turn_id)
        elif self._turn == self._cleared:
            self._reply.way = "pass"
        else:
            self._held_id = self._turn_id
            self._outlet.turn_begins()
            self.feed(ev.FirstChunk(self.now_ms(), self._turn))
            self._reply.way = "drop" if self.mouth.phase == "unspoken" else "hold"

    def _look(self) -> None:
        """Let the reply go if the mouth is open and there is something to let out."""
        if not self._reply.waits:
            return
        tools = self._tools is not None and self._tools.waits(self._held_id)
        if self._reply.complete and self._reply.empty and not tools:
            self.feed(ev.Dropped(self.now_ms()))
            self._outlet.let_out(self._reply.take())
        elif self.mouth.phase == "open" and self._reply.ready:
            self.feed(ev.Leaving(self.now_ms()))

    def _drop(self, *, all_of_it: bool = False) -> None:
        """Drop what an interruption drops, or everything at the end of a call."""
        self._outlet.drop()
        if self._reply.cut() and not all_of_it:
            return
        self._reply.way = ""
        if self.mouth.phase in ("holding", "open"):
            self.feed(ev.Dropped(self.now_ms()))
        if self._tools is not None:
            self._tools.drop()
        if self._reply.waits:
            self._outlet.let_out(self._reply.take())

    def _say_that_tools_ran(self) -> None:
        if self._turn > self._cleared and not self._told_of_tools:
            self._told_of_tools = True
            logger.warning(
                f"{self}: a tool runs while the reply that asked for it is held: give "
                "GateSink(llm=...) the bot's LLMService for tools to wait too"
            )

    # --- what the mouth orders ----------------------------------------------------------------

    def _closed(self) -> None:
        self._tell(ev.ReplyHeld(self.now_ms(), self.mouth.turn))

    def _opened(self, effect: fx.Open) -> None:
        self._tell(ev.ReplyOpened(self.now_ms(), effect.turn))
        self._look()

    def _let_go(self, turn: int) -> None:
        if self._reply.way == "hold":
            self._reply.way = "pass"
        self._outlet.let_out(self._reply.take())
        self._clear(turn, self._held_id)

    def _gave_up(self, turn: int) -> None:
        if self._reply.way == "hold":
            self._reply.way = "drop"
        if self._tools is not None:
            self._tools.drop(self._held_id)
        if self._reply.waits:
            answer = self._reply.text
            self._reply.take()
            self._tell(ev.ReplyUnspoken(self.now_ms(), turn, answer))

    def _tell(self, event: Told) -> None:
        if self._on_event is not None:
            self._on_event(event)

    def _clear(self, turn: int, turn_id: int) -> None:
        """A turn is answered: its words are no news any more, and its tools may run."""
        self._cleared = turn
        self._said.restart()
        if self._tools is not None:
            self._tools.open(turn_id)
            self.order(self._tools.run)
