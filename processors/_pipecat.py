"""What Pipecat 1.12 does not have yet, and what no version offers by a public name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pipecat.frames import frames
from pipecat.frames.frames import DataFrame
from pipecat.observers.base_observer import BaseObserver
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregator
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.stt_service import STTService

__all__ = [
    "IS_1_12",
    "LLMContextUserTurnFrame",
    "UserBackchannelFrame",
    "announce_turns",
    "parts_of",
    "reconnect",
    "watch",
]

IS_1_12 = not hasattr(frames, "LLMContextUserTurnFrame")
"""This is the oldest Pipecat that is supported."""

if TYPE_CHECKING or not IS_1_12:
    from pipecat.frames.frames import LLMContextUserTurnFrame, UserBackchannelFrame
else:

    @dataclass
    class LLMContextUserTurnFrame(DataFrame):
        """What a person said in one turn, as it was written to the context.

        A DataFrame, because the model must see it before the context that holds the turn.

        Parameters:
            text: The turn's words.
            timestamp: When the turn began, ISO 8601.
        """

        text: str
        timestamp: str

    @dataclass
    class UserBackchannelFrame(DataFrame):
        """A nod over the agent's speech, such as "mhm"; nothing in this Pipecat consumes it.

        A DataFrame, because it comes in place of a transcript.

        Parameters:
            text: The words.
            user_id: Whose.
            timestamp: When they were said, ISO 8601.
        """

        text: str
        user_id: str
        timestamp: str


def parts_of(processor: FrameProcessor) -> Iterator[FrameProcessor]:
    """Yield ``processor`` and, if it is a pipeline, everything in it."""
    yield processor
    for part in processor.processors:
        yield from parts_of(part)


def announce_turns(pipeline: FrameProcessor) -> None:
    """Have each user aggregator of a pipeline broadcast its turns, once, if it does not itself.

    Args:
        pipeline: The worker's.
    """
    if not IS_1_12:
        return
    for part in parts_of(pipeline):
        if isinstance(part, LLMUserAggregator) and "_push_aggregation" not in vars(part):
            write: Any = part._push_aggregation
            part._push_aggregation = partial(_announce, part, write)  # type: ignore[method-assign]


def watch(worker: PipelineWorker, observer: BaseObserver) -> None:
    """Add an observer in a processor's ``setup()``, where 1.12 forgets one that is the first."""
    worker.add_observer(observer)
    if IS_1_12 and worker._observer._proxies == {}:
        worker._observer._proxies[observer] = worker._observer._create_proxy(observer)


async def reconnect(service: STTService) -> None:
    """Connect a recogniser anew, as it does by itself.

    Raises:
        Exception: What went wrong, which ``_reconnect`` reports and keeps to itself.
    """
    connect: Any = service._do_reconnect
    wrong: list[Exception] = []

    async def tell() -> None:
        try:
            await connect()
        except Exception as error:
            wrong.append(error)
            raise

    service._do_reconnect = tell  # type: ignore[method-assign]
    try:
        await service._reconnect()  # type: ignore[no-untyped-call]
    finally:
        del service._do_reconnect
    if wrong:
        raise wrong[0]


async def _announce(aggregator: LLMUserAggregator, write: Any, **given: Any) -> str:
    """Broadcast the turn, then write it: the model sees both in this order."""
    if text := aggregator.aggregation_string():
        began = aggregator._user_turn_start_timestamp
        await aggregator.broadcast_frame(LLMContextUserTurnFrame, text=text, timestamp=began)
    written: str = await write(**given)
    return written
