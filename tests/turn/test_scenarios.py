"""Every scenario file is replayed; its effects are reviewed as a diff."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.scenario import check

from jev_turn.turn.config import TurnConfig

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.md"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario(path: Path, config: TurnConfig) -> None:
    """A scenario's effects are exactly those that its file shows."""
    blocks = list(check(path, config, rewrite=os.environ.get("REWRITE_SCENARIOS") == "1"))
    assert blocks, f"{path.name} holds no scenario block"
    for expected, actual in blocks:
        assert actual == expected
