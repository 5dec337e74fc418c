"""Every scenario file is replayed; its effects are reviewed as a diff."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.reply_scenario import ListRunner, MouthRunner, Runner, check

from jev_turn.replies.config import MouthConfig, ReplyConfig

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.md"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario(path: Path, config: ReplyConfig, mouth_config: MouthConfig) -> None:
    """A scenario's effects are exactly those that its file shows; its prose says what goes wrong."""

    def make(kind: str) -> Runner:
        return MouthRunner(mouth_config) if kind == "mouth" else ListRunner(config)

    blocks = list(check(path, make, rewrite=os.environ.get("REWRITE_SCENARIOS") == "1"))
    assert blocks, f"{path.name} holds no scenario block"
    for expected, actual in blocks:
        assert actual == expected
