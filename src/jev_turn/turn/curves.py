"""The three curves that time bends: the bar, the confirming quiet, the wait before asking again."""

from __future__ import annotations

import math

from jev_turn.turn.config import TurnConfig


def bar(config: TurnConfig, quiet_ms: int, holding_floor: float) -> float:
    """Return the ``turn_complete`` that ends a turn after ``quiet_ms`` of quiet.

    Scores of finished short questions barely move with silence, so the bar falls instead. It
    stays up while the person asks for time.

    Args:
        config: Thresholds and the decay time.
        quiet_ms: Microphone quiet when the question was asked, ms.
        holding_floor: The verdict's ``holding_floor``, 0 to 1.

    Returns:
        A threshold, 0 to 1.
    """
    if holding_floor >= config.holding_floor_min:
        return config.eos_threshold
    if config.eos_decay_ms == 0:
        return config.eos_threshold_floor
    fallen = _clamp(quiet_ms / config.eos_decay_ms)
    return config.eos_threshold - (config.eos_threshold - config.eos_threshold_floor) * fallen


def confirm(config: TurnConfig, turn_complete: float) -> float:
    """Return the total microphone quiet (ms) that confirms a turn judged complete."""
    span = 1.0 - config.eos_threshold_floor
    sure = _clamp((turn_complete - config.eos_threshold_floor) / span) if span else 1.0
    return config.confirm_max_ms - (config.confirm_max_ms - config.confirm_min_ms) * sure


def wait(config: TurnConfig, turn_complete: float, bar_then: float) -> float:
    """Return the ms to wait before asking again about the same words.

    Args:
        config: Shortest and longest wait.
        turn_complete: The verdict, under ``bar_then``.
        bar_then: The bar that it did not reach.
    """
    short = _clamp((bar_then - turn_complete) / bar_then) if bar_then else 0.0
    return config.recheck_min_ms + (config.recheck_max_ms - config.recheck_min_ms) * short


def whole_ms(duration_ms: float) -> int:
    """Round a duration that is waited up to whole ms, forgiving floating-point dust."""
    return math.ceil(duration_ms - 1e-6)


def _clamp(share: float) -> float:
    return min(1.0, max(0.0, share))
