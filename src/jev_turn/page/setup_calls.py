"""Pipecat's setup file (``PIPECAT_SETUP_FILES``): tells of each pipeline of this process."""

from __future__ import annotations

from pipecat.pipeline.worker import PipelineWorker

from jev_turn.page.calls import running


async def setup_worker_runner(_runner: object) -> None:
    """Do nothing; Pipecat warns about a setup file that lacks this function."""


async def setup_pipeline_worker(worker: PipelineWorker) -> None:
    """Remember a pipeline for as long as it lives."""
    running.add(worker)
