"""Hosts a pure machine inside a processor: events in, effects out in order, one timer.

``Tap`` shows a processor what flows only away from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    AggregatedTextFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    ErrorFrame,
    Frame,
    FunctionCallCancelFrame,
    FunctionCallResultFrame,
    FunctionCallsStartedFrame,
    InterruptionFrame,
    LLMContextAssistantTurnFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    OutputAudioRawFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregator
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor, FrameProcessorSetup
from pipecat.services.llm_service import LLMService
from pipecat.services.tts_service import TTSService
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.turns.user_stop import BaseUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import default_user_turn_stop_strategies

from jev_turn.processors._agent import AgentTracker
from jev_turn.processors._pipecat import LLMContextUserTurnFrame, announce_turns

Order = Callable[[], Awaitable[None]]


class MachineHost(FrameProcessor):
    """Base of the processors that host a machine.

    Handling an event is synchronous and therefore atomic. What it orders is put in one queue and
    carried out by one task, in order, which no interruption of the pipeline can cancel.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._orders: asyncio.Queue[Order] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._zero: float | None = None

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        """Have the pipeline's user turns announced."""
        await super().setup(setup)
        announce_turns(setup.pipeline_worker.pipeline)

    def now_ms(self) -> int:
        """Return whole ms on the event loop's clock since the processor started, 0 before it."""
        if self._zero is None:
            return 0
        # Binary fractions of a second would make a deadline of 2,050 ms read 2,049.
        return int((asyncio.get_running_loop().time() - self._zero) * 1000 + 1e-6)

    def order(self, order: Order) -> None:
        """Carry ``order`` out after all earlier ones."""
        self._orders.put_nowait(order)

    def arm(self, deadline: int | None, tick: Callable[[], None]) -> None:
        """Call ``tick`` once at ``deadline`` (ms of ``now_ms``), in place of any earlier call."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is None or self._zero is None:
            return
        # A timer that rounds down would find the deadline still ahead and arm itself again.
        when = self._zero + deadline / 1000 + 1e-7
        self._timer = asyncio.get_running_loop().call_at(when, tick)

    def start_host(self) -> None:
        """Begin to carry out orders; time starts at 0 ms."""
        self._zero = asyncio.get_running_loop().time()
        self._worker = self.create_task(self._carry_out(), "orders")

    async def drain(self) -> None:
        """Wait until every order so far has been carried out."""
        await self._orders.join()

    async def stop_host(self) -> None:
        """Disarm the timer and stop carrying out orders."""
        self.arm(None, lambda: None)
        if self._worker is not None:
            worker, self._worker = self._worker, None
            await self.cancel_task(worker)

    async def cleanup(self) -> None:
        """Release the timer and the task."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self.stop_host()

    async def _carry_out(self) -> None:
        while True:
            order = await self._orders.get()
            try:
                await order()
            except Exception as error:
                await self.push_error(f"{self}: an order failed: {error}", exception=error)
            finally:
                self._orders.task_done()


class Tap(BaseObserver):
    """Tells an ``AgentTracker`` what passes elsewhere in the pipeline.

    Spoken words and audio count as they leave the output transport, whatever stands between it and
    the processor that wants to know.

    Args:
        agent: Is told about the model, the voice and the context.
        on_change: Called after every fact told to ``agent``.
        on_frame: Called with each frame of ``watched`` on its first push.
        watched: Frame types for ``on_frame``.
    """

    def __init__(
        self,
        agent: AgentTracker,
        on_change: Callable[[], None],
        on_frame: Callable[[Frame], None] | None = None,
        watched: Iterable[type[Frame]] = (),
    ) -> None:
        super().__init__(name=f"{agent.__class__.__name__}Tap")
        self._agent = agent
        self._on_change = on_change
        self._on_frame = on_frame
        self._watched = tuple(watched)

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one push of one frame."""
        frame = data.frame
        if data.first_push and self._on_frame is not None and isinstance(frame, self._watched):
            self._on_frame(frame)
        if isinstance(frame, OutputAudioRawFrame):
            return
        down = data.direction is FrameDirection.DOWNSTREAM
        told = self._told_way(frame, data.source) if down else False
        if data.first_push:
            told = self._told_first(frame, down=down) or told
        if told:
            self._on_change()

    def _told_way(self, frame: Frame, source: FrameProcessor) -> bool:
        """Take note of a frame at a certain place on its way down."""
        match frame:
            case TTSTextFrame() if isinstance(source, BaseOutputTransport):
                self._agent.said(frame.text, frame.context_id)
            case TTSStoppedFrame() if isinstance(source, BaseOutputTransport):
                self._agent.spoke(frame.context_id)
            # The voice may announce text of the interrupted reply until the interruption reaches it.
            case InterruptionFrame() if isinstance(source, TTSService):
                self._agent.silenced()
            case _:
                return False
        return True

    def _told_first(self, frame: Frame, *, down: bool) -> bool:
        agent = self._agent
        match frame:
            case TTSTextFrame():
                return False
            case BotStartedSpeakingFrame() if down:
                agent.bot_started()
            case BotStoppedSpeakingFrame() if down:
                agent.bot_stopped()
            case LLMFullResponseStartFrame():
                agent.model_started()
            case LLMFullResponseEndFrame():
                agent.model_ended()
            case AggregatedTextFrame() if frame.will_be_spoken:
                agent.will_say(frame.text, frame.context_id)
            case FunctionCallsStartedFrame() if down:
                agent.tools_started(len(frame.function_calls))
            case FunctionCallResultFrame() if down and not _runs_model(frame):
                agent.tool_ended()
            case FunctionCallCancelFrame() if down and not frame.run_llm:
                agent.tool_ended()
            case InterruptionFrame() if down:
                agent.stopped()
            case ErrorFrame() if isinstance(frame.processor, LLMService | TTSService):
                agent.stopped()
            case LLMContextUserTurnFrame() if down:
                agent.wrote("user", frame.text)
            case LLMContextAssistantTurnFrame() if down:
                agent.wrote("assistant", frame.text)
            case _:
                return False
        return True


def _runs_model(frame: FunctionCallResultFrame) -> bool:
    """Tell whether the model will run again for this result, or for a later one of its call."""
    given = frame.properties
    if given is not None and (not given.is_final or given.run_llm is not None):
        return not given.is_final or bool(given.run_llm)
    return frame.run_llm is not False


def aggregator_behind(processor: FrameProcessor) -> LLMUserAggregator | None:
    """Return the user aggregator that ``processor``'s frames reach, if there is one."""
    behind = processor.next
    while behind is not None and not isinstance(behind, LLMUserAggregator):
        behind = behind.next
    return behind


def stop_strategies_behind(processor: FrameProcessor) -> list[BaseUserTurnStopStrategy]:
    """Return what ends turns in the aggregator behind ``processor``, or Pipecat's default.

    They are used again as they are, since a default one holds a model.
    """
    controller = getattr(aggregator_behind(processor), "_user_turn_controller", None)
    strategies = getattr(controller, "_user_turn_strategies", None)
    return list(strategies.stop) if strategies else default_user_turn_stop_strategies()


def warn_if_overruled(processor: FrameProcessor) -> None:
    """Say loudly when strategies that the bot's author chose make ``processor`` powerless."""
    aggregator = aggregator_behind(processor)
    if aggregator is not None and aggregator._params.user_turn_strategies is not None:
        logger.warning(
            f"{aggregator} was given user_turn_strategies of its own. They win over those of "
            f"{processor}, which then decides nothing: leave user_turn_strategies unset."
        )
