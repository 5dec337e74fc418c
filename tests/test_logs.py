"""What tracebacks in a shown log must not hold."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from loguru import logger

from jev_turn import cli
from jev_turn.page import announce
from jev_turn.server.logs import quiet_logs

KEY = "sk-never-shown"


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Take away what a log was given."""
    before = logging.getLogger().handlers[:]
    yield
    logging.getLogger().handlers[:] = before
    logger.remove()


def fail(key: str) -> None:
    """Log an error that was raised where a key is at hand."""
    try:
        key.missing  # type: ignore[attr-defined]  # noqa: B018
    except AttributeError:
        logger.exception("failed")


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    """Log a failure and return what is shown."""
    fail(KEY)
    return capsys.readouterr().err


@pytest.mark.parametrize("verbose", [False, True])
def test_no_command_shows_values(verbose: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable in a traceback may be a key; the place is shown."""
    cli.quiet_logs(verbose)
    told = shown(capsys)
    assert "key.missing" in told and "never" not in told


def test_a_server_asked_for_everything_shows_no_values(capsys: pytest.CaptureFixture[str]) -> None:
    """`--verbose` promises words, and no key."""
    quiet_logs(verbose=True)
    told = shown(capsys)
    assert "key.missing" in told and "never" not in told


def test_a_bot_shows_no_values(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipecat logs whatever a bot raises, with its traceback."""
    monkeypatch.setenv("PIPECAT_SETUP_FILES", "")
    app = FastAPI()
    announce(app)
    with TestClient(app):
        told = shown(capsys)
    assert "key.missing" in told and "never" not in told
