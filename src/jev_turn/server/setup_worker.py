"""Pipecat's setup file (``PIPECAT_SETUP_FILES``): gives each pipeline to the call that made it.

Bots need no line for it: Pipecat runs this in the task that makes the worker.
"""

from __future__ import annotations

from pipecat.pipeline.worker import PipelineWorker

from jev_turn.server.call import current


async def setup_worker_runner(_runner: object) -> None:
    """Do nothing; Pipecat warns about a setup file that lacks this function."""


async def setup_pipeline_worker(worker: PipelineWorker) -> None:
    """Attach a pipeline to the call in whose task it was made."""
    call = current.get()
    if call is not None:
        call.attach(worker)
