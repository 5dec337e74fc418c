"""One mock server for all tests of the judges."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from loguru import logger
from support.fake_judges import MockJev


@pytest.fixture(scope="module")
def mock_jev() -> Iterator[MockJev]:
    """Jevcompat's reference server, without faults until configured."""
    with MockJev().running() as server:
        yield server


@pytest.fixture
def everything_logged() -> Iterator[list[str]]:
    """All of `logging` and loguru at their most talkative."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler, root, sdk = Keep(), logging.getLogger(), logging.getLogger("typesafe_sdk")
    levels = root.level, sdk.level
    root.addHandler(handler)
    root.setLevel(1)
    sdk.setLevel(1)
    sink = logger.add(lambda line: lines.append(str(line)), level=0, backtrace=True, diagnose=True)
    yield lines
    logger.remove(sink)
    root.removeHandler(handler)
    root.setLevel(levels[0])
    sdk.setLevel(levels[1])
