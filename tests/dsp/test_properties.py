"""What holds for any sound."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.sound import CONFIG, RATE, noise, pcm, run

from jev_turn.dsp.state import BurstDropped, GateClosed, GateContext, GateOpened
from jev_turn.dsp.stream import MicStream

LEVELS = st.sampled_from([0.0, 1e-5, 0.001, 0.004, 0.007, 0.02, 0.1, 0.5])
PARTS = st.lists(st.tuples(LEVELS, st.integers(1, 400)), min_size=1, max_size=8)
CONTEXTS = st.builds(
    GateContext, st.booleans(), st.sampled_from([None, True, False]), st.integers(0, 2)
)


def heard(sound: bytes, cuts: list[int]) -> tuple[list[Any], MicStream]:
    """All events of a sound that comes in chunks of these sizes, over and over."""
    mic, at = MicStream(CONFIG), 0
    events: list[Any] = []
    while at < len(sound):
        for size in cuts:
            events += mic.feed(sound[at : at + size], RATE, CONFIG, GateContext())
            at += size
    return events, mic


@settings(max_examples=25)
@given(parts=PARTS, cuts=st.lists(st.integers(1, 1_500).map(lambda n: 2 * n), min_size=1))
def test_chunking_changes_nothing(parts: list[tuple[float, int]], cuts: list[int]) -> None:
    """The same sound gives the same events at the same times, and the same state after it."""
    sound = pcm(*[noise(ms, level, seed=i) for i, (level, ms) in enumerate(parts)])
    events, mic = heard(sound, cuts)
    whole, one = heard(sound, [320])
    assert (events, mic.state, mic.now_ms) == (whole, one.state, one.now_ms)


@settings(max_examples=40)
@given(st.lists(st.tuples(LEVELS, st.integers(1, 60), CONTEXTS), min_size=1, max_size=12))
def test_the_gate_keeps_its_order(parts: list[tuple[float, int, GateContext]]) -> None:
    """Openings and closings alternate, no opening is early, the clocks only do what they say."""
    state, said = run([])
    for level, count, context in parts:
        for _ in range(count):
            before = state
            state, events = run([level], context=context, state=before)
            said += events
            assert state.now_ms == before.now_ms + 10
            assert state.quiet_ms in (0, before.quiet_ms, before.quiet_ms + 10)
            assert CONFIG.floor_min <= state.floor <= max(before.floor, level)
            assert not (state.open and state.stalled)
    edges = [event for event in said if isinstance(event, GateOpened | GateClosed)]
    assert all(isinstance(e, GateOpened) is (i % 2 == 0) for i, e in enumerate(edges))
    assert all(e.held_ms >= CONFIG.hold_ms for e in edges if isinstance(e, GateOpened))
    assert not [e for e in said if isinstance(e, BurstDropped) and e.burst.continuity >= 0.6]
