"""A bot by Pipecat's convention, for a server in a process of its own: text in, text out."""

from __future__ import annotations

import os
from pathlib import Path

from loguru import logger
from pipecat.frames.frames import (
    Frame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TextFrame,
    TranscriptionFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.serializers.protobuf import ProtobufFrameSerializer
from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams
from pipecat.workers.runner import WorkerRunner
from support.bot import Answers

from jev_turn.processors.jev_judge import JevJudge
from jev_turn.record import CallRecord

SURE = {"turn_complete": 0.95, "holding_floor": 0.0}


class Model(FrameProcessor):
    """Answers each turn with the words that it heard, and complains about them."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer a final transcript."""
        await super().process_frame(frame, direction)
        if not isinstance(frame, TranscriptionFrame):
            await self.push_frame(frame, direction)
            return
        await self.push_frame(LLMFullResponseStartFrame())
        await self.push_frame(TextFrame(f"You said {frame.text}"))
        await self.push_frame(LLMFullResponseEndFrame())
        await self.push_error(f"no voice for {frame.text}")


async def bot(runner_args: RunnerArguments) -> None:
    """Talk to one caller."""
    params = {"websocket": lambda: FastAPIWebsocketParams(serializer=ProtobufFrameSerializer())}
    transport = await create_transport(runner_args, params)
    folder = Path(os.environ["TALKER_RECORDS"])
    with CallRecord(folder / f"{runner_args.session_id}.jsonl", words=False) as record:
        judge = JevJudge(Answers(lambda name, _: SURE.get(name, 0.9)), record=record)
        worker = PipelineWorker(Pipeline([transport.input(), judge, Model(), transport.output()]))

        @transport.event_handler("on_client_disconnected")  # type: ignore[untyped-decorator]
        async def gone(_transport: object, _client: object) -> None:
            await worker.cancel()

        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(worker)
        await runner.run()
    logger.info("the bot has closed its record")
