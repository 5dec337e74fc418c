"""How soon the model and the voice follow the end of a turn, beside a plain bot, in real time."""

from __future__ import annotations

import asyncio

import pytest

from jev_turn.bench.latency import HAND_OVER_MAX_MS, SOONER_MIN_MS, WASTED_MAX, measure
from jev_turn.policy import load_policy

pytestmark = pytest.mark.bots


def test_duplex_adds_little_and_speculation_saves_much() -> None:
    """Below 20 ms to the model; 300 ms sooner to be heard, one wasted run per turn at most."""
    found = asyncio.run(measure(load_policy(env={}), 5))
    print(
        f"\nto the model: {found.hand_over_ms:+.1f} ms; first audio: {found.sooner_ms:.0f} sooner"
    )
    assert found.complete
    assert found.hand_over_ms < HAND_OVER_MAX_MS
    assert found.sooner_ms >= SOONER_MIN_MS
    assert max(found.early.wasted) <= WASTED_MAX
