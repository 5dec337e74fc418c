"""The calls that a stopped bot ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.filters.identity_filter import IdentityFilter

from jev_turn.page import calls


def test_a_setup_file_of_somebody_else_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours is added to what the environment names, and exists."""
    monkeypatch.setenv("PIPECAT_SETUP_FILES", "/their/file.py")
    calls.follow_calls()
    theirs, ours = os.environ["PIPECAT_SETUP_FILES"].split(os.pathsep)
    assert theirs == "/their/file.py" and Path(ours).is_file()


async def test_pipecat_tells_of_each_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline that starts is known, so that the end of the process can end it."""
    monkeypatch.setenv("PIPECAT_SETUP_FILES", "")
    calls.follow_calls()
    worker = PipelineWorker(Pipeline([IdentityFilter()]))  # type: ignore[no-untyped-call]
    await worker._load_setup_files()  # type: ignore[no-untyped-call]
    assert worker in calls.running
