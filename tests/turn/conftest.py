from __future__ import annotations

import pytest

from jev_turn.policy import load_policy
from jev_turn.turn.config import TurnConfig


@pytest.fixture(scope="session")
def config() -> TurnConfig:
    """The packaged settings, whatever the environment says."""
    return load_policy(env={}).turn()
