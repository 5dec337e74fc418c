"""The packaged settings, and a runner on them."""

from __future__ import annotations

import pytest
from support.reply_scenario import ListRunner, MouthRunner

from jev_turn.policy import load_policy
from jev_turn.replies.config import MouthConfig, ReplyConfig


@pytest.fixture(scope="session")
def config() -> ReplyConfig:
    """The packaged settings of the list."""
    return load_policy(env={}).replies()


@pytest.fixture(scope="session")
def mouth_config() -> MouthConfig:
    """The packaged settings of the mouth."""
    return load_policy(env={}).mouth()


@pytest.fixture
def run(config: ReplyConfig) -> ListRunner:
    """A fresh reply list."""
    return ListRunner(config)


@pytest.fixture
def lips(mouth_config: MouthConfig) -> MouthRunner:
    """A fresh mouth."""
    return MouthRunner(mouth_config)
