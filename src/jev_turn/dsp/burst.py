"""Three features that tell one click or knock with its echo from a voice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jev_turn.dsp.config import GateConfig


@dataclass(frozen=True, slots=True)
class Burst:
    """What a window of frame levels looks like.

    Attributes:
        peak_position: Where the loudest frame stands, 0 (first) to 1 (last).
        decay_ratio: Mean level of the last third over the loudest frame's.
        continuity: Part of the frames that reach the gate.
    """

    peak_position: float
    decay_ratio: float
    continuity: float


def measure(levels: Sequence[float], gate: float) -> Burst:
    """Summarise the window that led to a nomination.

    Args:
        levels: Level of every frame since the first one over the gate, dips included.
        gate: The gate level in force.

    Returns:
        The three features. Of equally loud frames the first is the peak, and the last third is
        rounded down to whole frames, with one at least.
    """
    peak = max(levels)
    last = len(levels) - 1
    tail = levels[-max(1, len(levels) // 3) :]
    return Burst(
        peak_position=levels.index(peak) / last if last else 0.0,
        decay_ratio=sum(tail) / len(tail) / peak if peak > 0 else 0.0,
        continuity=sum(level >= gate for level in levels) / len(levels),
    )


def is_impulsive(burst: Burst, config: GateConfig) -> bool:
    """Tell whether all three features say so: an early peak, a fallen tail, mostly gaps."""
    return (
        burst.peak_position < config.burst_peak_position_max
        and burst.decay_ratio < config.burst_decay_ratio_max
        and burst.continuity < config.burst_continuity_max
    )
