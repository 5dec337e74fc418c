"""The noise floor, and the gate level that stands over it."""

from __future__ import annotations

from jev_turn.dsp.config import GateConfig


def gate_level(floor: float, config: GateConfig, agent_speaking: bool) -> float:
    """Level that a frame must reach to count as sound.

    Args:
        floor: The noise floor.
        config: Settings in force.
        agent_speaking: The agent's voice is audible, and its echo may be.
    """
    ratio = config.floor_ratio_speaking if agent_speaking else config.floor_ratio_idle
    return max(config.absolute_min, floor * ratio)


def next_floor(floor: float, rms: float, config: GateConfig) -> float:
    """Move the noise floor by one frame: down fast, up slowly, never over a louder frame.

    Args:
        floor: The noise floor before the frame.
        rms: The frame's level.
        config: Settings in force.
    """
    if rms < floor:
        moved = floor + config.floor_attack * (rms - floor)
    else:
        moved = min(rms, floor * (1 + config.floor_rise_per_s * config.frame_ms / 1_000))
    return max(config.floor_min, moved)
