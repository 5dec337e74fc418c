"""Synthetic sound and the settings of the requirements, for tests of the acoustic gate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jev_turn.dsp.config import GateConfig
from jev_turn.dsp.snr import begin, step
from jev_turn.dsp.state import GateContext, GateState

Samples = NDArray[np.float64]

RATE = 16_000
LOUD = 0.1
"""Far over every gate level in these tests (0.006, or 0.01 while the agent speaks)."""
SOFT = 0.001
"""Under every gate level, and not zero."""

CONFIG = GateConfig(
    hold_ms=110,
    hold_max_ms=120,
    floor_ratio_idle=3.0,
    floor_ratio_speaking=5.0,
    absolute_min=0.006,
    dip_grace_ms=60,
    agent_refractory_ms=350,
    drop_bursts=True,
    burst_peak_position_max=0.35,
    burst_decay_ratio_max=0.3,
    burst_continuity_max=0.6,
    frame_ms=10,
    floor_attack=0.5,
    floor_rise_per_s=0.10,
    floor_min=1e-4,
    floor_initial=0.002,
    stop_ms=200,
    thaw_ms=4_000,
    stall_ms=500,
    zeros_are_silence=False,
    preroll_ms=300,
    confirm_ms=150,
    confirm_probability=0.5,
)
FINE = replace(CONFIG, frame_ms=1, drop_bursts=False)
"""One frame a millisecond, so that a boundary can be met exactly."""

SPEAKING = GateContext(agent_speaking=True)
IN_TURN = GateContext(turn_open=True)


def run(
    levels: Iterable[float],
    config: GateConfig = CONFIG,
    context: GateContext | None = None,
    state: GateState | None = None,
) -> tuple[GateState, list[Any]]:
    """Feed frame levels to the gate; state after them and all that happened."""
    state = state or begin(config)
    said: list[Any] = []
    for rms in levels:
        state, events = step(state, rms, config, context or state.context)
        said += events
    return state, said


def frames(*parts: tuple[float, int], frame_ms: int = 10) -> list[float]:
    """Frame levels from (level, milliseconds) parts."""
    return [level for level, ms in parts for _ in range(ms // frame_ms)]


def noise(ms: int, level: float, rate: int = RATE, seed: int = 1) -> Samples:
    """White noise with this root mean square."""
    return np.random.default_rng(seed).normal(0.0, level, rate * ms // 1_000)


def voice(ms: int, level: float = 0.08, rate: int = RATE, pitch: float = 120.0) -> Samples:
    """Harmonics of ``pitch`` in syllables of 200 ms, each with a 30 ms attack."""
    t = np.arange(rate * ms // 1_000) / rate
    tone = sum(np.sin(2 * np.pi * pitch * k * t) / k for k in range(1, 9))
    beat = t % 0.2
    envelope = np.minimum(1.0, beat / 0.03) * (0.55 + 0.45 * np.cos(np.pi * beat / 0.2))
    sound: Samples = tone * envelope
    return sound * level / float(np.sqrt(np.mean(sound**2)))


def decay(ms: int, peak: float, fall_ms: float, rate: int = RATE, seed: int = 2) -> Samples:
    """A noise burst that falls by a factor e in ``fall_ms``: a click, a knock, a slam."""
    t = np.arange(rate * ms // 1_000) / rate * 1_000
    return peak * np.exp(-t / fall_ms) * np.random.default_rng(seed).uniform(-1, 1, t.size)


def pcm(*parts: Samples) -> bytes:
    """The parts one after another as 16-bit samples."""
    joined = np.concatenate(parts)
    return bytes(np.clip(np.round(joined * 32_767), -32_768, 32_767).astype("<i2").tobytes())


def chunks(sound: bytes, ms: int, rate: int = RATE) -> list[bytes]:
    """Cut into chunks as a transport would deliver them; the last may be short."""
    size = rate * ms // 1_000 * 2
    return [sound[at : at + size] for at in range(0, len(sound), size)]


def kinds(events: Sequence[Any]) -> list[str]:
    """Class names, for a test about which and in what order."""
    return [type(event).__name__ for event in events]
