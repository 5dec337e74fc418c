"""The microphone on the loop's clock knows how late the loop lets it be."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.workers.runner import WorkerRunner

from jev_turn.play.clock import LoopClock, VirtualLoop, run
from jev_turn.play.stage import CHUNK_BYTES, Stage


def late_ms(busy_s: float) -> float:
    """Deliver three chunks on a loop that is busy for ``busy_s`` before each."""

    def chunks() -> Iterator[bytes]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        for _ in range(3):
            loop.advance(busy_s)
            yield bytes(CHUNK_BYTES)

    async def main() -> float:
        stage = Stage(chunks())
        worker = PipelineWorker(Pipeline([stage.input()]), clock=LoopClock())
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(worker)
        going = asyncio.ensure_future(runner.run())
        await stage.input().finished.wait()
        await worker.stop_when_done()  # type: ignore[no-untyped-call]
        await going
        return stage.input().late_ms

    return run(main())


def test_a_loop_with_time_is_never_late() -> None:
    """Work that fits between two chunks puts none of them off."""
    assert late_ms(0.015) == pytest.approx(0, abs=1e-6)


def test_a_busy_loop_is_late_and_the_median_says_how_much() -> None:
    """22 ms of work for each 20 ms of sound: 2, 4 and 6 ms late."""
    assert late_ms(0.022) == pytest.approx(4)
